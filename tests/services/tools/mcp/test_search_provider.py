"""Search tools of MCP servers, asked with the run's own searches."""

import json
import sys
from pathlib import Path

import pytest

from leadline import aresearch
from services.run.errors import SearchError
from services.run.scope import current_run
from services.run.settings import forget_settings
from services.tools.mcp.configuration import Server
from services.tools.mcp.registry import close_sessions
from services.tools.mcp.search_provider import McpSearch, hits_in
from tests.conftest import PROJECT

FAKE = str(PROJECT / "tests" / "fakes" / "mcp_server.py")
NOTES = Server("notes", "stdio", search="find", command=sys.executable, args=("-P", FAKE, "pump"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            json.dumps([{"url": "https://a.example/1", "title": "A", "snippet": "Text of A."}]),
            [("https://a.example/1", "A", "web")],
        ),
        (
            json.dumps({"data": {"items": [{"link": "https://b.example", "name": "B", "body": "Text of B."}]}}),
            [("https://b.example", "B", "web")],
        ),
        (
            json.dumps({"results": [{"content": "A note without address."}]}),
            [("tool:notes/find#1", "tool:notes/find#1", "tool")],
        ),
        (
            "Title: One\nURL: https://one.example/x\nText of one.\n\nTitle: Two\nURL: https://two.example\nText of two.",
            [("https://one.example/x", "One", "web"), ("https://two.example", "Two", "web")],
        ),
        ("标题：甲\n链接：https://jia.example\n甲的内容。", [("https://jia.example", "甲", "web")]),
        ("Nothing but a text.", [("tool:notes/find", "notes", "tool")]),
        ("", []),
        ("[1, 2, null]", [("tool:notes/find", "notes", "tool")]),
        (
            json.dumps([{"url": "javascript:alert(1)", "content": "x"}]),
            [("tool:notes/find#1", "javascript:alert(1)", "tool")],
        ),
    ],
    ids=["list", "nested", "no address", "blocks", "Chinese blocks", "text", "nothing", "odd JSON", "no web address"],
)
def test_what_search_tools_return_is_read(text: str, found: list[tuple[str, str, str]]) -> None:
    assert [(hit.url, hit.title, hit.kind) for hit in hits_in(text, NOTES, 5)] == found


async def test_a_tool_is_asked_with_its_own_names_of_parameters() -> None:
    try:
        [hit] = await McpSearch(NOTES).search("who designed it", 3)
    finally:
        await close_sessions(current_run().journal.key)
    assert hit.text.endswith("(who designed it)")


async def test_a_tool_that_there_is_not_is_a_failed_search() -> None:
    server = Server("notes", "stdio", search="seek", command=sys.executable, args=("-P", FAKE, "pump"))
    try:
        with pytest.raises(SearchError, match="has no tool 'seek'"):
            await McpSearch(server).search("x", 3)
    finally:
        await close_sessions(current_run().journal.key)


async def test_a_run_searches_servers_and_quotes_what_they_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"command": sys.executable, "args": ["-P", FAKE, "pump"], "search": "find"}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"notes": entry}}))
    monkeypatch.setenv("LEADLINE_MCP", str(tmp_path / "mcp.json"))
    forget_settings()
    report = await aresearch("Who designed the wire sounding machine?")
    assert "William Thomson" in report.markdown
    assert {source.kind for source in report.sources} == {"tool"}
