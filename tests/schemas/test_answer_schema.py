"""What models are asked for: bounded, with the fields that a case needs, in the order in which the prompt names them."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from prompts import template_source
from schemas.answer_schema import LONGEST, Reason, reduced_schema
from schemas.coder import Code, CoderPrompt, TableView, code_schema
from schemas.coordinator import CoordinatorPrompt, Triage, Turn, triage_schema
from schemas.evidence import Contradiction
from schemas.evidence_view import EvidenceView, FindingView
from schemas.mcp import ToolView
from schemas.outline import NodeView
from schemas.plan_draft import plan_schema
from schemas.planner import PlannerPrompt
from schemas.profile import Profile
from schemas.reflector import Reflection, ReflectorPrompt, reflection_schema
from schemas.reporter_editing import Editing, Revising
from schemas.reporter_joining import Joining
from schemas.reporter_sentences import PassageSentences
from schemas.reporter_slides import Slides
from schemas.researcher import Findings, ResearcherPrompt, findings_schema
from schemas.verifier import MAX_STATEMENTS, verification_schema
from services.models.structured_output import parse, response_format, shape_of
from tests.conftest import PROJECT

FIRST_TURN = CoordinatorPrompt(question="How deep?", conversation=[], profile=None, locale="auto")
FOLLOW_UP = FIRST_TURN.model_copy(
    update={
        "conversation": [Turn(role="user", text="What is a lead line?")],
        "known": [EvidenceView(id="T0-1", title="s", quote="q")],
        "answers": True,
        "profile": Profile(name="Depths"),
    }
)
PLANNING = PlannerPrompt(
    question="How deep?",
    locale="en-US",
    today="2026-01-01",
    max_step_num=3,
    background=[],
    feedback=[],
    findings=[],
    gaps=[],
    tables=[],
    tools=[ToolView(name="pump", description="d")],
    previous_plan="",
    max_nodes=12,
    wide=True,
)
REFLECTING = ReflectorPrompt(
    question="How deep is it now?",
    locale="en-US",
    today="2026-01-01",
    findings=[],
    plan_iterations=1,
    max_plan_iterations=5,
    max_step_attempts=2,
    contradictions=[Contradiction(topic="t", excerpt_ids=["E1-1"])],
    outline=[NodeView(id="1", title="n")],
    wide=True,
    dated=True,
)
CODING = CoderPrompt(
    question="How deep?",
    locale="en-US",
    title="t",
    description="d",
    feedback="",
    findings=[],
    tables=[TableView(file="a-texts.jsonl", title="a", rows=1, columns=[])],
    attempts=[],
    looks_left=1,
)
RESEARCHING = ResearcherPrompt(
    question="How deep?",
    locale="en-US",
    title="t",
    description="d",
    queries=[],
    feedback="",
    findings=[],
    passages=[],
    rounds_left=1,
)
ASKED: dict[str, tuple[type[BaseModel], str]] = {
    "triage_schema": (triage_schema(FOLLOW_UP), "coordinator"),
    "plan_schema": (plan_schema(PLANNING), "planner"),
    "findings_schema": (findings_schema(RESEARCHING), "researcher"),
    "code_schema": (code_schema(CODING), "coder"),
    "reflection_schema": (reflection_schema(REFLECTING), "reflector"),
    "Joining": (Joining, "reporter_joining"),
    "Editing": (Editing, "reporter_editing"),
    "Revising": (Revising, "reporter_editing"),
    "PassageSentences": (PassageSentences, "reporter_sentences"),
    "Slides": (Slides, "reporter_slides"),
    "verification_schema": (verification_schema(MAX_STATEMENTS), "verifier"),
}
"""By the name under which a call of `ask` gives it: the schema, and the template that asks for it."""


def asked_in(folder: str) -> Iterator[str]:
    """Give the names of the schemas that code below a folder asks for."""
    for path in (PROJECT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ask":
                for schema in node.args[2:3]:
                    yield ast.unparse(schema.func if isinstance(schema, ast.Call) else schema)


def test_every_schema_that_is_asked_for_is_tested_here() -> None:
    assert {*asked_in("nodes"), *asked_in("services")} == {*ASKED}


def unbounded(node: Any, place: str) -> Iterator[str]:
    """Give the places where a JSON schema has a string or a list without a bound."""
    if isinstance(node, list):
        for item in node:
            yield from unbounded(item, place)
    elif isinstance(node, dict):
        bound = {"string": "maxLength", "array": "maxItems"}.get(str(node.get("type")))
        if bound and "enum" not in node and not 0 < node.get(bound, 0) <= LONGEST:
            yield place
        for name, part in {**node.get("properties", {}), **node.get("$defs", {})}.items():
            yield from unbounded(part, f"{place}.{name}")
        for key in ("items", "anyOf", "oneOf", "allOf"):
            yield from unbounded(node.get(key), f"{place}.{key}")


@pytest.mark.parametrize("schema", [schema for schema, _ in ASKED.values()])
def test_every_string_and_list_that_is_asked_for_is_bounded(schema: type[BaseModel]) -> None:
    assert list(unbounded(response_format(schema)["json_schema"]["schema"], schema.__name__)) == []


@pytest.mark.parametrize(("schema", "template"), ASKED.values())
def test_a_prompt_names_the_fields_in_the_order_of_the_schema(schema: type[BaseModel], template: str) -> None:
    source = template_source(template)
    places = {name: source.find(f"`{name}`:") for name in shape_of(schema)["properties"]}
    named = {name: place for name, place in places.items() if place >= 0}
    assert sorted(named, key=lambda name: named[name]) == list(named)


def test_a_verifier_is_asked_for_no_more_verdicts_than_there_are_statements() -> None:
    shape = response_format(verification_schema(3))["json_schema"]
    assert (shape["name"], shape["schema"]["properties"]["verdicts"]["maxItems"]) == ("Verification", 3)


@pytest.mark.parametrize(("findings", "verdicts"), [(0, 1), (2, 2), (60, 40)])
def test_a_reflector_is_asked_for_no_more_verdicts_than_there_are_findings(findings: int, verdicts: int) -> None:
    found = [FindingView(step_id=f"{n}", title="t", status="done", finding="f", evidence=[]) for n in range(findings)]
    shape = shape_of(reflection_schema(REFLECTING.model_copy(update={"findings": found})))
    assert shape["properties"]["steps"]["maxItems"] == verdicts


def test_an_editor_can_name_nothing_but_blocks() -> None:
    edit = shape_of(Editing)["$defs"]["Edit"]["properties"]
    assert [bool(re.match(edit[name]["pattern"], "B12")) for name in ("block", "until", "moved")] == [True] * 3
    assert [bool(re.match(edit[name]["pattern"], "")) for name in ("block", "until", "moved")] == [False, True, True]
    assert not any(re.match(edit[name]["pattern"], "objection") for name in ("block", "until", "moved"))


def test_a_first_turn_is_asked_for_nothing_of_earlier_turns() -> None:
    first, later = (list(shape_of(triage_schema(prompt))["properties"]) for prompt in (FIRST_TURN, FOLLOW_UP))
    assert first == ["reason", "intent", "wishes", "question", "locale", "complexity", "reply"]
    assert {*later} - {*first} == {"category", "rewriting", "answered", "uses", "missing", "answer"}


def test_tools_and_nodes_of_steps_are_asked_for_only_where_there_are_some() -> None:
    with_tools, plain = (
        shape_of(plan_schema(PLANNING.model_copy(update=update)))
        for update in ({"max_nodes": 0}, {"max_nodes": 0, "tools": []})
    )
    steps = [set(shape["$defs"]["StepDraft"]["properties"]) for shape in (with_tools, plain)]
    assert steps[0] - steps[1] == {"tools", "need_web_search"}
    assert not {"id", "nodes"} & steps[1]
    replan = plan_schema(PLANNING.model_copy(update={"max_nodes": 0, "outline": [NodeView(id="1", title="n")]}))
    assert "nodes" in shape_of(replan)["$defs"]["StepDraft"]["properties"]


WIDE = {"wide": False, "dated": False}


@pytest.mark.parametrize(
    ("schema", "prompt", "case", "other", "only"),
    [
        (plan_schema, PLANNING, {}, {"wide": False}, {"viewpoints"}),
        (plan_schema, PLANNING, {"wide": False}, {"max_nodes": 0}, {"outline"}),
        (reflection_schema, REFLECTING, {}, {"dated": False}, {"outdated"}),
        (reflection_schema, REFLECTING, {"dated": False}, WIDE, {"new_nodes"}),
        (reflection_schema, REFLECTING, WIDE, {"outline": [], **WIDE}, {"thin_nodes"}),
        (findings_schema, RESEARCHING, {}, {"rounds_left": 0}, {"queries", "read_on"}),
    ],
)
def test_only_what_a_case_needs_is_asked_for(
    schema: Callable[[Any], type[BaseModel]],
    prompt: BaseModel,
    case: dict[str, Any],
    other: dict[str, Any],
    only: set[str],
) -> None:
    asked, less = (set(shape_of(schema(prompt.model_copy(update=update)))["properties"]) for update in (case, other))
    assert asked - less == only


def test_what_is_not_asked_for_is_left_out_of_the_answer() -> None:
    given = {"intent": "greeting", "answered": "perhaps", "uses": 7, "confidence": "very", "original": "x"}
    asked = triage_schema(FIRST_TURN)
    answer = Triage.model_validate(asked.model_validate(parse(json.dumps(given), asked)).model_dump())
    assert (answer.intent, answer.answered, answer.uses, answer.original) == ("greeting", "no", [], "")


def test_an_answer_that_is_too_long_is_cut_and_not_refused() -> None:
    long = {
        "steps": [{"step_id": place, "reason": "It is so. " * 90} for place in range(90)],
        "missing_aspects": ["word " * 200] * 90,
        "has_enough_context": False,
    }
    answer = Reflection.model_validate(parse(json.dumps(long), Reflection))
    assert len(answer.steps) == 40
    assert len(answer.steps[0].reason) <= 300
    assert answer.steps[0].reason.endswith("It is so.")
    assert len(answer.missing_aspects) == 8
    assert answer.missing_aspects[0].endswith("word")


def test_a_bound_of_the_request_is_no_condition_of_what_is_kept() -> None:
    """A person's plan, an older checkpoint."""

    class Kept(BaseModel):
        text: Reason

    assert len(Kept(text="x" * 900).text) == 900
    assert reduced_schema(Kept).model_json_schema()["properties"]["text"]["maxLength"] == 300


