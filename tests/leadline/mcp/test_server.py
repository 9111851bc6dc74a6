"""`leadline mcp` as clients see it: a real client over the real process's stdin and stdout."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from leadline import aresearch
from leadline.runs.actions import aresume, aruns
from services.run.installation import install_command
from tests.leadline.conftest import python
from tests.services.tools.mcp.conftest import said

QUESTION = "Where was the designer of the wire sounding machine born?"
COMMAND = [str(Path(sys.executable).with_name("leadline")), "mcp"]


@asynccontextmanager
async def connected(tmp_path: Path) -> AsyncIterator[ClientSession]:
    """Start the command and speak to it; what it says on stderr goes to a file."""
    with (tmp_path / "stderr").open("a") as errlog:
        parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(os.environ))
        async with stdio_client(parameters, errlog=errlog) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session


async def test_a_question_is_researched_read_again_and_verified(tmp_path: Path, docs: Path) -> None:
    told: list[str] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(f"{progress:g} {message}")

    async with connected(tmp_path) as session:
        asked = {"question": QUESTION, "documents": [str(docs)], "max_seconds": 60}
        result = await session.call_tool("research", asked, progress_callback=heard)
        report = said(result)
        assert not result.isError
        assert "Belfast" in report
        assert "](sources/" not in report, "a client does not have these files"
        assert told[0].startswith("1 ")
        assert len(told) > 5
        run_id = report.rpartition("Run id: ")[2].split()[0]
        whole = said(await session.call_tool("read_report", {"run_id": run_id}))
        assert report.startswith(whole)
        read = json.loads(said(await session.call_tool("read_report", {"run_id": run_id, "format": "json"})))
        assert read["excerpts"]
        holds, head = said(await session.call_tool("verify_report", {"run_id": run_id})).splitlines()
        assert holds.startswith(f"{run_id}: everything holds (")
        assert said(await session.call_tool("read_report", {"run_id": "latest"})) == whole
        assert head.startswith("No answer: the closest passages, without a model · every quote checked (")


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "no question": ("research", {}, "question cannot be used: Field required"),
    "an empty question": ("research", {"question": " "}, "The question is empty"),
    "an impossible limit": ("research", {"question": "Why?", "max_seconds": 1}, "max_seconds cannot be 1"),
    "an unknown argument": ("research", {"question": "Why?", "colour": 3}, "colour cannot be used"),
    "an unknown depth": (
        "research",
        {"question": "Why?", "depth": "abyss"},
        "depth cannot be 'abyss': Input should be 'quick'",
    ),
    "a missing folder": ("research", {"question": "Why?", "documents": ["/no/such/folder"]}, "/no/such/folder"),
    "an unknown run": ("read_report", {"run_id": "nowhere"}, "There is no run 'nowhere'"),
    "an unknown tool": ("dream", {}, "There is no tool 'dream'"),
}


async def test_schemas_are_small_errors_are_clear_and_the_server_goes_on(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) == {"research", "read_report", "verify_report"}
        for tool in tools.values():
            assert tool.description
            assert len(json.dumps(tool.inputSchema)) < 2_000
            assert all(one["description"] for one in tool.inputSchema["properties"].values())
        for name, arguments, message in WRONG.values():
            result = await session.call_tool(name, arguments)
            assert result.isError, name
            assert message in said(result)
    assert "Traceback" not in (tmp_path / "stderr").read_text()


async def test_a_client_that_fills_in_the_defaults_chooses_nothing_by_them(tmp_path: Path) -> None:
    folder = tmp_path / "dams"
    folder.mkdir()
    (folder / "dam.md").write_text("# Kessan dam\n\nThe Kessan dam is 61 metres high.\n")
    async with connected(tmp_path) as session:
        asked = {"question": "How high is the Kessan dam?", "documents": [str(folder)], "depth": "quick"}
        first = said(await session.call_tool("research", asked))
        [tool] = [tool for tool in (await session.list_tools()).tools if tool.name == "research"]
        described = tool.inputSchema["properties"]
        defaults = {name: field["default"] for name, field in described.items() if "default" in field}
        nothing: tuple[list[str] | None, ...] = (None, [])
        for empty in nothing:
            asked = {
                "question": "How many metres high is the Kessan dam?",
                "after": first.rpartition("Run id: ")[2].split()[0],
            }
            filled = {**defaults, **asked, "documents": empty}
            assert "61 metres" in said(await session.call_tool("research", filled))
    contexts = [record.context for record in await aruns()]
    assert [(context.documents, context.depth) for context in contexts] == 3 * [([str(folder)], "quick")]
    assert all(context.max_seconds == context.level.seconds for context in contexts)


async def test_a_client_searches_only_below_the_folders_of_the_configuration_if_there_are_any(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "note.md").write_text("# The note\n\nThe designer of the ivory rule was born in Ghent.\n")
    before = await aresearch(QUESTION, docs=elsewhere, depth="quick")
    monkeypatch.setenv("LEADLINE_DOCS", str(docs))
    async with connected(tmp_path) as session:
        for asked in ({"documents": [str(elsewhere)]}, {"after": before.run_id}):
            result = await session.call_tool("research", {"question": QUESTION, **asked})
            assert result.isError
            assert f"The folder {elsewhere} is not open to this run" in said(result)
        result = await session.call_tool("research", {"question": QUESTION, "documents": [str(docs)], "depth": "quick"})
        assert "Belfast" in said(result)


async def test_a_run_whose_client_hangs_up_can_be_resumed(tmp_path: Path, docs: Path) -> None:
    begun = asyncio.Event()

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    try:
        async with connected(tmp_path) as session:
            asked = {"question": QUESTION, "documents": [str(docs)]}
            call = asyncio.create_task(session.call_tool("research", asked, progress_callback=heard))
            await begun.wait()
    except* anyio.BrokenResourceError:
        pass  # the SDK's client raises it where a message arrives while it closes
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    [record] = await aruns()
    assert record.status in {"interrupted", "done", "running"}  # the last where the client killed the server at once
    if record.status != "done":
        assert "Belfast" in (await aresume(record.id)).markdown


def request(number: int, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def test_nothing_but_the_protocol_goes_to_stdout_and_a_signal_ends_it(docs: Path) -> None:
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    process.stdin.write(request(1, "initialize", **hello))
    process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\nnonsense\n')
    asked = {"question": QUESTION, "documents": [str(docs)]}
    process.stdin.write(request(2, "tools/call", name="research", arguments=asked))
    process.stdin.flush()
    lines: list[dict[str, Any]] = []
    while not lines or lines[-1].get("id") != 2:
        lines.append(json.loads(process.stdout.readline()))
    assert all(line["jsonrpc"] == "2.0" for line in lines)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert process.stdout.read() == b""
    process.communicate()


def test_a_missing_library_is_answered_with_the_command_that_installs_it() -> None:
    program = "import sys; sys.modules['mcp'] = None; sys.argv = ['leadline', 'mcp']; from leadline.cli.app import main; main()"
    ended = python("-c", program)
    assert ended.returncode == 1
    assert install_command("mcp") in ended.stderr
