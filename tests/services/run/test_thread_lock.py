"""Two runs on one thread, as a server of several machines might start them: the second is refused, and the first goes on."""

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from graph import build_graph
from leadline.runs.persistence import checkpointer, store
from services.run import thread_lock
from services.run.errors import BadInput
from services.run.thread_lock import Hold
from services.search.providers import allow_folders
from tests.fakes.openai_server import OpenAIServer

GIVEN: Any = {"question": "Why was tallow pressed into the lead, and who designed the wire sounding machine?"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_lock, "RENEW", 0.2)
    monkeypatch.setattr(thread_lock, "LOOK", 0.05)


@pytest.fixture
def choices(docs: Path) -> Any:
    allow_folders([docs])
    return {"documents": [str(docs)]}


def config(run: str) -> Any:
    return {"configurable": {"thread_id": "thread", "run_id": run}}


async def test_a_second_run_on_a_thread_is_refused_while_the_first_works(
    endpoint: OpenAIServer, choices: Any, tmp_path: Path
) -> None:
    go, begun, loop = asyncio.Event(), asyncio.Event(), asyncio.get_running_loop()

    def hold(number: int) -> None:
        if number == 1:
            loop.call_soon_threadsafe(begun.set)
            asyncio.run_coroutine_threadsafe(go.wait(), loop).result(60)

    endpoint.on_request = hold
    async with checkpointer(tmp_path) as saver, store(tmp_path) as first_store, store(tmp_path) as second_store:
        first = build_graph().compile(checkpointer=saver, store=first_store)
        second = build_graph().compile(checkpointer=saver, store=second_store)
        running = asyncio.create_task(first.ainvoke(GIVEN, config("a"), context=choices))
        await begun.wait()
        with pytest.raises(BadInput, match=r"Another run \(a\) is working on this thread"):
            await second.ainvoke(GIVEN, config("b"), context=choices)
        assert len(endpoint.requests) == 1
        go.set()
        state = await running
        assert state["report"].markdown
        again = await second.ainvoke(GIVEN, config("c"), context=choices)
        assert again["report"].markdown
        assert await first_store.asearch(("claims",)) == []


async def test_a_run_that_is_stopped_between_two_nodes_gives_its_thread_free(choices: Any, tmp_path: Path) -> None:
    async with checkpointer(tmp_path) as saver, store(tmp_path) as kept:
        graph = build_graph().compile(checkpointer=saver, store=kept)
        stream: Any = graph.astream(GIVEN, config("a"), context=choices, stream_mode="updates")
        async with aclosing(stream) as updates:
            async for update in updates:
                if "coordinator" in update:
                    break
            assert await kept.asearch(("claims",))
        assert await kept.asearch(("claims",)) == []
        state = await graph.ainvoke(GIVEN, config("b"), context=choices)
    assert state["report"].markdown


async def test_a_claim_that_is_not_renewed_runs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_lock, "LEASE", 1.5)
    async with store(tmp_path) as kept:
        await Hold(kept, "thread", "gone").take()
        new = Hold(kept, "thread", "new")
        await new.take()
        assert new.working


async def test_of_many_runs_at_once_one_at_most_has_the_thread(tmp_path: Path) -> None:
    async with store(tmp_path) as first, store(tmp_path) as second:
        holds = [Hold(first if place % 2 else second, "thread", f"run-{place}") for place in range(8)]

        refused, over = [], asyncio.Event()

        async def works(hold: Hold) -> bool:
            try:
                await hold.take()
            except BadInput:
                refused.append(hold.run)
                if len(refused) == len(holds) - 1:
                    over.set()
                return False
            renewing = asyncio.create_task(thread_lock._renewed(hold))
            await over.wait()
            renewing.cancel()
            return True

        assert sum(await asyncio.gather(*map(works, holds))) == 1


async def test_threads_do_not_stand_in_each_others_way(tmp_path: Path) -> None:
    async with store(tmp_path) as kept:
        first, second = Hold(kept, "one", "a"), Hold(kept, "two", "b")
        await asyncio.gather(first.take(), second.take())
        assert first.working
        assert second.working
        await first.let_go()
        await Hold(kept, "one", "c").take()
