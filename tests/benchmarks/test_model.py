"""The figures of a real model: first answersand repetitions with their reasons, counted from a run's journal."""

from typing import Any

from benchmarks.model import roles_of, total_of
from services.run.journal import Entry


def call(name: str, place: str = "1:planner", **answer: Any) -> Entry:
    """Return a call of a journal."""
    return Entry(kind="model", name=name, place=place, request="r", occurrence=0, answer={"text": "", **answer})


def question(*calls: Entry, **more: Any) -> dict[str, Any]:
    """Return the figures of a question with these calls."""
    return {
        "ended": True,
        "verifies": True,
        "seconds": 1.0,
        "abandoned": 0,
        "sentences": {},
        "facts": {"expected": 1, "in_report": 1},
        "roles": roles_of(calls),
        **more,
    }


def test_repetitions_of_one_call_spoil_one_first_answer_and_have_their_reasons() -> None:
    calls = [
        call("planner (Plan)"),
        call("planner (Plan)", asked_because="repeated"),
        call("planner (Plan)", asked_because="unusable: steps: too many"),
        call("planner (Plan)", "5:planner"),
    ]
    planner = roles_of(calls)["planner"]
    assert (planner["needed"], planner["valid_first"], planner["repeated"]) == (2, 1, 2)
    assert planner["because"] == {"repeated": 1, "unusable: steps: too many": 1}


def test_sentences_that_are_asked_for_after_a_report_without_support_repeat_the_report() -> None:
    roles = roles_of([call("reporter", "9:reporter"), call("reporter_sentences", "9:reporter")])
    assert roles.keys() == {"reporter"}
    assert (roles["reporter"]["needed"], roles["reporter"]["valid_first"], roles["reporter"]["repeated"]) == (1, 0, 1)


def test_requests_beyond_the_needed_ones_are_counted() -> None:
    total = total_of([question(call("planner (Plan)", requests=2), call("planner (Plan)", asked_because="cut_off"))])
    assert (total["needed"], total["requests_beyond"]) == (1, 2)
    assert (total["valid_first_percent"], total["repeated_percent"]) == (0.0, 50.0)
