"""The rules' outlines: a node for each facet of the question, and at depth a query for each that is thin until nothing new comes."""

from typing import Any

import pytest

from schemas.evidence_view import EvidenceView
from schemas.outline import NodeView
from schemas.planner import Plan
from schemas.reflector import Reflection, ReflectorPrompt
from tests.services.models.offline.prompts_of import ask, finding, locale_of, planner_prompt

QUESTION = "Who designed the sounding machine, and why was tallow pressed into the lead?"
TALLOW = NodeView(id="2", title="Why was tallow pressed into the lead", excerpts=1, sources=1, thin=True)


def plan(question: str, **changes: object) -> Plan:
    """Return the plan with the steps' nodes, as its JSON is read into a draft."""
    return ask(planner_prompt(question, **changes), Plan)


def reflect(*evidence: str, **changes: Any) -> Reflection:
    prompt = ReflectorPrompt(
        question=QUESTION,
        locale=locale_of(QUESTION),
        today="2026-01-01",
        findings=[finding(*evidence)],
        plan_iterations=1,
        max_plan_iterations=5,
        max_step_attempts=2,
        outline=[TALLOW],
        wide=True,
    )
    return ask(prompt.model_copy(update=changes), Reflection)


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        (QUESTION, ["Who designed the sounding machine", "Why was tallow pressed into the lead"]),
        ("测深仪是谁设计的，为什么要把牛脂压进铅锤？", ["测深仪是谁设计的", "为什么要把牛脂压进铅锤"]),
    ],
)
def test_each_facet_of_the_question_has_a_node_and_a_step_that_serves_it(question: str, titles: list[str]) -> None:
    planned = plan(question, max_nodes=6)
    assert [node.title for node in planned.outline] == titles
    assert [step.nodes for step in planned.steps] == [["1"], ["2"]]
    assert plan(question).outline == []


def test_a_later_plan_has_a_step_for_each_query_of_a_node() -> None:
    node = TALLOW.model_copy(update={"query": "tallow brought up a sample"})
    planned = plan(QUESTION, outline=[NodeView(id="1", title="n", thin=True), node], findings=[finding("q")])
    assert [(step.queries[0], step.nodes) for step in planned.steps] == [("tallow brought up a sample", ["2"])]


def test_at_depth_it_is_not_enough_while_a_node_is_thin_and_each_query_is_a_new_one() -> None:
    findings, asked = [finding("Tallow was pressed into the lead, wrote Kelvin.")], set[str]()
    for number in range(2, 8):
        reflection = reflect(findings=findings)
        [thin] = reflection.thin_nodes
        assert thin.node == "2"
        assert not reflection.has_enough_context
        assert thin.query not in asked
        asked.add(thin.query)
        findings.append(finding("q", step=str(number)).model_copy(update={"title": thin.query}))
    assert any("Kelvin" in query for query in asked)


@pytest.mark.parametrize("changes", [{"wide": False}, {"idle_plans": 2}, {"outline": []}])
def test_it_is_enough_at_the_standard_depth_or_when_two_plans_brought_nothing_new(changes: dict[str, Any]) -> None:
    reflection = reflect("Tallow was pressed into the lead of the sounding machine that Thomson designed.", **changes)
    assert reflection.thin_nodes == []
    assert reflection.has_enough_context


def test_what_is_too_old_for_a_dated_question_is_named() -> None:
    excerpt = EvidenceView(id="E1-1", title="s", quote="The machine is made in Glasgow.", published="1990-01-01")
    known = finding().model_copy(update={"evidence": [excerpt]})
    question = "Where is the sounding machine made today?"
    assert reflect(question=question, findings=[known], dated=True).outdated == ["E1-1"]
    assert reflect(question=question, findings=[known]).outdated == []
