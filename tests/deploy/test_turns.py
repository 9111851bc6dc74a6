"""Runs that meet on a thread, on two workers: one at a time, as `multitask_strategy` says; and what a cancelled run leaves."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.deploy.cluster import Cluster
from tests.fakes.held_model import HeldModel
from tests.fakes.openai_server import OpenAIServer
from tests.server.conftest import GRAPH, OWNER, TWO_PARTS, said, thread_of

pytestmark = pytest.mark.timeout(1800)

FIRST, SECOND = OWNER, "Where was William Thomson born?"


@pytest.fixture
def held(model: OpenAIServer) -> Iterator[HeldModel]:
    """Hold the answer to the first call from now on back."""
    held, first = HeldModel(model), len(model.requests) + 1
    held.hold(lambda number: number == first)
    yield held
    held.release()


async def begun(client: LangGraphClient, held: HeldModel, question: str = FIRST) -> tuple[str, str]:
    """Start a run on a new thread; return when its first call is under way."""
    thread = await thread_of(client)
    run = await client.runs.create(thread, GRAPH, input=said(question))
    assert await asyncio.to_thread(held.reached.wait, 60)
    return thread, run["run_id"]


def questions(state: Any) -> list[str]:
    return [one["content"] for one in state["messages"] if one["type"] == "human"]


def claims(cluster: Cluster) -> list[tuple[object, ...]]:
    """Return the claims on threads that hold now."""
    return cluster.rows(
        "SELECT key FROM store WHERE prefix LIKE %s AND (value->>'until')::float > extract(epoch FROM now())",
        "claims.%",
    )


async def on_workers(cluster: Cluster, *runs: str) -> None:
    """Wait until each of the runs is with a worker."""
    for _ in range(300):
        claimed = cluster.rows("SELECT claimed_by FROM runs WHERE run_id = ANY(%s)", list(runs))
        if all(worker is not None for (worker,) in claimed):
            return
        await asyncio.sleep(0.2)


@pytest.mark.parametrize("strategy", [None, "enqueue"])
async def test_a_second_run_waits_for_the_first(
    cluster: Cluster, client: LangGraphClient, model: OpenAIServer, held: HeldModel, strategy: Any
) -> None:
    thread, run = await begun(client, held)
    calls = len(model.requests)
    second = await client.runs.create(thread, GRAPH, input=said(SECOND), multitask_strategy=strategy)
    await on_workers(cluster, second["run_id"])
    await asyncio.sleep(2)
    assert len(model.requests) == calls
    held.release()
    state: Any = await client.runs.join(thread, second["run_id"])
    assert questions(state) == [FIRST, SECOND]
    assert "Belfast" in state["messages"][-1]["content"]
    assert (await client.runs.get(thread, run))["status"] == "success"
    assert claims(cluster) == []


async def test_runs_of_a_thread_that_are_started_at_once_take_turns(cluster: Cluster, client: LangGraphClient) -> None:
    thread, asked = await thread_of(client), [FIRST, SECOND, "Why was tallow pressed into the lead?"]
    runs = [await client.runs.create(thread, GRAPH, input=said(question)) for question in asked]
    await asyncio.gather(*(client.runs.join(thread, run["run_id"]) for run in runs))
    state: Any = (await client.threads.get_state(thread))["values"]
    assert questions(state) == asked
    assert len(state["messages"]) == 2 * len(asked)
    assert [run["status"] for run in await client.runs.list(thread)] == ["success"] * len(asked)
    assert claims(cluster) == []


@pytest.mark.parametrize("strategy", ["reject", "rollback"])
async def test_a_second_run_that_does_not_wait_is_refused_and_the_first_is_not_disturbed(
    client: LangGraphClient, held: HeldModel, strategy: Any
) -> None:
    thread, run = await begun(client, held)
    with pytest.raises(Exception, match=f"busy with run {run}"):
        await client.runs.wait(thread, GRAPH, input=said(SECOND), multitask_strategy=strategy)
    held.release()
    state: Any = await client.runs.join(thread, run)
    assert questions(state) == [FIRST]
    assert state["report"]["citations"]


async def test_a_second_run_takes_the_place_of_the_first(
    cluster: Cluster, client: LangGraphClient, model: OpenAIServer, held: HeldModel
) -> None:
    thread, run = await begun(client, held, TWO_PARTS)
    calls = len(model.requests)
    state: Any = await client.runs.wait(thread, GRAPH, input=said(SECOND), multitask_strategy="interrupt")
    held.release()
    assert "Belfast" in state["messages"][-1]["content"]
    assert (await client.runs.get(thread, run))["status"] == "interrupted"
    assert "planner" not in model.roles[calls:]
    assert claims(cluster) == []


async def test_a_cancelled_run_asks_nothing_more_and_its_claim_is_free(
    cluster: Cluster, client: LangGraphClient, model: OpenAIServer, held: HeldModel
) -> None:
    thread, run = await begun(client, held, TWO_PARTS)
    calls = len(model.requests)
    assert [key for (key,) in claims(cluster)] == [run]
    await client.runs.cancel(thread, run, wait=True)
    assert (await client.runs.get(thread, run))["status"] == "interrupted"
    assert claims(cluster) == []
    held.release()
    state: Any = await client.runs.wait(thread, GRAPH, input=said(SECOND))
    assert "Belfast" in state["messages"][-1]["content"]
    assert "planner" not in model.roles[calls:]
