"""The fault matrix, the wire: errors at a rate, resets, streams that end too soon, stalls. The report comes out the same."""

import threading
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest

from services.run.ui_text import say
from tests.fakes.answer_forms import FORMS
from tests.fakes.http import Reply
from tests.fakes.openai_server import completion, think
from tests.faults.conftest import CHINESE, QUESTION, Lab, grow_impatient
from tests.faults.faults import at_rate, ended, of_role, reset, seed_for, silent, sound, stuck


@pytest.mark.parametrize(
    ("percent", "statuses", "question"),
    [(5, (429,), QUESTION), (30, (429, 500, 503), QUESTION), (30, (429, 500), CHINESE)],
)
def test_errors_at_a_rate(lab: Lab, percent: int, statuses: tuple[int, ...], question: str) -> None:
    whole = lab.whole(question)
    tried = lab.run(at_rate(percent, *statuses, seed=seed_for(percent, whole.requests)), question=question)
    assert tried.requests > whole.requests
    assert tried.text == whole.text
    assert tried.report.usage.total.calls == whole.requests


@pytest.mark.parametrize(("role", "how"), [("planner", ended), ("researcher", reset), ("reporter", reset)])
def test_an_answer_that_breaks_off(lab: Lab, role: str, how: Callable[[str, dict[str, Any]], Reply]) -> None:
    whole = lab.whole()
    tried = lab.run(of_role(role, how, times=2))
    assert tried.requests == whole.requests + 2
    assert tried.text == whole.text


@pytest.mark.parametrize(("role", "when"), [("planner", "amid"), ("researcher", "before"), ("reporter", "amid")])
def test_a_stall_of_a_minute(lab: Lab, role: str, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lab.whole()
    grow_impatient(monkeypatch, 1)
    over = threading.Event()
    tried = lab.run(of_role(role, silent if when == "before" else stuck(over), times=1))
    over.set()
    assert tried.requests > whole.requests
    assert tried.text == whole.text


def test_a_long_answer_that_keeps_coming_is_not_cut_off(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lab.whole()
    grow_impatient(monkeypatch, 6)

    def slow(role: str, body: dict[str, Any]) -> Reply:
        written = completion(body, think(role, body))
        words = len(written.events or [])
        return Reply(events=written.events, pace=7.0 / words)

    tried = lab.run(of_role("reporter", slow))
    assert tried.requests == whole.requests
    assert tried.text == whole.text


def test_an_endpoint_that_fails_for_good_fails_the_run_which_then_goes_on_where_it_was(lab: Lab) -> None:
    whole = lab.whole()
    for number in range(1, whole.requests + 1):
        before = len(lab.endpoint.requests)
        lab.endpoint.fault = lambda count, role, body, last=before + number: (
            Reply(500, {"error": {"message": "gone"}}) if count >= last else None
        )
        ran = lab.leadline("research", QUESTION, "--docs", lab.docs)
        if ran.code == 0:  # the report was written, and only its check had failed
            assert number == whole.requests
            assert say("verified_by_code", "en") in ran.out
            continue
        assert ran.code == 1
        assert not ran.out
        assert "a run goes on with: leadline resume" in ran.err
        lab.endpoint.fault = None
        answered = len(lab.endpoint.counted)
        again = lab.leadline("resume", "--json")
        assert again.code == 0
        assert len(lab.endpoint.counted) - answered <= whole.requests - number + 2


def test_a_whole_research_with_answers_in_other_forms(lab: Lab) -> None:
    forms = cycle(["channels", "thought and answer", "an unknown block", "another message", "a fence"])
    whole = lab.whole()
    tried = lab.run(lambda number, role, body: FORMS[next(forms)](sound(role, body)))
    assert tried.requests == whole.requests
    assert tried.text == whole.text


@pytest.mark.parametrize(
    "reply",
    [Reply(524, raw=b"<title>A timeout occurred</title>"), Reply(200, {"error": {"message": "busy", "code": 502}})],
    ids=["524", "200 with an error"],
)
def test_errors_in_other_forms_pass(lab: Lab, reply: Reply) -> None:
    whole = lab.whole()
    tried = lab.run(lambda number, role, body: reply if number % 3 == 0 else None)
    assert tried.requests > whole.requests
    assert tried.text == whole.text
