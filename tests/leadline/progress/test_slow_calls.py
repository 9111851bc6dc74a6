"""Model calls that take their time: how they stand, with seconds, in the terminal, in a log's lines and in a notebook."""

import re

from leadline.progress.notebook import Progress
from schemas.events import Event
from tests.leadline.progress.test_lines import EVENTS, drawn, printed, seen, told


def stands(state: str, seconds: float, role: str = "planner", step: str = "", node: str = "", **more: object) -> Event:
    said = f"{role} {state} {seconds}"
    return told("call_progress", said, node=node or role, role=role, state=state, seconds=seconds, step=step, **more)


def test_a_slow_call_without_a_step_stands_beside_what_the_run_is_at() -> None:
    lines = drawn(seen([EVENTS[0], stands("thinking", 12)]), 100)
    assert lines[0].endswith("the model is thinking, 12 s")


def test_steps_side_by_side_show_each_how_its_call_stands() -> None:
    both = [told("step_started", "again", step="1", attempt=2)]
    both += [stands("waiting", 7, "researcher", "1"), stands("writing", 31, "researcher", "2")]
    text = "\n".join(drawn(seen([*EVENTS[:5], *both]), 120))
    assert re.search(r"1 The designer of the wire sounding machine  attempt 2, waiting for the model, 7 s", text)
    assert re.search(r"2 His birthplace  the model is answering, 31 s, sources 1, last: Tallow", text)


def test_seconds_count_down_to_when_a_call_is_made_again() -> None:
    watched = seen([stands("again", 20, attempt=2, reason="HTTP 429")])
    [call] = watched.under_way.values()
    call.reported_at -= 7
    assert call.state("en") == "asking the model again in 12 s: HTTP 429"
    call.reported_at -= 30
    assert call.state("en") == "asking the model again: HTTP 429"


def test_why_a_call_was_made_again_is_shown_until_it_ends() -> None:
    again = [stands("again", 0, attempt=2, reason="HTTP 429"), stands("waiting", 5, attempt=2)]
    assert drawn(seen([*EVENTS[:1], again[0]]), 100)[0].endswith("asking the model again: HTTP 429")
    assert drawn(seen([*EVENTS[:1], *again]), 100)[0].endswith("waiting for the model, 5 s (asked again: HTTP 429)")
    assert "HTTP 429" not in drawn(seen([*EVENTS[:1], *again, told("call", role="planner", calls=1)]), 100)[0]


def test_what_ends_ends_its_calls() -> None:
    steps = [*EVENTS[:4], stands("waiting", 7, "researcher", "1"), stands("waiting", 7, "researcher", "2")]
    watched = seen([*steps, told("step_finished", "failed", step="1", status="failed", error="no answer")])
    assert list(watched.under_way) == [("researcher", "2")]
    assert not seen([stands("waiting", 9), told("plan", "By rules", node="planner", **EVENTS[1].data)]).under_way
    assert seen([stands("waiting", 9), told("source", step="1", url="a", title="b")]).under_way
    watched.end()
    assert not watched.under_way


def test_a_log_has_a_line_for_each_state_and_repeats_it_every_quarter_of_a_minute() -> None:
    events = [stands("waiting", seconds) for seconds in (5, 10, 15, 20, 25, 30, 35)]
    events += [stands("thinking", 40), stands("thinking", 45)]
    assert printed(*events) == [
        ". planner waiting 5",
        ". planner waiting 20",
        ". planner waiting 35",
        ". planner thinking 40",
    ]


def test_a_log_has_a_line_for_each_call_that_begins_or_is_made_again() -> None:
    again = [stands("again", 0, attempt=attempt, reason="HTTP 500") for attempt in (2, 3)]
    ended = told("call", role="planner", step="", calls=1)
    assert printed(stands("waiting", 5), *again, stands("waiting", 5, attempt=3), ended, stands("waiting", 5)) == [
        ". planner waiting 5",
        "! planner again 0",
        "! planner again 0",
        ". planner waiting 5",
        ". planner waiting 5",
    ]


def test_a_notebook_shows_slow_calls_too() -> None:
    shown = Progress()
    for event in [*EVENTS[:5], stands("writing", 31, "researcher", "2"), stands("thinking", 9, "reporter")]:
        shown(event)
    assert "2 His birthplace (the model is answering, 31 s, sources 1" in str(shown)
    assert "Writing the report: the model is thinking, 9 s" in shown._repr_html_()
