"""Servers in a configuration file, and a count of the processes that are left of them."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from mcp.types import CallToolResult, TextContent

from schemas.context import RunContext
from services.run.scope import Run
from services.tools.mcp.registry import close_sessions
from services.tools.mcp.tools import mcp_tools
from tests.conftest import PROJECT, SetEnvironment
from tests.fakes.http import free_port

FAKE = str(PROJECT / "tests" / "fakes" / "mcp_server.py")
BIN = Path(sys.executable).parent
Configure = Callable[..., None]


def fake(kind: str = "pump", **more: Any) -> dict[str, Any]:
    """Return an entry for one of our own servers."""
    return {"command": sys.executable, "args": ["-P", FAKE, kind], **more}


def left(mark: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def said(result: CallToolResult) -> str:
    """Return the text that a tool gave a client."""
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def until(there: Callable[[], bool]) -> None:
    """Wait for something that happens elsewhere; the first program of a machine waits for its sandbox to be tried out."""
    for _ in range(4_500):
        if there():
            return
        await asyncio.sleep(0.02)
    pytest.fail("it did not happen")


@pytest.fixture
def mark(tmp_path: Path) -> str:
    """Return what every program of this test has in its environment."""
    return f"mark-of-{tmp_path.name}-{os.getpid()}"


@pytest.fixture
def configure(tmp_path: Path, environment: SetEnvironment, mark: str) -> Configure:

    def write(**servers: dict[str, Any]) -> None:
        for entry in servers.values():
            if "command" in entry:
                entry["env"] = {**entry.get("env", {}), "LEADLINE_TEST": mark}
        file = tmp_path / "mcp.json"
        file.write_text(json.dumps({"mcpServers": servers}))
        environment(LEADLINE_MCP=str(file))

    return write


@pytest.fixture
async def run(mark: str) -> AsyncIterator[Run]:
    """Give a run whose sessions are closed at the end, when no process may be left."""
    given = Run(context=RunContext())
    yield given
    await close_sessions(given.journal.key)
    assert left(mark) == []


@contextmanager
def listening(kind: str, transport: str) -> Iterator[str]:
    """Serve over the network from a process of its own, and yield the address."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-P", FAKE, kind, transport, str(port)], stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port, process)
        yield f"http://127.0.0.1:{port}/{'sse' if transport == 'sse' else 'mcp'}"
    finally:
        process.kill()
        process.wait(10)


def wait_for_port(port: int, process: subprocess.Popen[Any]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server did not start")


async def tools_of(run: Run, *names: str) -> dict[str, BaseTool]:
    """Return the tools of servers, none of which may fail."""
    tools, failures = await mcp_tools(run, names)
    assert failures == []
    return {tool.name: tool for tool in tools}


@pytest.fixture
async def pump(run: Run, configure: Configure) -> dict[str, BaseTool]:
    """Configure the pump alone, and return its tools."""
    configure(pump=fake())
    return await tools_of(run, "pump")
