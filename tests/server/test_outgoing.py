"""Requests that a client has the server make: they reach no private network, and LangSmith only where runs are traced."""

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import PROJECT
from tests.server.outgoing import EVERY, HIDDEN, METADATA, NAMES, PUBLIC

pytestmark = pytest.mark.timeout(300)
OWN_NETWORK = ["unshare", "--user", "--map-root-user", "--net", "--mount"]


def _has_namespaces() -> bool:
    tools = shutil.which("unshare") and shutil.which("ip")
    return bool(tools) and subprocess.run([*OWN_NETWORK, "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what came of each request, by its name."""
    if not _has_namespaces():
        pytest.skip("the system makes no network namespaces")
    ended = subprocess.run(
        [*OWN_NETWORK, sys.executable, "-m", "tests.server.outgoing", str(tmp_path_factory.mktemp("outgoing"))],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},  # without the guard, which would refuse what the server must
        cwd=PROJECT, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-2_000:]
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_a_webhook_into_a_private_network_is_refused_before_the_run(outcomes: dict[str, Any]) -> None:
    hosts = (*EVERY, *NAMES)
    assert {host: outcomes[host]["status"] for host in hosts} == dict.fromkeys(hosts, 422)
    assert [outcomes[host]["received"] for host in hosts] == [[]] * len(hosts)


def test_a_webhook_to_a_public_address_is_called_and_not_sent_on_into_a_private_network(
    outcomes: dict[str, Any],
) -> None:
    assert outcomes["public"]["received"] == [f"{PUBLIC} /hook"]
    for name in ("redirected", *(f"redirected to {name}" for name in NAMES)):
        assert [target.split()[0] for target in outcomes[name]["received"]] == [PUBLIC]


def test_the_server_alone_still_lets_these_addresses_through() -> None:
    """When this fails, `leadline/server/server_guards.py` can go."""
    found = "from langgraph_api.lc_security import policy; [policy.validate_resolved_ip(host, policy.SSRFPolicy(block_private_ips=True)) for host in"
    subprocess.run([sys.executable, "-c", f"{found} {[*HIDDEN, METADATA]}]"], check=True, timeout=60)


@pytest.mark.parametrize("request_", ["feedback", "trace"])
def test_a_run_that_is_not_traced_asks_langsmith_for_nothing(outcomes: dict[str, Any], request_: str) -> None:
    assert outcomes[request_]["status"] == 200
    assert outcomes[request_]["events"] > 1
    assert outcomes[request_]["received"] == []
