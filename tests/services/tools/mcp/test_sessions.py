"""Sessions: one a server and run, reused, closed at the run's end and when nobody calls; the event loop never waits."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.tools import BaseTool

from services.run.errors import SettingsError
from services.run.scope import Run
from services.run.settings import settings
from services.tools.mcp import sessions
from services.tools.mcp.offered_tools import servers_once
from services.tools.mcp.registry import close_sessions
from tests.conftest import PROJECT
from tests.services.tools.mcp.conftest import Configure, fake, left, tools_of, until

pytestmark = pytest.mark.long


async def test_calls_of_a_run_share_one_process_and_run_side_by_side(run: Run, configure: Configure) -> None:
    configure(pump=fake())
    await servers_once(run)
    tools = await tools_of(run, "pump")
    calls = [tools["pump__process"].ainvoke({}) for _ in range(8)]
    assert len(set(await asyncio.gather(*calls))) == 1


async def test_two_runs_have_a_process_each_and_a_call_after_the_end_of_one_connects_anew(
    configure: Configure, mark: str
) -> None:
    configure(pump=fake())
    runs = [Run(), Run()]
    runs[0].journal.key, runs[1].journal.key = "first", "second"
    first, second = [(await tools_of(run, "pump"))["pump__process"] for run in runs]
    before = await first.ainvoke({})
    assert before != await second.ainvoke({})
    await close_sessions(runs[0].journal.key)
    assert len(left(mark)) == 1
    assert await first.ainvoke({}) != before
    for run in runs:
        await close_sessions(run.journal.key)
    assert left(mark) == []


async def test_a_session_that_nobody_uses_is_closed(
    run: Run, configure: Configure, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "IDLE_SECONDS", 0.2)
    configure(pump=fake())
    tool = (await tools_of(run, "pump"))["pump__process"]
    await until(lambda: not left(mark))
    assert int(await tool.ainvoke({}))


async def test_a_server_that_was_killed_between_calls_is_started_again(pump: dict[str, BaseTool]) -> None:
    tool = pump["pump__process"]
    number = int(await tool.ainvoke({}))
    os.kill(number, signal.SIGKILL)
    await until(lambda: not Path(f"/proc/{number}").exists())
    await asyncio.sleep(0.2)  # until its end is heard of
    assert int(await tool.ainvoke({})) != number


async def test_a_call_that_is_cancelled_leaves_the_session_to_the_others(pump: dict[str, BaseTool]) -> None:
    call = asyncio.create_task(pump["pump__hang"].ainvoke({}))
    await asyncio.sleep(0.2)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert await pump["pump__say"].ainvoke({"words": "hi"}) == "pump says hi"


async def test_the_event_loop_is_not_blocked(run: Run, configure: Configure) -> None:
    configure(pump=fake(), closed={"url": "http://127.0.0.1:9/mcp"})
    settings()  # read once, at the start of a process
    with blockbuster_ctx():
        await servers_once(run)
        tools = await tools_of(run, "pump")
        assert await tools["pump__say"].ainvoke({"words": "hi"}) == "pump says hi"
        await close_sessions(run.journal.key)


PROGRAM = """
import asyncio
from services.run.scope import Run
from services.tools.mcp.tools import mcp_tools

async def main():
    tools, _ = await mcp_tools(Run(), ["pump"])
    print(await tools[0].ainvoke({"words": "hi"}), flush=True)
    %s
"""
ENDINGS = {
    "the loop is left without a word": "\nloop = asyncio.new_event_loop()\nloop.run_until_complete(main())",
    "the process is killed": "await asyncio.sleep(600)\nasyncio.run(main())",
}


@pytest.mark.parametrize("ending", ENDINGS)
async def test_no_process_is_left_however_the_run_ends(configure: Configure, mark: str, ending: str) -> None:
    configure(pump=fake())
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM % ENDINGS[ending],
        cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    assert (await process.stdout.readline()).decode().strip() == "pump says hi"
    if "killed" in ending:
        process.kill()
    await process.wait()
    await until(lambda: not left(mark))


async def test_a_missing_library_is_answered_with_the_command_that_installs_it(
    run: Run, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "langchain_mcp_adapters.sessions", None)
    configure(pump=fake())
    with pytest.raises(SettingsError, match=r"pip install .*\[mcp\]"):
        await servers_once(run)


def test_without_servers_nothing_is_imported() -> None:
    program = (
        "import asyncio, sys\nfrom services.run.scope import Run\nfrom services.tools.mcp.offered_tools import servers_once\n"
        "servers = asyncio.run(servers_once(Run()))\n"
        "print(servers.views, [name for name in sys.modules if name.split('.')[0] in ('mcp', 'langchain_mcp_adapters')])"
    )
    said = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[] []"
