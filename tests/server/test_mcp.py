"""MCP on the dev server, both ways: its own endpoint as clients see it, and servers of tools in a run that it serves."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_client
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from tests.conftest import PROJECT
from tests.server.conftest import OWNER, TWO_PARTS, dev_server, papers, researched
from tests.services.tools.mcp.conftest import left, said, until


@asynccontextmanager
async def connected(address: str, **headers: str) -> AsyncIterator[ClientSession]:
    """Connect as a client of MCP does."""
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as web,
        streamable_http_client(f"{address}/mcp", http_client=web) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        yield session


async def test_the_graph_is_a_tool_with_a_small_schema(server: str) -> None:
    async with connected(server) as session:
        [tool] = (await session.list_tools()).tools
    assert tool.name == "deep_research"
    assert tool.description == "Researches a question in sources and backs every statement of its report with quotes."
    assert set(tool.inputSchema["properties"]) == {"question", "messages"}
    assert tool.inputSchema["properties"]["messages"]["type"] == "string"
    assert len(json.dumps(tool.inputSchema)) < 1_000


async def test_a_question_and_a_message_are_answered_with_the_state_and_its_report(server: str) -> None:
    async with connected(server) as session:
        for arguments in ({"question": OWNER}, {"messages": OWNER}):
            result = await session.call_tool("deep_research", arguments)
            assert not result.isError
            assert "'markdown': " in said(result)
            assert "Lalla Rookh" in said(result)


async def test_a_run_with_servers_of_tools_blocks_nothing_and_leaves_no_process(tmp_path: Path) -> None:
    mark = f"mark-of-{tmp_path}"
    fake = ["-P", str(PROJECT / "tests" / "fakes" / "mcp_server.py"), "pump"]
    servers: dict[str, Any] = {
        "pump": {"command": sys.executable, "args": fake, "env": {"LEADLINE_TEST": mark}},
        "closed": {"url": "http://127.0.0.1:9/mcp"},
    }
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    environment = {"LEADLINE_DOCS": papers(tmp_path).name, "LEADLINE_MCP": "mcp.json"}
    with dev_server(tmp_path, **environment) as (address, _):
        async with get_client(url=address) as client:
            _, state = await researched(client, TWO_PARTS)
            assert "The tool server closed (http://127.0.0.1:9/mcp) cannot be reached" in str(state["report"]["limits"])
            assert left(mark) == []
            chosen: Any = {"advanced": {"mcp_servers": {"evil": {"command": "sh", "args": ["-c", "id"]}}}}
            _, refused = await researched(client, TWO_PARTS, context=chosen, raise_error=False)
            assert "may not start 'sh'" in str(refused["__error__"])
    await until(lambda: not left(mark))
