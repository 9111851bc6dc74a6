"""The outline of whole runs: planned, filled, found thin, grown, served by the next plan, and the same in a replay."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.bundle import EvidenceFile
from schemas.events import Event
from schemas.reporter import Report
from tests.fakes.openai_server import OpenAIServer

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
MACHINE = {"title": "The machine", "wanted": "designer and year", "under": ""}
TALLOW = {"title": "The tallow", "wanted": "why it was in the lead", "under": ""}
FIRST_PLAN = {
    "thought": "t",
    "has_enough_context": False,
    "title": "Sounding",
    "viewpoints": ["Sailors: did it save time?"],
    "outline": [MACHINE, TALLOW],
    "steps": [
        {
            "title": "Find the designer",
            "description": "name and year",
            "source_kind": "academic",
            "nodes": ["1"],
            "queries": ["The wire sounding machine was designed by"],
        },
        {"title": "Find the tallow", "nodes": ["2"], "queries": ["Tallow was pressed into the hollow of the lead"]},
    ],
}
SECOND_PLAN = {
    "thought": "t",
    "has_enough_context": False,
    "title": "His life",
    "steps": [{"title": "Honours", "nodes": ["1.1"], "queries": ["William Thomson was knighted in 1866, Lord Kelvin"]}],
}
GROWS = {
    "steps": [],
    "missing_aspects": ["honours of the designer"],
    "outdated": ["E1-1"],
    "thin_nodes": [{"node": "2", "query": "Tallow brought up a sample of the bottom"}, {"node": "9", "query": "stray"}],
    "new_nodes": [
        {"title": "Honours of the designer", "wanted": "titles and years", "under": "1"},
        {"title": "the MACHINE", "wanted": "again", "under": ""},
    ],
    "follow_up_queries": [],
    "reasoning": "r",
    "actionable_reason": "Half of it is there.",
    "actionable": False,
    "has_enough_context": False,
}
ENOUGH = {
    "steps": [],
    "reasoning": "r",
    "actionable_reason": "All of it.",
    "actionable": True,
    "has_enough_context": True,
}


@pytest.fixture
def endpoint(endpoint: OpenAIServer, asked_once: None) -> OpenAIServer:
    return endpoint


async def run(docs: Path, question: str = QUESTION, **choices: Any) -> tuple[dict[str, list[dict[str, Any]]], Report]:
    """Return the data of a run's events by their type, and its report."""
    seen: dict[str, list[dict[str, Any]]] = {}

    def note(event: Event) -> None:
        seen.setdefault(event.type, []).append(event.data)

    report = await aresearch(question, docs=[docs], on_event=note, **choices)
    return seen, report


def shown_to(endpoint: OpenAIServer, role: str, number: int) -> str:
    """Return the human message of a role's call of that number, from 0."""
    bodies = [body for asked, body in zip(endpoint.roles, endpoint.requests, strict=True) if asked == role]
    return str(bodies[number]["messages"][-1]["content"])


async def test_a_node_that_a_reflection_adds_is_served_by_the_next_plan_and_a_replay_is_the_same(
    endpoint: OpenAIServer, docs: Path, tmp_path: Path
) -> None:
    endpoint.script |= {
        "planner": [json.dumps(FIRST_PLAN), json.dumps(SECOND_PLAN)],
        "reflector": [json.dumps(GROWS), *[json.dumps(ENOUGH)] * 4],
    }
    seen, report = await run(docs, depth="deep", out=tmp_path / "out")
    first, second = seen["plan"]
    assert [(node["id"], node["title"]) for node in first["outline"]] == [("1", "The machine"), ("2", "The tallow")]
    assert [step["nodes"] for step in first["steps"]] == [["1"], ["2"]]
    assert first["steps"][0]["source_kind"] == "academic"
    assert [step["nodes"] for step in second["steps"]] == [["1.1"]]

    grown, ended = (data["outline"] for data in seen["reflection"])
    assert [node["id"] for node in grown] == ["1", "1.1", "2"]
    assert [node["thin"] for node in grown][1:] == [True, True]
    assert grown[2]["query"] == "Tallow brought up a sample of the bottom"
    assert grown[0]["excerpts"] and grown[2]["excerpts"]  # noqa: PT018 - one statement: both have evidence
    assert (grown[1]["excerpts"], ended[1]["excerpts"] > 0) == (0, True)
    assert seen["reflection"][0]["follow_up_queries"] == ["stray"]
    assert seen["reflection"][0]["outdated"] == []  # the question is not dated: nobody was asked

    asked = shown_to(endpoint, "planner", 1)
    assert '<node id="1.1" title="Honours of the designer" excerpts="0" sources="0" thin="yes">' in asked
    assert "<query>Tallow brought up a sample of the bottom</query>" in asked
    bundle = EvidenceFile.model_validate_json((Path(report.folder or "") / "evidence.json").read_text("utf-8"))
    assert [[node.id for node in plan.outline] for plan in bundle.plans] == [["1", "2"], ["1", "1.1", "2"]]
    assert bundle.reflections[0].actionable is False

    calls = len(endpoint.requests)
    assert (await areplay(report.run_id, out=tmp_path / "again")).markdown == report.markdown
    assert len(endpoint.requests) == calls


async def test_a_model_that_gives_no_outline_gets_one_of_its_steps(endpoint: OpenAIServer, docs: Path) -> None:
    plan = {key: value for key, value in FIRST_PLAN.items() if key not in {"outline", "viewpoints"}}
    endpoint.script |= {"planner": [json.dumps(plan)], "reflector": [json.dumps(ENOUGH)] * 3}
    seen, _ = await run(docs)
    [planned] = seen["plan"]
    assert [node["title"] for node in planned["outline"]] == ["Find the designer", "Find the tallow"]
    assert [step["nodes"] for step in planned["steps"]] == [["1"], ["2"]]
    assert all(node["excerpts"] for node in seen["reflection"][-1]["outline"])


async def test_excerpts_that_are_out_of_date_are_named_for_a_dated_question_if_there_are_such(
    endpoint: OpenAIServer, docs: Path
) -> None:
    told = {**ENOUGH, "outdated": ["E1-1", "E7-7"]}
    endpoint.script |= {"planner": [json.dumps(FIRST_PLAN)], "reflector": [json.dumps(told)] * 3}
    seen, _ = await run(
        docs, "Who currently makes the wire sounding machine, and is tallow still pressed into the lead?"
    )
    assert seen["reflection"][-1]["outdated"] == ["E1-1"]
