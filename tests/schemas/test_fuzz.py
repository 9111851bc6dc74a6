"""Whatever a model gives for a schema: it becomes something sound, or a typed error, and never any other exception."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from nodes.human_feedback import read_review
from schemas.chart import Chart
from schemas.coder import Code
from schemas.coordinator import Triage
from schemas.evidence_view import EvidenceView, FindingView
from schemas.human_feedback import PlanReview
from schemas.outline import OutlineNode
from schemas.planner import Plan
from schemas.reflector import Reflection
from schemas.reporter_joining import Joining
from schemas.researcher import Findings
from services.models.structured_output import explain, is_json, parse
from services.reports.labels import labels_for
from services.reports.merge_sections import merge_sections, number_paragraphs
from services.reports.rendering import to_draft
from services.reports.section_evidence import sections_of
from services.tools.structured_calls import StructuredAnswer, calls_of, read_structured

FILLED: list[type[BaseModel]] = [
    Triage,
    Plan,
    Findings,
    Code,
    Reflection,
    Joining,
    StructuredAnswer,
    Chart,
    PlanReview,
]
"""Every schema that a model or a person fills."""
ODD = st.sampled_from(
    ["", " ", "\x00", "\ud800", "a\udfff\x1b[2J", "null", "True", "HIGH", "In_Scope", "RESEARCH", "1e999", "-1", "½", "\u202e"]
)  # fmt: skip
TEXT = st.one_of(ODD, st.text(max_size=30), st.text(min_size=1, max_size=2).map(lambda one: one * 5_000))
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT)
ANYTHING = st.recursive(
    PLAIN, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)), max_leaves=8
)
SLOW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def near(node: dict[str, Any], defs: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Give values that a schema nearly describes: mostly of its form, sometimes of any other."""
    if "$ref" in node:
        node = defs[node["$ref"].rpartition("/")[2]]
    if "anyOf" in node:
        return st.one_of(ANYTHING, *(near(one, defs) for one in node["anyOf"]))
    if "enum" in node:
        words = st.sampled_from(node["enum"])
        return st.one_of(words, words.map(str.upper), words.map(lambda word: f" {word}\n"), PLAIN)
    kind = node.get("type")
    if kind == "object":
        fields = {name: near(one, defs) for name, one in node.get("properties", {}).items()}
        return st.one_of(st.fixed_dictionaries({}, optional=fields), st.fixed_dictionaries(fields), PLAIN)
    if kind == "array":
        items = near(node.get("items", {}), defs)
        return st.one_of(st.lists(items, max_size=3), items, PLAIN)
    usual: dict[str, st.SearchStrategy[Any]] = {
        "string": TEXT,
        "number": st.one_of(st.floats(0, 1), st.floats(0, 1).map(str)),
        "integer": st.one_of(st.integers(0, 5), st.integers(0, 5).map(str)),
        "boolean": st.one_of(st.booleans(), st.sampled_from(["true", "False", "yes"])),
    }
    return st.one_of(usual.get(str(kind), ANYTHING), PLAIN)


def given_to(schema: type[BaseModel]) -> st.SearchStrategy[Any]:
    whole = schema.model_json_schema()
    return st.one_of(near(whole, whole.get("$defs", {})), ANYTHING)


def says_why(error: ValueError) -> None:
    """Check that a refusal can be told to a model."""
    assert explain(error)


def is_sound(answer: BaseModel) -> None:
    """Check that an answer can be kept, shown and read again."""
    kept = answer.model_dump_json()
    kept.encode("utf-8")
    assert type(answer).model_validate_json(kept) == answer
    assert "\\u0000" not in kept
    assert "\\u001b" not in kept


@pytest.mark.parametrize("schema", FILLED)
@SLOW
@given(data=st.data())
def test_any_json_is_accepted_as_something_sound_or_refused(schema: type[BaseModel], data: st.DataObject) -> None:
    value = data.draw(given_to(schema))
    try:
        schema.model_validate(value)
    except ValidationError as error:
        says_why(error)
    try:
        answer = schema.model_validate(parse(json.dumps(value), schema))
    except ValueError as error:
        says_why(error)
        return
    is_sound(answer)


