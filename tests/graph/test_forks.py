"""Going on from a past state: what is unchanged is not asked again, and nothing of the other branch is left."""

from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graph import build_graph
from leadline.runs.persistence import serializer
from schemas.context import RunContext
from services.search.providers import allow_folders
from tests.fakes.openai_server import OpenAIServer

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"


async def test_a_fork_asks_only_for_what_was_edited(docs: Path, endpoint: OpenAIServer) -> None:
    allow_folders([docs])
    graph = build_graph().compile(checkpointer=InMemorySaver(serde=serializer()), store=InMemoryStore())
    thread: Any = {"configurable": {"thread_id": "t"}}
    context = RunContext(documents=[str(docs)], max_plan_iterations=1)
    before = await graph.ainvoke({"question": QUESTION}, thread, context=context)
    assert endpoint.roles.count("researcher") == 2
    asked = len(endpoint.roles)
    planned = [one async for one in graph.aget_state_history(thread) if one.next == ("research_team",)][-1]

    again = await graph.ainvoke(None, planned.config, context=context)
    assert len(endpoint.roles) == asked
    assert again["report"].markdown == before["report"].markdown

    plan = planned.values["plan"].model_dump(mode="json")
    plan["steps"][1] |= {
        "title": "Knighthood",
        "description": "Find out: When was William Thomson knighted",
        "queries": ["William Thomson was knighted"],
    }
    edited = await graph.aupdate_state(planned.config, {"plan": plan}, as_node="planner")
    after = await graph.ainvoke(None, edited, context=context)
    assert endpoint.roles[asked:][:3] == ["researcher", "reflector", "reporter"]
    assert after["results"]["1"].excerpts == before["results"]["1"].excerpts
    assert all("Tallow" not in one.quote for one in after["results"]["2"].excerpts)
    assert [step.title for one in after["report"].plans for step in one.steps][1] == "Knighthood"
    known = {excerpt.id: excerpt.quote for result in after["results"].values() for excerpt in result.excerpts}
    of_steps = [one for one in after["report"].excerpts if one.id.startswith("E")]
    assert {excerpt.id: excerpt.quote for excerpt in of_steps} == known
    assert any("1866" in one.quote for one in after["results"]["2"].excerpts)
