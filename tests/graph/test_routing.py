"""Where the machine goes from any state: the loop runs by default, and limits end it."""

import asyncio
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


async def test_gaps_lead_back_to_the_planner_by_default() -> None:
    assert await after_reflector(state(ONE, {"1": done(1)}), runtime()) == "planner"


async def test_enough_context_leads_to_the_report() -> None:
    assert await after_reflector(state(ONE, {"1": done(1)}, has_enough_context=True), runtime()) == "reporter"


async def test_the_plan_limit_leads_to_the_report() -> None:
    assert await after_reflector(state(ONE, {"1": done(1)}, plan_iterations=3), runtime()) == "reporter"


async def test_a_limit_that_was_reached_leads_to_the_report_although_steps_are_left() -> None:
    assert await after_reflector(state(ONE, {}, spent=True), runtime()) == "reporter"


async def test_a_step_to_redo_goes_back_to_the_team_until_its_attempts_are_used_up() -> None:
    again = StepVerdict(step_id="1", redo=True, feedback="look elsewhere")
    once = done(1, attempts=1, reflections=[again])
    assert await after_reflector(state(ONE, {"1": once}), runtime(max_step_attempts=2)) == "research_team"
    twice = done(1, attempts=2, reflections=[again, again])
    assert await after_reflector(state(ONE, {"1": twice}), runtime(max_step_attempts=2)) == "planner"


async def test_a_step_that_the_reflector_is_content_with_is_not_done_again() -> None:
    content = done(1, attempts=1, reflections=[StepVerdict(step_id="1", redo=False)])
    assert not ready_steps(state(ONE, {"1": content}), 2)
    assert await after_reflector(state(ONE, {"1": content}), runtime()) == "planner"


async def test_a_plan_without_steps_leads_to_the_report() -> None:
    assert await after_planner(state(Plan(title="t", has_enough_context=True), {})) == "reporter"


async def test_a_wanted_review_comes_before_the_work() -> None:
    assert await after_planner(state(ONE, {}, review="wanted")) == "human_feedback"


def test_steps_wait_for_what_they_depend_on() -> None:
    plan = Plan(title="t", steps=[step(1), step(2), step(3, 1, 2)])
    assert [step.id for step in ready_steps(state(plan, {}), 2)] == ["1", "2"]
    assert [step.id for step in ready_steps(state(plan, {"1": done(1)}), 2)] == ["2"]
    assert [step.id for step in ready_steps(state(plan, {"1": done(1), "2": done(2)}), 2)] == ["3"]


@given(
    needs=st.lists(st.sets(st.integers(1, 6)), min_size=1, max_size=6),
    outcomes=st.lists(st.sampled_from(["done", "failed", "redo"]), min_size=30, max_size=30),
    attempts=st.integers(1, 4),
)
def test_every_plan_ends_whatever_its_steps_come_to(needs: list[set[int]], outcomes: list[str], attempts: int) -> None:
    steps = [step(number, *(one for one in wanted if one < number)) for number, wanted in enumerate(needs, 1)]
    plan = Plan(title="t", steps=steps)
    results: dict[str, StepResult] = {}
    rounds = 0
    while ready := ready_steps(state(plan, results), attempts):
        rounds += 1
        assert rounds <= attempts * len(steps)
        for one in ready:
            before = results.get(one.id)
            verdict = StepVerdict(step_id=one.id, redo=outcomes[(rounds * 7 + int(one.id)) % 30] == "redo")
            tried = before.attempts + 1 if before else 1
            assert tried <= attempts
            results = merge_results(results, {one.id: done(int(one.id), attempts=tried, reflections=[verdict])})
    assert set(results) == {step.id for step in steps}


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


@given(st.data())
def test_the_machine_ends_whatever_steps_come_to_and_the_reflector_says(data: st.DataObject) -> None:
    plans, attempts, width = (data.draw(st.integers(1, 3), label=name) for name in ("plans", "attempts", "steps"))
    chosen = runtime(max_plan_iterations=plans, max_step_attempts=attempts, max_step_num=width)
    now = state(Plan(title="t", steps=_chain(data, 1, width)), {})
    moves, place = 0, "research_team"
    while place != "reporter":
        moves += 1
        assert moves <= plans * (width * attempts * 2 + 2), "it does not end"
        if place == "planner":
            first = 1 + max(int(step.id) for plan in now["plans"] for step in plan.steps)
            plan = Plan(title="t", steps=_chain(data, first, width))
            now |= {"plan": plan, "plans": [*now["plans"], plan], "plan_iterations": now["plan_iterations"] + 1}
            place = asyncio.run(after_planner(now))
            continue
        for one in ready_steps(now, attempts):
            earlier = now["results"].get(one.id)
            verdict = StepVerdict(step_id=one.id, redo=data.draw(st.booleans(), label="redo"))
            result = StepResult(
                step_id=one.id,
                status=data.draw(st.sampled_from(["done", "failed", "skipped"]), label="status"),
                attempts=earlier.attempts + 1 if earlier else 1,
                reflections=[*(earlier.reflections if earlier else []), verdict],
            )
            now["results"] = merge_results(now["results"], {one.id: result})
        now["has_enough_context"] = data.draw(st.booleans(), label="enough")
        place = asyncio.run(after_reflector(now, chosen))
    tried = [result.attempts for result in now["results"].values()]
    assert max(tried) <= attempts
    assert now["plan_iterations"] <= plans


def _chain(data: st.DataObject, first: int, width: int) -> list[Step]:
    """Draw steps that depend on earlier ones of the same plan."""
    numbers = range(first, first + data.draw(st.integers(1, width), label="count"))
    return [
        step(one, *data.draw(st.sets(st.sampled_from(range(first, one))))) if one > first else step(one)
        for one in numbers
    ]
