"""Where the machine goes from any state: the loop runs by default, and limits end it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.runtime import Runtime

from graph.routing import after_planner, after_reflector
from schemas.context import RunContext
from schemas.planner import Plan, PlanError, Step, first_steps, settle_plan
from schemas.reflector import StepVerdict
from schemas.results import StepResult
from schemas.state import merge_limits, merge_results, merge_sources
from schemas.usage import CallUsage, Usage
from services.turn.steps import ready_steps


def step(number: int, *needs: int) -> Step:
    return Step(id=str(number), title=f"Step {number}", description="", depends_on=[str(one) for one in needs])


def state(plan: Plan, results: dict[str, StepResult], **more: Any) -> Any:
    return {
        "plan": plan,
        "plans": [plan],
        "results": results,
        "plan_iterations": 1,
        "has_enough_context": False,
        "usage": Usage(),
        "spent": False,
        "review": "none",
        **more,
    }


def runtime(**choices: Any) -> Runtime[RunContext]:
    return Runtime(context=RunContext(**choices))


def done(number: int, **more: Any) -> StepResult:
    return StepResult(step_id=str(number), status="done", **more)


ONE = Plan(title="t", steps=[step(1)])


AGAIN = StepVerdict(step_id="1", redo=True, feedback="look elsewhere")
ONCE, TWICE = (done(1, attempts=count, reflections=[AGAIN] * count) for count in (1, 2))
CONTENT = done(1, attempts=1, reflections=[StepVerdict(step_id="1", redo=False)])


@pytest.mark.parametrize(
    ("result", "more", "place"),
    [
        (done(1), {}, "planner"),  # gaps lead back by default
        (done(1), {"has_enough_context": True}, "reporter"),
        (done(1), {"plan_iterations": 3}, "reporter"),
        (None, {"spent": True}, "reporter"),
        (ONCE, {}, "research_team"),
        (TWICE, {}, "planner"),
        (CONTENT, {}, "planner"),
    ],
)
async def test_a_reflection_leads_to_the_steps_to_the_planner_or_to_the_report(
    result: StepResult | None, more: dict[str, Any], place: str
) -> None:
    now = state(ONE, {"1": result} if result else {}, **more)
    assert await after_reflector(now, runtime(max_step_attempts=2)) == place


async def test_a_plan_leads_to_its_review_and_without_steps_to_the_report() -> None:
    assert await after_planner(state(ONE, {}, review="wanted")) == "human_feedback"
    assert await after_planner(state(Plan(title="t", has_enough_context=True), {})) == "reporter"


def test_steps_wait_for_what_they_depend_on() -> None:
    plan = Plan(title="t", steps=[step(1), step(2), step(3, 1, 2)])
    assert [step.id for step in ready_steps(state(plan, {}), 2)] == ["1", "2"]
    assert [step.id for step in ready_steps(state(plan, {"1": done(1)}), 2)] == ["2"]
    assert [step.id for step in ready_steps(state(plan, {"1": done(1), "2": done(2)}), 2)] == ["3"]


BROKEN = {
    "circle": [step(1, 2), step(2, 1)],
    "no step is called": [step(1, 9)],
    "more than once": [step(1), step(1)],
    "at most 3": [step(one) for one in range(1, 6)],
    "no steps": [],
}


@pytest.mark.parametrize(("reason", "steps"), BROKEN.items())
def test_a_plan_that_cannot_be_carried_out_is_refused(reason: str, steps: list[Step]) -> None:
    with pytest.raises(PlanError, match=reason):
        settle_plan(Plan(title="t", steps=steps), first_id=1, finished=(), max_steps=3)


def test_steps_are_numbered_on_over_the_whole_run() -> None:
    plan = Plan(title="t", steps=[step(1), step(2, 1)])
    settled = settle_plan(plan, first_id=4, finished={"1", "2", "3"}, max_steps=None)
    assert [(step.id, step.depends_on) for step in settled.steps] == [("4", []), ("5", ["4"])]


def test_cutting_a_plan_cuts_dependencies_on_what_is_gone() -> None:
    plan = Plan(title="t", steps=[step(1, 3), step(2, 1), step(3)])
    assert [(step.id, step.depends_on) for step in first_steps(plan, 2).steps] == [("1", []), ("2", ["1"])]


def test_upper_case_step_types_are_understood() -> None:
    assert (
        Step.model_validate({"id": 1, "title": "t", "description": "", "step_type": "RESEARCH"} | {"id": "1"}).step_type
        == "research"
    )


@given(st.permutations(["1", "2", "3"]))
def test_results_do_not_depend_on_which_worker_finished_first(order: list[str]) -> None:
    merged: dict[str, StepResult] = {}
    for one in order:
        merged = merge_results(merged, {one: done(int(one))})
    assert merged == {one: done(int(one)) for one in ("1", "2", "3")}
    assert merge_sources({}, {}) == {}
    assert merge_limits(["a"], ["a", "b"]) == ["a", "b"]


def test_usage_adds_up_by_role() -> None:
    one = Usage(roles={"planner": CallUsage(calls=1, input_tokens=10, output_tokens=5)}, searches=2)
    assert one + one == Usage(roles={"planner": CallUsage(calls=2, input_tokens=20, output_tokens=10)}, searches=4)
