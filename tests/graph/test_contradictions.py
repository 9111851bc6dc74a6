"""What a reflector calls contradictory is looked at by code before it reaches a report."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.revise import arevise
from services.reports.bundle import verify_bundle
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import read_before, written

QUESTION = "How deep is the Challenger Deep, and who measured it?"


def surveys(**depths: int) -> dict[str, str]:
    """Return documents that disagree on the depth, by who measured it."""
    return {f"Survey of {who}": f"{who} measured the Challenger Deep at {depth} m." for who, depth in depths.items()}


STEPS = [{"id": one, "title": f"Depth {one}", "description": "d", "queries": ["Challenger Deep"]} for one in "12"]


def reflection(*sides: tuple[str, ...]) -> str:
    contradictions = [{"topic": "Challenger Deep", "excerpt_ids": list(pair)} for pair in sides]
    return json.dumps({"has_enough_context": True, "contradictions": contradictions})


async def test_code_confirms_what_differs_and_drops_what_is_no_disagreement(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    told = {
        "Survey of 2010": "Sonar measured the Challenger Deep at 10,994 m below sea level.",
        "Survey of 2021": "The Challenger Deep was measured at 10,935 m below sea level.",
        "Crew": "The crew of the lander baked rye bread on the way home.",
    }
    step = {"id": "1", "title": "Depth", "description": "d", "queries": ["Challenger Deep crew lander"]}
    endpoint.script["planner"] = [json.dumps({"title": "Depth", "steps": [step]})]
    endpoint.script["researcher"] = [quoting(*told.values(), finding="They differ.")]
    endpoint.script["reflector"] = [reflection(("E1-1", "E1-2"), ("E1-1", "E1-3"), ("E1-1", "E7-7"))]
    report = await aresearch(QUESTION, docs=[written(tmp_path / "depths", told)], out=tmp_path / "out")
    [conflict] = report.contradictions
    assert (conflict.excerpt_ids, conflict.differs) == (["E1-1", "E1-2"], "numbers")
    below = report.markdown.split("## Where sources disagree")[1].split("##")[0]
    assert told["Survey of 2010"] in below
    assert told["Survey of 2021"] in below
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_disagreement_that_two_steps_found_is_shown_once(endpoint: OpenAIServer, tmp_path: Path) -> None:
    told = surveys(Sonar=10994, Lander=10935)
    endpoint.script["planner"] = [json.dumps({"title": "Depth", "steps": STEPS})]
    endpoint.script["researcher"] = [quoting(*told.values())] * 2
    endpoint.script["reflector"] = [reflection(("E1-1", "E1-2"), ("E2-2", "E2-1"))]
    report = await aresearch(QUESTION, docs=[written(tmp_path / "depths", told)])
    assert len({excerpt.id for excerpt in report.excerpts}) == 4
    assert len(report.contradictions) == 1


@pytest.mark.parametrize(
    ("later", "sides"),
    [
        (json.loads(reflection(("E1-2", "E1-3"))), [["E1-2", "E1-3"]]),
        ({"has_enough_context": True, "settled": ["Challenger Deep"]}, []),
        ({"has_enough_context": True}, [["E1-1", "E1-2"]]),
    ],
)
async def test_a_later_reflection_tells_a_disagreement_with_other_excerpts_or_takes_it_back(
    endpoint: OpenAIServer, tmp_path: Path, later: dict[str, object], sides: list[list[str]]
) -> None:
    told = surveys(Sonar=10994, Lander=10935, Sub=10928)
    endpoint.script["planner"] = [json.dumps({"title": "Depth", "steps": [step]}) for step in STEPS]
    endpoint.script["researcher"] = [quoting(*told.values())] * 2
    unfinished = {**json.loads(reflection(("E1-1", "E1-2"))), "has_enough_context": False, "missing_aspects": ["subs"]}
    endpoint.script["reflector"] = [json.dumps(unfinished), json.dumps(later)]
    folder = read_before(written(tmp_path / "depths", told))
    report = await aresearch(QUESTION, docs=[folder], max_plan_iterations=2)
    assert [conflict.excerpt_ids for conflict in report.contradictions] == sides


async def test_a_quick_run_without_a_model_shows_differing_figures_and_keeps_them_through_a_change(
    tmp_path: Path,
) -> None:
    told = "Sonar measured the Challenger Deep at {} m below sea level."
    folder = written(tmp_path / "depths", {"Survey of 2010": told.format(10994), "Survey of 2021": told.format(10935)})
    report = await aresearch(QUESTION, docs=[folder], depth="quick", out=tmp_path / "out")
    assert [conflict.differs for conflict in report.contradictions] == ["numbers"]
    shorter = await arevise(report.run_id, shorter=True)
    for text in (report.markdown, shorter.markdown):
        below = text.split("## Where sources disagree")[1]
        assert "10994" in below
        assert "10935" in below
    assert verify_bundle(Path(shorter.folder or "")).problems == []
