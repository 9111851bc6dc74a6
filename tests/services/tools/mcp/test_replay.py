"""What servers offer is written down: a resumed task and a replay have the same tools and start nothing."""

import pytest
from langgraph.store.memory import InMemoryStore

from services.run.journal import Journal, Recording, replaying
from services.run.scope import Run
from services.tools.mcp.offered_tools import servers_once
from services.tools.mcp.registry import close_sessions
from services.tools.mcp.tools import mcp_tools
from tests.services.tools.mcp.conftest import Configure, fake, left


def run_with(store: InMemoryStore) -> Run:
    return Run(journal=Journal(store, "key", "task", "1:planner"))


async def test_a_resumed_task_asks_no_server_again_and_connects_at_its_first_call(
    configure: Configure, mark: str
) -> None:
    store = InMemoryStore()
    configure(pump=fake())
    first = run_with(store)
    await servers_once(first)
    await mcp_tools(first, ["pump"])
    await close_sessions(first.journal.key)
    second = run_with(store)
    await servers_once(second)
    tools, _ = await mcp_tools(second, ["pump"])
    assert left(mark) == []
    assert await tools[0].ainvoke({"words": "hi"}) == "pump says hi"
    await close_sessions(second.journal.key)
    assert left(mark) == []


async def test_a_replay_of_a_run_without_servers_has_none_even_when_there_are_some_now(configure: Configure) -> None:
    store = InMemoryStore()
    await run_with(store).journal.mark("anything")
    configure(pump=fake())
    with replaying(await Recording.load(store, "key", "r")):
        run = run_with(store)
        assert (await servers_once(run)).views == []
        assert await mcp_tools(run, ["pump"]) == ([], [])


async def test_the_journal_holds_no_secret(configure: Configure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REAL_TOKEN", "hush-hush-4")
    store = InMemoryStore()
    configure(
        pump=fake(env={"SERVICE_TOKEN": "${REAL_TOKEN}"}, description="logs in with hush-hush-4"),
        web={"url": "http://127.0.0.1:9/mcp?key=${REAL_TOKEN}", "headers": {"Authorization": "Bearer ${REAL_TOKEN}"}},
    )
    run = run_with(store)
    await servers_once(run)
    await mcp_tools(run, ["pump", "web"])
    await close_sessions(run.journal.key)
    kept = str([item.value for item in await store.asearch(("journal", "key"), limit=100)])
    assert "pump__say" in kept
    assert "hush-hush-4" not in kept
