"""`leadline init`, `leadline doctor --models` and runs with a model that thinks before it answers: what one finds out, the others know."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.fakes.reasoning_server import ReasoningServer, reasoning_server

COMMAND = Path(sys.executable).with_name("leadline")


@pytest.fixture
def thinker(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReasoningServer]:
    """Serve a reasoning model on loopback."""
    with reasoning_server() as server:
        server.silence = 0.3
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        yield server


def run(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run the command as a process."""
    return subprocess.run(
        [COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=100, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_it_is_set_up_checked_and_used_and_meets_each_refusal_once(thinker: ReasoningServer, docs: Path) -> None:
    made = run("init", "--endpoint", thinker.base_url, "--model", "thinker-1")
    assert made.returncode == 0, made.stderr
    assert dotenv_values(".env")["LEADLINE_MODEL"] == "thinker-1"
    table = run("doctor", "--models")
    assert table.returncode == 0, table.stderr
    report = run("research", "Who designed the wire sounding machine?", "--docs", docs, "--quick")
    assert report.returncode == 0, report.stderr
    assert "William Thomson" in report.stdout
    assert thinker.refused == ["temperature"]
    assert thinker.empty == []
    assert run("doctor", "--models", "--forget").returncode == 0
    assert thinker.refused == ["temperature"] * 2
