"""Servers that others wrote: from PyPI, and the reference server from npm where it is installed."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.run.scope import Run
from services.tools.mcp.offered_tools import servers_once
from services.tools.mcp.tools import mcp_tools
from services.tools.output import ToolOutput
from tests.services.tools.mcp.conftest import BIN, Configure, listening, wait_for_port

EVERYTHING = shutil.which("mcp-server-everything")
needs_everything = pytest.mark.skipif(
    EVERYTHING is None, reason="install it with: npm install -g @modelcontextprotocol/server-everything"
)


async def test_the_time_server_converts_between_zones(run: Run, configure: Configure) -> None:
    configure(clock={"command": str(BIN / "mcp-server-time"), "args": ["--local-timezone=UTC"]})
    servers = await servers_once(run)
    assert [view.name for view in servers.views] == ["clock"]
    assert servers.views[0].description == "tools get_current_time, convert_time"
    tools, _ = await mcp_tools(run, ["clock"])
    convert = next(tool for tool in tools if tool.name == "clock__convert_time")
    arguments = {"source_timezone": "Asia/Tokyo", "time": "09:00", "target_timezone": "UTC"}
    message = await convert.ainvoke({"type": "tool_call", "id": "1", "name": convert.name, "args": arguments})
    assert json.loads(message.content)["target"]["datetime"].split("T")[1].startswith("00:00")
    assert isinstance(message.artifact, ToolOutput)
    assert (message.artifact.kind, message.artifact.url) == ("tool", "tool:clock/convert_time")
    assert message.artifact.text == message.content


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with one commit."""
    folder = tmp_path / "repository"
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(folder)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    (folder / "soundings.txt").write_text("8184 m\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "Add the soundings"], check=True)
    return folder


async def test_the_git_server_reads_a_repository(run: Run, configure: Configure, repository: Path) -> None:
    configure(git={"command": str(BIN / "mcp-server-git"), "args": ["--repository", str(repository)]})
    tools = {tool.name: tool for tool in (await mcp_tools(run, ["git"]))[0]}
    assert "Add the soundings" in await tools["git__git_log"].ainvoke({"repo_path": str(repository)})


@contextmanager
def everything(transport: str) -> Iterator[str]:
    """Serve the reference server over the network."""
    assert EVERYTHING is not None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kind = "sse" if transport == "sse" else "streamableHttp"
    process = subprocess.Popen(
        [EVERYTHING, kind],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for_port(port, process)
        yield f"http://127.0.0.1:{port}/{'sse' if transport == 'sse' else 'mcp'}"
    finally:
        process.kill()
        process.wait(10)


@needs_everything
async def test_the_reference_server_as_a_program(run: Run, configure: Configure) -> None:
    configure(every={"command": EVERYTHING, "description": "shows what there is"})
    assert (await servers_once(run)).views[0].description == "shows what there is"
    tools = {tool.name: tool for tool in (await mcp_tools(run, ["every"]))[0]}
    assert await tools["every__echo"].ainvoke({"message": "hi"}) == "Echo: hi"
    assert "[image: image/png, " in await tools["every__get-tiny-image"].ainvoke({})
    assert json.loads(await tools["every__get-structured-content"].ainvoke({"location": "Chicago"}))["conditions"]
    assert "demo://" in await tools["every__get-resource-links"].ainvoke({"count": 2})


@needs_everything
@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_the_reference_server_at_an_address(run: Run, configure: Configure, transport: str) -> None:
    with everything(transport) as address:
        configure(every={"url": address, "transport": transport})
        tools = {tool.name: tool for tool in (await mcp_tools(run, ["every"]))[0]}
        assert await tools["every__echo"].ainvoke({"message": "hi"}) == "Echo: hi"


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_server_of_the_sdk_at_an_address(run: Run, configure: Configure, transport: str) -> None:
    with listening("pump", transport) as address:
        configure(pump={"url": address, "transport": transport})
        tools = {tool.name: tool for tool in (await mcp_tools(run, ["pump"]))[0]}
        assert await tools["pump__say"].ainvoke({"words": "hi"}) == "pump says hi"
