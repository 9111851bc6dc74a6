"""Plans as weak models write them: what code can settle passes, numbered and noted; only a plan without any step is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evidence_view import FindingView
from schemas.outline import NodeView
from schemas.plan_draft import PlanDraft, plan_schema
from schemas.planner import Plan, PlannerPrompt, settle_plan
from services.turn.drafted_plan import check_draft, settle_draft
from tests.services.models.test_ask import PLANNER as PROMPT

REPLAN = PROMPT.model_copy(
    update={
        "first_id": 3,
        "findings": [FindingView(step_id=number, title=f"Found {number}", status="done") for number in ("1", "2")],
    }
)


def settled(*steps: dict[str, Any], prompt: PlannerPrompt = PROMPT, **rest: Any) -> Plan:
    """Return the plan that is made of steps as a model writes them."""
    draft = plan_schema(prompt).model_validate({"title": "T", "steps": steps, **rest})
    return settle_draft(check_draft(draft), prompt)


def needs(plan: Plan) -> dict[str, list[str]]:
    return {step.id: step.depends_on for step in plan.steps}


def step(title: str, *depends_on: str, **rest: Any) -> dict[str, Any]:
    return {"title": title, "depends_on": depends_on, **rest}


@pytest.mark.parametrize(
    ("steps", "waits"),
    [
        ([step("a"), step("b", "1"), step("c", "Step 2")], {"1": [], "2": ["1"], "3": ["2"]}),
        ([step("a", id="x"), step("b", "X", id=7), step("c", "7", id="1")], {"1": [], "2": ["1"], "3": ["2"]}),
        ([step("a", id="1"), step("b", "1", id="1")], {"1": [], "2": ["1"]}),
        ([step("Find the trench"), step("b", "find the trench")], {"1": [], "2": ["1"]}),
        ([step("a"), step("A "), step("b", "2")], {"1": [], "2": ["1"]}),
        ([step("Compute", step_type="processing"), step("a", "1"), step("b")], {"1": ["3"], "2": ["1"], "3": []}),
    ],
    ids=["by order", "by ids that are written all the same", "a doubled id", "by title", "a step twice", "no circle"],
)
def test_steps_are_numbered_and_wait_for_what_is_meant(
    steps: list[dict[str, Any]], waits: dict[str, list[str]]
) -> None:
    assert needs(settled(*steps)) == waits


def test_a_title_that_only_numbers_its_step_gives_way_to_what_the_step_does() -> None:
    plan = settled(
        step("Step 1", description="Find the depth"), step("step 2", queries=["A pole"]), step("Step 9", id="9")
    )
    assert [one.title for one in plan.steps] == ["Find the depth", "A pole", "Step 9"]
    chinese = settled(step("步骤 1", description="查深度"), prompt=PROMPT.model_copy(update={"locale": "zh-CN"}))
    assert chinese.steps[0].title == "查深度"


def test_steps_of_a_further_plan_are_numbered_on_and_may_wait_for_finished_steps() -> None:
    plan = settled(step("a", "1"), step("b", "3"), step("c", "Found 2", "2"), prompt=REPLAN)
    assert needs(plan) == {"3": ["1"], "4": ["3"], "5": ["2"]}
    assert not plan.notes


@pytest.mark.parametrize("name", ["9", "nobody", "2", "steps 1 and 3", "1.5", "0"])
def test_a_dependency_on_no_other_step_is_left_out_and_noted(name: str) -> None:
    plan = settled(step("a"), step("b", name), step("c"))
    assert needs(plan) == {"1": [], "2": [], "3": []}
    assert plan.notes == [f"step 2 does not wait for {name}, because there is no other step of that name"]


def test_a_processing_step_that_names_nothing_works_on_what_was_found() -> None:
    mean = step("Compute the mean", step_type="Processing")
    assert needs(settled(step("a"), mean, step("b"))) == {"1": [], "2": ["1", "3"], "3": []}
    assert needs(settled(mean, prompt=REPLAN)) == {"3": ["1", "2"]}
    with_tables = PROMPT.model_copy(update={"tables": ["depths.csv: depth (number)"]})
    assert needs(settled(step("a"), mean, prompt=with_tables)) == {"1": [], "2": []}


def test_only_a_plan_without_any_step_is_asked_for_again() -> None:
    nothing: list[list[dict[str, Any]]] = [[], [{}], [{"title": " "}]]
    for steps in nothing:
        with pytest.raises(ValueError, match="no steps"):
            settled(*steps, has_enough_context=False)
        assert settled(*steps, has_enough_context=True).has_enough_context


NAMES = st.sampled_from(["1", "2", "3", "a", "", "9", "step 2", "二"])
DRAFTS = st.builds(
    PlanDraft,
    has_enough_context=st.booleans(),
    steps=st.lists(
        st.builds(
            dict,
            id=NAMES,
            title=st.sampled_from(["", "a", "b", "c", "d"]),
            step_type=st.sampled_from(["research", "processing"]),
            depends_on=st.lists(NAMES, max_size=4),
        ),
        max_size=7,
    ),
)


@given(DRAFTS, st.sampled_from([PROMPT, REPLAN]))
def test_a_settled_plan_can_always_be_carried_out(draft: PlanDraft, prompt: PlannerPrompt) -> None:
    try:
        plan = settle_draft(check_draft(draft), prompt)
    except ValueError:
        assert not any(one.title for one in draft.steps)
        return
    finished = {finding.step_id for finding in prompt.findings}
    again = settle_plan(plan, first_id=prompt.first_id, finished=finished, max_steps=None)
    assert [one.depends_on for one in again.steps] == [one.depends_on for one in plan.steps]
    assert [one.id for one in plan.steps] == [str(prompt.first_id + place) for place in range(len(plan.steps))]


OUTLINED = PROMPT.model_copy(update={"max_nodes": 6})
GROWN = REPLAN.model_copy(update={"outline": [NodeView(id="1", title="Depth"), NodeView(id="1.1", title="Trenches")]})


def nodes(plan: Plan) -> list[list[str]]:
    return [step.nodes for step in plan.steps]


def test_steps_serve_nodes_by_their_number_and_what_is_no_node_is_noted() -> None:
    outline = [{"title": "Depth"}, {"title": "Trenches", "under": "1"}, {"title": "Ships"}]
    plan = settled(step("a", nodes=["3", "Node 2"]), step("b", nodes=["8"]), prompt=OUTLINED, outline=outline)
    assert [node.id for node in plan.outline] == ["1", "1.1", "2"]
    assert nodes(plan) == [["2", "1.1"], []]
    assert len(plan.notes) == 1
    assert "8" in plan.notes[0]


@pytest.mark.parametrize("outline", [[], [{"title": ""}], [{}]])
def test_a_plan_whose_outline_says_nothing_gets_one_of_the_steps_that_there_is_room_for(
    outline: list[dict[str, str]],
) -> None:
    plan = settled(*(step(title) for title in "abcd"), prompt=OUTLINED, outline=outline)
    assert [node.title for node in plan.outline] == ["a", "b", "c"]
    assert nodes(plan) == [["1"], ["2"], ["3"], []]


def test_a_later_plan_serves_the_nodes_that_it_was_shown_and_adds_none() -> None:
    plan = settled(step("a", nodes=["1.1", "2"]), prompt=GROWN, outline=[{"title": "Another"}])
    assert [node.id for node in plan.outline] == ["1", "1.1"]
    assert nodes(plan) == [["1.1"]]
