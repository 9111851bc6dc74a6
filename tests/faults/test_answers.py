"""The fault matrix, the answers: of every role in turn, garbled, mistaken, truncated or empty, in passing and for good."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.http import Reply
from tests.fakes.openai_server import error
from tests.faults.conftest import CHINESE, COMPUTED, QUESTION, Lab
from tests.faults.faults import at_rate, empty, garbled, mistaken, of_role, truncated

Answer = Callable[[str, dict[str, Any]], str]
LOST = {
    "coordinator": "so rules read it as written",
    "planner": "so rules made plan 1",
    "researcher": "rules chose its quotes",
    "coder": "gave no usable answer",
    "reflector": "so rules decided whether enough is known",
    "reporter": "gave no text for this report",
    "reporter_section": "The model could not write the section",
    "reporter_joining": "The sections were not edited together",
}
"""What the report must admit when a role never gives an answer that can be used."""
KINDS: list[Answer] = [garbled, mistaken, truncated, empty]
WRITERS = {"reporter", "reporter_section"}
"""Roles whose answers are texts: they can only be empty."""
CELLS = [
    (role, kind)
    for place, role in enumerate(LOST)
    for kind in ([empty] if role in WRITERS else KINDS if role == "planner" else [KINDS[place % 4]])
]
"""Each role that answers in a form gives one kind in turn, the planner all of them."""


def setting(role: str) -> tuple[str, list[object]]:
    """Return a question, and options, with which a role is asked."""
    return COMPUTED if role == "coder" else QUESTION, ["--length", "full"] if "_" in role else []


@pytest.mark.parametrize(("role", "kind"), CELLS)
def test_answers_that_can_never_be_used(lab: Lab, role: str, kind: Answer) -> None:
    question, options = setting(role)
    tried = lab.run(of_role(role, kind), *options, question=question)
    assert tried.code == 0
    assert tried.names(LOST[role])


@pytest.mark.parametrize("role", ["coordinator", "planner", "researcher", "coder", "reflector", "reporter"])
def test_an_answer_that_is_useless_twice(lab: Lab, role: str) -> None:
    question, _ = setting(role)
    whole = lab.whole(question)
    tried = lab.run(of_role(role, empty if role in WRITERS else truncated, times=2), question=question)
    assert tried.requests == whole.requests + 2
    assert tried.text == whole.text


@pytest.mark.parametrize(
    "refused", [{"response_format"}, {"response_format", "tools"}], ids=["as a call", "in the text"]
)
def test_a_plan_that_breaks_off_in_every_form_that_it_is_asked_for(lab: Lab, refused: set[str]) -> None:
    useless = of_role("planner", truncated)

    def fault(number: int, role: str, body: dict[str, Any]) -> Reply | str | None:
        known = sorted(refused & body.keys())
        return (
            error(400, f"{known[0]} is not supported", "unsupported", known[0])
            if known
            else useless(number, role, body)
        )

    tried = lab.run(fault)
    assert tried.code == 0
    assert tried.names(LOST["planner"])


def test_a_model_of_no_use_at_all(lab: Lab) -> None:
    tried = lab.run(lambda number, role, body: garbled(role, body))
    assert tried.names(LOST["coordinator"])
    assert tried.names(LOST["planner"])
    assert tried.names(LOST["researcher"])


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("coordinator", "由规则"),
        ("planner", "第 1 份计划由规则制定"),
        ("researcher", "引文由规则选取"),
        ("reflector", "规则"),
    ],
)
def test_a_chinese_report_admits_it_in_chinese(lab: Lab, role: str, words: str) -> None:
    tried = lab.run(of_role(role, truncated), question=CHINESE)
    assert tried.code == 0
    assert tried.names(words)


def test_tokens_hold_while_answers_and_the_wire_fail(lab: Lab) -> None:
    wire = at_rate(30, 429, 500, seed=3)
    useless = of_role("researcher", truncated)
    tried = lab.run(
        lambda number, role, body: wire(number, role, body) or useless(number, role, body), "--max-tokens", 6_000
    )
    assert sum(read + wrote for read, wrote in lab.endpoint.counted) <= 6_600
    assert tried.names("max_tokens")