def test_values_that_do_not_fit_and_are_not_needed_are_left_out() -> None:
    given = {
        "high": ["P1:2", {"passage_id": "P1"}, ["P1:3"]],
        "medium": "P2:1-3",
        "low": {"P3": 1},
        "finding": "f",
        "confidence": "certainly",
    }
    answer = Findings.model_validate(parse(json.dumps(given), Findings))
    assert answer.references == [("P1:2", "high"), ("P2:1-3", "medium")]
    assert (answer.finding, answer.confidence) == ("f", 0.0)


@pytest.mark.parametrize("given", [{"intent": "whatever", "reason": "r"}, {"reason": "r"}])
def test_a_needed_value_that_does_not_fit_is_asked_for_again(given: dict[str, str]) -> None:
    asked = triage_schema(FIRST_TURN)
    with pytest.raises(ValueError, match="intent"):
        asked.model_validate(parse(json.dumps(given), asked))


def test_an_answer_of_which_nothing_fits_is_asked_for_again() -> None:
    with pytest.raises(ValueError, match="steps"):
        Reflection.model_validate(parse(json.dumps({"steps": "one", "answer": 42}), Reflection))
    with pytest.raises(ValueError, match="nothing of steps"):
        parse(json.dumps({"answer": 42}), Reflection)


def test_a_program_is_read_from_its_lines_or_as_one_text_and_never_cut() -> None:
    lines = [f"print({number})" for number in range(300)]
    for given in (lines, "\n".join(lines)):
        answer = Code.model_validate(parse(json.dumps({"description": "d", "code": given}), Code))
        assert answer.code == "\n".join(lines)
    assert not re.search(r'"maxLength": [2-9]\d{3}', json.dumps(response_format(Code)))
