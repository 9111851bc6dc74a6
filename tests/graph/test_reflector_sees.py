"""When the reflector is asked, what it is shown, and what becomes of what it says."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.events import Event
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import read_before, written

FACT = "The ferry line of Norland carried 18,200 passengers in 2019."
QUESTION = "How many passengers did the ferry of Norland carry, by year and by day?"
FOUND = {"id": "1", "title": "Passengers", "description": "d", "queries": ["The ferry carried passengers"]}


@pytest.fixture
def ferry(tmp_path: Path) -> Path:
    return read_before(written(tmp_path / "ferry", {"The ferry": FACT}))


def plan(*steps: dict[str, Any]) -> str:
    return json.dumps({"title": "Ferry", "steps": steps})


async def test_results_in_the_middle_of_a_plan_are_judged_whole_when_it_has_run(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    waiting = {**FOUND, "id": "2", "title": "Passengers a day", "depends_on": ["1"]}
    endpoint.script["planner"] = [plan(FOUND, waiting, {**FOUND, "id": "3", "title": "Fares", "depends_on": ["2"]})]
    endpoint.script["researcher"] = [quoting(FACT, finding="One year.", missing_aspects=["the captain"])]
    endpoint.script["researcher"] += [quoting(FACT)] * 2
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    report = await aresearch(QUESTION, docs=[ferry])
    [asked] = endpoint.asked("reflector")
    assert FACT in asked
    assert "<missing>the captain</missing>" in asked
    assert "<pending>" not in asked
    assert [verdict.attempt for verdict in report.results[0].reflections] == [0, 1]


async def test_a_step_that_found_nothing_is_judged_at_once_and_the_reflector_sees_the_steps_that_have_not_run(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    waiting = {**FOUND, "id": "2", "title": "Passengers a day", "depends_on": ["1"]}
    endpoint.script["planner"] = [plan(FOUND, waiting)]
    endpoint.script["researcher"] = [quoting(finding=""), quoting(FACT)]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})] * 2
    await aresearch(QUESTION, docs=[ferry])
    first, last = endpoint.asked("reflector")
    assert "<pending>Passengers a day</pending>" in first
    assert "<pending>" not in last


async def test_a_program_that_computed_nothing_is_seen_and_redone(endpoint: OpenAIServer, ferry: Path) -> None:
    computed = {"id": "2", "title": "A day", "description": "d", "step_type": "processing", "depends_on": ["1"]}
    endpoint.script["planner"] = [plan(FOUND, computed)]
    endpoint.script["researcher"] = [quoting(FACT, missing_aspects=["the captain"])]
    programs = ["print('The days were not given.')", "print(f'{18200 / 365:.0f} a day')"]
    endpoint.script["coder"] = [json.dumps({"description": "a day", "code": code}) for code in programs]
    enough = {"has_enough_context": True}
    verdict = {"step_id": "2", "reason": "nothing was computed", "redo": True, "feedback": "divide by 365"}
    endpoint.script["reflector"] = [json.dumps(answer) for answer in (enough | {"steps": [verdict]}, enough)]
    report = await aresearch(QUESTION, docs=[ferry])
    assert report.results[1].finding.endswith("50 a day")
    assert [excerpt.id for excerpt in report.results[1].excerpts] == ["E2-2"], "an id never means two things"
    assert [role_of(body) for body in endpoint.requests].count("reflector") == 2


async def test_the_writer_is_not_told_what_an_earlier_plan_missed_and_a_later_one_looked_for(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    endpoint.script["planner"] = [plan({**FOUND, "id": key}) for key in ("1", "2")]
    endpoint.script["researcher"] = [quoting(FACT, missing_aspects=[one]) for one in ("the captain", "the harbour")]
    endpoint.script["reflector"] = [
        json.dumps({"has_enough_context": False, "missing_aspects": ["the captain"]}),
        json.dumps({"has_enough_context": True}),
    ]
    await aresearch(QUESTION, docs=[ferry])
    [written, *_] = endpoint.asked("reporter")
    assert "<missing>the harbour</missing>" in written
    assert "the captain" not in written


async def test_excerpts_that_are_out_of_date_are_named_for_a_dated_question_if_there_are_such(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    endpoint.script["planner"] = [plan(FOUND)]
    endpoint.script["researcher"] = [quoting(FACT)]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True, "outdated": ["E1-1", "E7-7"]})]
    events: list[Event] = []
    question = "Who currently runs the ferry of Norland, and how many passengers does it carry now?"
    await aresearch(question, docs=[ferry], on_event=events.append)
    [told] = [event.data["outdated"] for event in events if event.type == "reflection"]
    assert told == ["E1-1"]
