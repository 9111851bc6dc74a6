"""Where the machine goes from any state: the loop runs by default, and limits end it."""

from typing import Any

from langgraph.runtime import Runtime

from graph.routing import after_planner, after_reflector
from schemas.context import RunContext
from schemas.planner import Plan, Step
from schemas.results import StepResult
from schemas.usage import Usage
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


def done(number: int) -> StepResult:
    return StepResult(step_id=str(number), status="done")


ONE = Plan(title="t", steps=[step(1)])


async def test_with_all_spent_a_reflection_leads_to_the_report() -> None:
    assert await after_reflector(state(ONE, {}, spent=True), runtime()) == "reporter"


async def test_a_plan_leads_to_its_review_and_without_steps_to_the_report() -> None:
    assert await after_planner(state(ONE, {}, review="wanted")) == "human_feedback"
    assert await after_planner(state(Plan(title="t", has_enough_context=True), {})) == "reporter"


def test_steps_wait_for_what_they_depend_on() -> None:
    plan = Plan(title="t", steps=[step(1), step(2), step(3, 1, 2)])
    assert [step.id for step in ready_steps(state(plan, {}), 2)] == ["1", "2"]
    assert [step.id for step in ready_steps(state(plan, {"1": done(1)}), 2)] == ["2"]
    assert [step.id for step in ready_steps(state(plan, {"1": done(1), "2": done(2)}), 2)] == ["3"]
