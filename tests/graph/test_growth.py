"""What a run writes grows with its steps, and not with their square."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.store import open_home
from schemas.context import RunContext
from services.run.settings import settings
from services.search.providers import allow_folders
from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.long

QUESTION = "What do the papers say about the sounding machine, its wire, its designer and the tallow?"
A_PLAN = 4


def plan(number: int) -> str:
    """Return a plan whose steps wait for each other, which makes the most checkpoints."""
    topics = ["sounding machine", "piano wire", "William Thomson", "tallow"]
    steps = [
        {
            "id": str(at),
            "title": f"Plan {number}: {topic}",
            "description": f"Find what the papers say about {topic}.",
            "step_type": "research",
            "queries": [f"The {topic} was used for soundings"],
            "depends_on": [str(at - 1)] if at > 1 else [],
        }
        for at, topic in enumerate(topics, 1)
    ]
    return json.dumps({"title": "Soundings", "thought": "", "steps": steps})


def script(endpoint: OpenAIServer, plans: int) -> None:
    """Let the endpoint plan so many times; the limit of plans ends the run."""
    triage = {"intent": "in_scope", "complexity": "complex", "locale": "en-US", "question": QUESTION}
    verdict = json.dumps({"has_enough_context": False, "missing_aspects": ["more"]})
    endpoint.script = {
        "coordinator": [json.dumps(triage)],
        "planner": [plan(at) for at in range(plans)],
        "reflector": [verdict for _ in range(plans * A_PLAN)],
    }


async def written_by(endpoint: OpenAIServer, docs: Path, plans: int) -> int:
    """Research in so many plans, and return the bytes that the run wrote as checkpoints."""
    script(endpoint, plans)
    run_id = f"run-{plans}"
    report = await aresearch(QUESTION, docs=[docs], run_id=run_id, max_step_num=A_PLAN, max_plan_iterations=plans)
    assert len(report.results) == plans * A_PLAN
    with sqlite3.connect(settings().leadline_home / "checkpoints.sqlite") as db:
        [[checkpoints]] = db.execute(
            "SELECT sum(length(checkpoint) + length(metadata)) FROM checkpoints WHERE thread_id = ?", [run_id]
        )
        [[writes]] = db.execute("SELECT sum(length(value)) FROM writes WHERE thread_id = ?", [run_id])
    db.close()
    return int(checkpoints + writes)


async def test_twice_the_steps_write_twice_the_bytes(endpoint: OpenAIServer, docs: Path) -> None:
    small, double, fourfold = [await written_by(endpoint, docs, plans) for plans in (1, 2, 4)]
    ratio = (fourfold - double) / (double - small)
    assert 1.5 < ratio < 2.5, "a straight line has 2, a square 4"


async def test_a_checkpoint_in_the_middle_is_read_as_it_was_and_a_fork_of_it_comes_to_the_same_report(
    endpoint: OpenAIServer, docs: Path
) -> None:
    script(endpoint, 2)
    allow_folders([docs])
    context = RunContext(documents=[str(docs)], max_plan_iterations=2, max_step_num=A_PLAN)
    config: Any = {"configurable": {"thread_id": "growing"}}
    async with open_home(settings().leadline_home) as home:
        seen: list[dict[str, Any]] = [
            values
            async for values in home.graph.astream(
                {"question": QUESTION}, config, context=context, stream_mode="values", durability="sync"
            )
        ]
        history = [one async for one in home.graph.aget_state_history(config)]
        stored = [one.values for one in reversed(history)]
        for values in seen:
            assert values in stored
        middle = next(one for one in history if len(one.values["results"]) == 5 and one.next == ("reflector",))
        asked = len(endpoint.requests)
        script(endpoint, 2)
        endpoint.script["planner"] = []
        forked = await home.graph.ainvoke(None, middle.config, context=context)
        assert len(endpoint.requests) == asked  # on another branch of the thread the same was asked already
        assert sorted(forked["results"], key=int) == [str(at) for at in range(1, 2 * A_PLAN + 1)]
        assert forked["sources"].keys() == seen[-1]["sources"].keys()
        assert len(forked["messages"]) == len(seen[-1]["messages"])
        assert (await home.graph.aget_state(config)).values == forked