WHOLE = json.dumps(
    {
        "has_enough_context": True,
        "confidence": 0.9,
        "covered_aspects": ["the “wire”", 'it\'s "here"'],
        "missing_aspects": [],
        "contradictions": [{"topic": "depth", "excerpt_ids": ["E1-1", "E1-2"]}],
        "reasoning": "线 {of} [piano]",
        "follow_up_queries": [],
        "steps": [{"step_id": "1", "redo": True, "feedback": "look"}],
    },
    ensure_ascii=False,
)


@given(st.integers(0, len(WHOLE)), st.integers(0, 6), st.one_of(st.just(""), st.text(max_size=3)))
def test_damaged_json_is_read_or_refused(place: int, length: int, instead: str) -> None:
    damaged = WHOLE[:place] + instead + WHOLE[place + length :]
    is_json(damaged)
    try:
        is_sound(Reflection.model_validate(parse(damaged, Reflection)))
    except ValueError as error:
        says_why(error)


def test_json_that_breaks_off_is_never_taken_for_whole() -> None:
    for length in range(1, len(WHOLE) - 2, 3):
        with pytest.raises(ValueError, match=r"breaks off|not a JSON"):
            parse(WHOLE[:length], Reflection)


@SLOW
@given(st.one_of(st.text(max_size=60), ANYTHING.map(json.dumps), given_to(StructuredAnswer).map(json.dumps)))
def test_any_action_is_read_or_refused(text: str) -> None:
    for form in (text, f"I will look.\n```json\n{text}\n```"):
        try:
            _, answer = read_structured(form)
        except ValueError as error:
            says_why(error)
            continue
        for call in calls_of(answer, 1):
            is_sound(call)


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 50_000, "9" * 50_000, '{"confidence": ' + "9" * 50_000 + "}"])
def test_what_is_nested_too_deeply_or_too_long_is_refused(text: str) -> None:
    is_json(text)
    with pytest.raises(ValueError, match=r"."):
        Reflection.model_validate(parse(text, Reflection))
    with pytest.raises(ValueError, match=r"."):
        read_structured(text)


@SLOW
@given(ANYTHING)
def test_any_answer_to_a_review_is_read_or_refused(answer: Any) -> None:
    try:
        read_review(answer)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - both outcomes are right


EVIDENCE = [EvidenceView(id=f"E1-{place}", title="s", quote=f"q {place}") for place in (1, 2)]
FOUND = [FindingView(step_id="1", title="t", status="done", finding="f", evidence=EVIDENCE)]
TWICE = [EvidenceView(id=f"E1-{place}", title="s", quote="q") for place in (1, 2)]
FOUND_TWICE = [FindingView(step_id="1", title="t", status="done", finding="f", evidence=TWICE)]
SECTIONS = number_paragraphs([("One", "The wire (piano) is [E1-1] long.\n\nIt is long."), ("Two", "> wire [E1-2]")], {})


NODES = st.builds(
    OutlineNode,
    id=st.sampled_from(["1", "2", "2.1", "3"]),
    title=st.sampled_from(["One", "Two", ""]),
    parent=st.sampled_from(["", "1", "2", "2.1", "3", "9"]),
    excerpt_ids=st.lists(st.sampled_from(["E1-1", "E1-2", "E7-7"]), max_size=4),
)


@SLOW
@given(nodes=st.lists(NODES, max_size=6))
def test_whatever_the_outline_each_excerpt_stands_in_exactly_one_section(nodes: list[OutlineNode]) -> None:
    sections = sections_of(nodes, FOUND)
    assert sorted(one for section in sections for one in section.all_ids) == ["E1-1", "E1-2"]


@SLOW
@given(nodes=st.lists(NODES, max_size=6))
def test_whatever_the_outline_a_quote_found_twice_stands_in_one_section(nodes: list[OutlineNode]) -> None:
    listed = {key for node in nodes for key in node.excerpt_ids if key != "E7-7"}
    placed = [one for section in sections_of(nodes, FOUND_TWICE) for one in section.all_ids]
    assert len([one for one in placed if one in listed]) == bool(listed)
    assert set(placed) - listed == {"E1-1", "E1-2"} - listed


@SLOW
@given(data=st.data())
def test_any_joining_keeps_every_section_and_citation(data: st.DataObject) -> None:
    try:
        joining = Joining.model_validate(parse(json.dumps(data.draw(given_to(Joining))), Joining))
    except ValueError as error:
        says_why(error)
        return
    text = to_draft(merge_sections(SECTIONS, joining, labels_for("en-US"), {}))
    for kept in ("## One", "## Two", "[E1-1]", "> wire [E1-2]"):
        assert kept in text
