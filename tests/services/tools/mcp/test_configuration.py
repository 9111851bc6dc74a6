"""The operator's file and the run's own servers: what is wrong is named, and a run cannot start or reach what it likes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.context import RunContext
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput, SettingsError
from services.tools.mcp.configuration import configured
from tests.conftest import SetEnvironment

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, environment: SetEnvironment) -> Write:

    def written(text: str) -> Path:
        file = tmp_path / "servers.json"
        file.write_text(text)
        return file

    environment(LEADLINE_MCP=str(tmp_path / "servers.json"))
    return written


WRONG = {
    "no JSON": ("{", "not valid JSON"),
    "no servers": ("[]", "must hold"),
    "servers as a list": ('{"mcpServers": []}', "must hold"),
    "an entry that is none": ('{"mcpServers": {"a": 1}}', "a cannot be used"),
    "nothing to start": ('{"mcpServers": {"a": {}}}', "either a command or a url"),
    "both": ('{"mcpServers": {"a": {"command": "x", "url": "http://x"}}}', "either a command or a url"),
    "an unknown transport": ('{"mcpServers": {"a": {"url": "http://x", "transport": "pigeon"}}}', r"a\.transport"),
    "the wrong transport": ('{"mcpServers": {"a": {"command": "x", "transport": "sse"}}}', "goes with a url"),
    "arguments that are no list": ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', r"a\.args"),
    "a variable that is no text": ('{"mcpServers": {"a": {"command": "x", "env": {"K": 1}}}}', r"a\.env\.K"),
    "an empty name": ('{"mcpServers": {"": {"command": "x"}}}', "is not a name for a server"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
async def test_a_wrong_file_is_named_with_what_is_wrong(write: Write, text: str, message: str) -> None:
    file = write(text)
    with pytest.raises(SettingsError, match=message) as caught:
        await configured(RunContext())
    assert str(file) in str(caught.value)


async def test_a_missing_file_is_named(write: Write) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        await configured(RunContext())


async def test_variables_fill_what_holds_secrets_and_nothing_shows_them(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "hush-hush")
    entry = {"type": "streamable-http", "url": "https://example.org/mcp?k=${SERVICE_TOKEN}"}
    entries: dict[str, Any] = {
        "web": {**entry, "headers": {"Authorization": "Bearer ${SERVICE_TOKEN}"}},
        "off": {"command": "x", "disabled": True},
        "local": {
            "command": "serve",
            "env": {"TOKEN": "${SERVICE_TOKEN}", "ZONE": "Europe/Rome"},
            "autoApprove": ["x"],
        },
    }
    write(json.dumps({"mcpServers": entries}))
    servers = await configured(RunContext())
    assert set(servers) == {"web", "local"}
    assert servers["web"].headers == {"Authorization": "Bearer hush-hush"}
    assert (servers["web"].transport, servers["web"].address) == ("http", "https://example.org/mcp")
    assert servers["local"].env["TOKEN"] == "hush-hush"
    assert "hush-hush" not in repr(servers["web"].address) + repr(servers["local"].address)
    assert servers["local"].without_secrets("Europe/Rome hush-hush") == "Europe/Rome …"


async def test_a_run_starts_only_what_the_operator_allows(environment: SetEnvironment) -> None:
    context = RunContext.model_validate({"mcp_servers": {"clock": {"command": "mcp-server-time"}}})
    with pytest.raises(BadInput, match="None is allowed"):
        await configured(context)
    environment(LEADLINE_MCP_COMMANDS="uvx, mcp-server-time")
    assert (await configured(context))["clock"].command == "mcp-server-time"
    elsewhere = RunContext.model_validate({"mcp_servers": {"clock": {"command": "/tmp/mcp-server-time"}}})
    with pytest.raises(BadInput, match="Allowed are: uvx, mcp-server-time"):
        await configured(elsewhere)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/mcp", "http://169.254.169.254/", "http://intranet/mcp", "file:///etc/passwd", "ftp://x"]
)
async def test_a_run_reaches_only_public_addresses(url: str) -> None:
    context = RunContext.model_validate({"mcp_servers": {"web": {"url": url}}})
    with pytest.raises(BadInput, match="the address of web is refused"):
        await configured(context)


async def test_a_private_address_may_be_allowed(environment: SetEnvironment) -> None:
    environment(LEADLINE_ALLOW_PRIVATE_HOSTS="127.0.0.1:8000")
    context = RunContext.model_validate({"mcp_servers": {"web": {"url": "http://127.0.0.1:8000/mcp"}}})
    assert not (await configured(context))["web"].trusted


def test_secrets_have_no_place_in_a_runs_choices() -> None:
    for field in ("env", "headers"):
        with pytest.raises(BadInput, match=field):
            checked_choices({"mcp_servers": {"web": {"url": "https://example.org", field: {"K": "v"}}}})
