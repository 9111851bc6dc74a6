"""50 researches on two workers, one of which is killed amid its work: none is lost, and nothing answered is asked again."""

import asyncio
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from services.run.journal import run_key
from tests.deploy.cluster import Cluster
from tests.fakes.openai_server import OpenAIServer
from tests.server.conftest import GRAPH, researched, thread_of

pytestmark = pytest.mark.timeout(1800)

RESEARCHES = 50
KILL_AT = 100
"""The number of the model call at which the worker is killed; all runs together make about 300."""
PARALLEL = 2
"""Calls that a run has under way at once: a researcher for each part of the question."""
LONGEST = 900
"""Seconds, for machines that are busy with other things."""
CONTEXT = {"max_plan_iterations": 1, "max_step_attempts": 1}


@dataclass
class Asked:
    """The model calls of each research, and how things stood when the worker was killed."""

    calls: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    before: dict[int, int] = field(default_factory=dict)
    taken_over: dict[str, int] = field(default_factory=dict)
    """Threads of the killed worker's runs, with the model calls that the journal held of each."""


def question(number: int) -> str:
    return f"Why was tallow pressed into the lead, and who owned the schooner Lalla Rookh? Case {number:03}."


def number_in(body: dict[str, Any]) -> int:
    """Tell whose call it is: every prompt holds its run's question."""
    found = set(re.findall(r"Case (\d{3})", str(body["messages"])))
    assert len(found) == 1, found
    return int(found.pop())


def journaled(cluster: Cluster, thread: str) -> int:
    """Count the model calls that are in the journal of a thread's first turn."""
    written = cluster.rows("SELECT value->>'entry' FROM store WHERE prefix = %s", f"journal.{run_key(thread, 1)}")
    return sum('"kind": "model"' in str(text) and '"answer": null' not in str(text) for (text,) in written)


def taken_over_again(cluster: Cluster, thread: str) -> int:
    """Count how often a thread's run went on to another attempt, as Aegra has it."""
    [(tries,)] = cluster.rows("SELECT execution_params->>'_retry_count' FROM runs WHERE thread_id = %s", thread)
    return int(str(tries or 0))


async def test_no_research_is_lost_when_a_worker_is_killed(
    cluster: Cluster, client: LangGraphClient, model: OpenAIServer
) -> None:
    forgotten = await forgotten_by_aegra(cluster, client)
    asked, first = Asked(), len(model.requests)

    def watch(number: int) -> None:
        if number == first + KILL_AT:
            cluster.kill("worker-1")
            asked.before = Counter(number_in(body) for body in model.requests[first:])
            claimed = cluster.rows(
                "SELECT thread_id FROM runs WHERE status = 'running' AND claimed_by LIKE %s",
                f"%-{cluster.pid('worker-1')}-worker-%",
            )
            asked.taken_over = {str(thread): journaled(cluster, str(thread)) for (thread,) in claimed}

    model.on_request = watch
    threads = [await thread_of(client) for _ in range(RESEARCHES)]
    runs = [
        await client.runs.create(thread, GRAPH, input={"question": question(number)}, context=CONTEXT)
        for number, thread in enumerate(threads)
    ]
    async with asyncio.timeout(LONGEST):
        joins = (client.runs.join(thread, run["run_id"]) for thread, run in zip(threads, runs, strict=True))
        await asyncio.gather(*joins, ended(client, *forgotten))
    for body in model.requests[first:]:
        asked.calls[number_in(body)].append(str(body["messages"]))

    assert asked.taken_over
    for number, (thread, run) in enumerate(zip(threads, runs, strict=True)):
        assert (await client.runs.get(thread, run["run_id"]))["status"] == "success"
        state: Any = await client.threads.get_state(thread)
        assert state["next"] == []
        report = state["values"]["report"]
        assert report["question"] == question(number)
        assert report["excerpts"]
        assert report["citations"]
        assert all(claim["verified"] for claim in report["citations"])
        calls = asked.calls[number]
        repeated = len(calls) - len(set(calls))
        tries = taken_over_again(cluster, thread)
        if thread in asked.taken_over and tries == 1:
            assert repeated <= asked.before[number] - asked.taken_over[thread]
        else:  # a worker that lives loses a lease where the machine has no time for it; its calls under way go with it
            assert repeated <= PARALLEL * tries
        assert state["values"]["usage"]["total"]["calls"] == len(set(calls)) == journaled(cluster, thread)


async def forgotten_by_aegra(cluster: Cluster, client: LangGraphClient) -> tuple[str, str]:
    """Bring a run to its end, and its row into the state in which Aegra would leave it for ever."""
    thread, _ = await researched(client)
    [(run,)] = cluster.rows(
        "UPDATE runs SET status = 'running', claimed_by = NULL, lease_expires_at = NULL, output = NULL "
        "WHERE thread_id = %s RETURNING run_id",
        thread,
    )
    return thread, str(run)


async def ended(client: LangGraphClient, thread: str, run: str) -> None:
    """Wait for the end of a forgotten run: nothing of it is asked again, as its call would be nobody's."""
    while (await client.runs.get(thread, run))["status"] != "success":  # noqa: ASYNC110 - another process ends it
        await asyncio.sleep(1)
    output: Any = await client.runs.join(thread, run)
    assert output["report"]["citations"]
