"""What was found stays evidence until the end: of the background search, of a first attempt, of an earlier wave."""

import json
from pathlib import Path

from tests.attacks.conftest import Command
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting

QUESTION = "Who designed the wire sounding machine, and where was William Thomson born?"
BORN = "William Thomson was born in Belfast in 1824."
MACHINE = "The wire sounding machine was designed by William Thomson in 1872."


def plan(*steps: dict[str, object]) -> str:
    """Answer as a planner with these steps."""
    whole = [{"id": str(place), "title": "t", "description": "d", **one} for place, one in enumerate(steps, 1)]
    return json.dumps({"title": "Machine", "steps": whole})


def verdicts(*, enough: bool, reasoning: str = "", **redo: str) -> str:
    """Answer as a reflector that sends steps back; keywords are `step1="feedback"`."""
    steps = [{"step_id": step.removeprefix("step"), "redo": True, "feedback": text} for step, text in redo.items()]
    return json.dumps({"has_enough_context": enough, "reasoning": reasoning, "steps": steps})


def shown_to(endpoint: OpenAIServer, role: str) -> list[str]:
    """Return what a role was shown, call by call."""
    calls = zip(endpoint.requests, endpoint.roles, strict=True)
    return [request["messages"][1]["content"] for request, asked in calls if asked == role]


def test_background_evidence_is_shown_to_the_end_and_can_be_cited(
    endpoint: OpenAIServer, docs: Path, command: Command
) -> None:
    endpoint.script["planner"] = [plan({"queries": ["machine designed"]})]
    endpoint.script["researcher"] = [quoting(MACHINE)]
    endpoint.script["reflector"] = [verdicts(enough=True)]

    def report_on_the_background(request: dict[str, object]) -> str | None:
        text = json.dumps(request, ensure_ascii=False)
        if "You write the report" not in text or BORN not in text:
            return None
        number = text.split(BORN)[0].rpartition('excerpt id=\\"')[2].partition('\\"')[0]
        return f"# Thomson\n\n{BORN.removesuffix('.')} [{number}]. {MACHINE.removesuffix('.')} [E1-1].\n"

    endpoint.choose = report_on_the_background
    done = command("research", QUESTION, "--docs", docs, "--max-plans", 1)
    assert done.code == 0, done.err
    [reflector] = shown_to(endpoint, "reflector")
    [reporter] = shown_to(endpoint, "reporter")
    assert [prompt.count(BORN) for prompt in (reflector, reporter)] == [1, 1]
    assert reflector.count(MACHINE) == 2, "once as the finding, once as the step's quote, never as background as well"
    assert reporter.count(MACHINE) == 1, "where a step has quotes, a writer is shown no finding"
    claims = {claim["text"]: claim for claim in done.evidence["claims"]}
    assert claims[BORN]["verified"]
    cited = {one["id"]: one for one in done.evidence["excerpts"]}[claims[BORN]["citations"][0]]
    sources = {one["id"]: one["url"] for one in done.evidence["sources"]}
    assert cited["id"].startswith("B0-")
    assert sources[cited["source_id"]].endswith("thomson.md")
    assert command("verify", done.folder).code == 0


def test_an_attempt_that_fails_leaves_what_the_first_one_had(
    endpoint: OpenAIServer, docs: Path, command: Command
) -> None:
    endpoint.script["planner"] = [plan({"queries": ["William Thomson born Belfast"]})]
    endpoint.script["researcher"] = [quoting(BORN, missing_aspects=["the machine"]), quoting()]
    endpoint.script["reflector"] = [
        verdicts(enough=False, reasoning="The machine is missing.", step1="Look for the machine."),
        verdicts(enough=True, reasoning="What can be had is there."),
    ]
    endpoint.script["reporter"] = [f"# Thomson\n\n{BORN.removesuffix('.')} [E1-1].\n"]
    done = command("research", QUESTION, "--docs", docs, "--max-plans", 1)
    assert done.code == 0, done.err
    [result] = done.evidence["results"]
    assert (result["status"], result["attempts"]) == ("done", 2)
    assert BORN in result["finding"]
    assert [one["quote"] for one in result["excerpts"]] == [BORN]
    assert "Attempt 2 at step 1 added nothing" in result["error"]
    assert any("Attempt 2 at step 1 added nothing" in one for one in done.evidence["limits"])
    assert [claim["verified"] for claim in done.evidence["claims"]] == [True]


def test_an_attempt_that_succeeds_adds_to_the_first_under_ids_of_its_own(
    endpoint: OpenAIServer, docs: Path, command: Command
) -> None:
    endpoint.script["planner"] = [plan({"queries": ["William Thomson born Belfast wire sounding machine"]})]
    endpoint.script["researcher"] = [quoting(BORN), quoting(MACHINE, BORN)]
    endpoint.script["reflector"] = [verdicts(enough=False, step1="The machine, too."), verdicts(enough=True)]
    done = command("research", QUESTION, "--docs", docs, "--max-plans", 1)
    [result] = done.evidence["results"]
    assert [(one["id"], one["quote"]) for one in result["excerpts"]][:2] == [("E1-1", BORN), ("E1-2", MACHINE)]
    assert command("verify", done.folder).code == 0


def test_a_step_of_an_earlier_wave_is_sent_back_and_every_verdict_has_its_reason(
    endpoint: OpenAIServer, docs: Path, command: Command
) -> None:
    endpoint.script["planner"] = [
        plan({"queries": ["William Thomson born Belfast"]}, {"queries": ["wire sounding machine"], "depends_on": ["1"]})
    ]
    endpoint.script["researcher"] = [quoting(BORN), quoting(MACHINE), quoting("He became Lord Kelvin in 1892.")]
    endpoint.script["reflector"] = [  # none after the first wave: a step is left
        verdicts(enough=False, reasoning="The title is missing.", step1="Look for the title."),
        verdicts(enough=True, reasoning="All is there now."),
    ]
    done = command("research", QUESTION, "--docs", docs, "--max-plans", 1)
    assert done.code == 0, done.err
    results = {one["step_id"]: one for one in done.evidence["results"]}
    assert (results["1"]["attempts"], results["2"]["attempts"]) == (2, 1)
    first, second, last = results["1"]["reflections"]
    assert (first["attempt"], first["redo"]) == (0, False)
    assert "it is judged when its plan has run" in first["reason"]
    assert (second["attempt"], second["redo"], second["reason"]) == (1, True, "Look for the title.")
    assert (last["attempt"], last["redo"], last["reason"]) == (2, False, "All is there now.")
    assert [one["reasoning"] for one in done.evidence["reflections"]] == ["The title is missing.", "All is there now."]
