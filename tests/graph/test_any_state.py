"""From any state the machine ends, whatever steps come to and the reflector says, within the bounds that the run has chosen."""

import asyncio
from typing import Any, TypeVar

from hypothesis import given
from hypothesis import strategies as st

from graph import routing
from schemas.background_investigator import Background
from schemas.context import RunContext
from schemas.coordinator import Triage
from schemas.planner import Plan, Step
from schemas.reflector import StepVerdict
from schemas.results import StepResult
from schemas.state import merge_results
from schemas.usage import CallUsage, Usage
from services.turn.steps import tasks_of
from tests.graph.test_routing import runtime

Drawn = TypeVar("Drawn")
PLACES = ["coordinator", "background_investigator", "planner", "human_feedback", "research_team", "reflector"]
IDS = st.integers(1, 7).map(str)
STATUS = st.sampled_from(["done", "failed", "skipped"])
STEPS = st.lists(
    st.builds(Step, id=IDS, title=st.just("t"), description=st.just(""), depends_on=st.lists(IDS, max_size=2)),
    max_size=4,
    unique_by=lambda step: step.id,
)
"""Steps as nobody checks them: a past state can be edited, so they may wait for themselves, for each other and for none."""
PLANS = st.builds(Plan, title=st.just("t"), steps=STEPS)
VERDICTS = st.builds(StepVerdict, step_id=IDS, attempt=st.integers(0, 6), redo=st.booleans())
RESULTS = st.builds(StepResult, step_id=IDS, status=STATUS, attempts=st.integers(1, 6), reflections=st.lists(VERDICTS, max_size=2))  # fmt: skip


def _numbered(drawn: dict[str, Any]) -> dict[str, Any]:
    return {**drawn, "plan_iterations": len(drawn["plans"])}


STATES = st.fixed_dictionaries(
    {
        "question": st.just("q"),
        "locale": st.just("en-US"),
        "turn": st.just(1),
        "triage": st.one_of(
            st.none(),
            st.builds(
                Triage,
                intent=st.sampled_from(["in_scope", "edge_case", "out_of_scope", "greeting", "unclear", "not_research"]),
                question=st.just("q"),
                locale=st.just("en-US"),
                complexity=st.sampled_from(["simple", "complex"]),
            ),
        ),
        "background": st.one_of(st.none(), st.builds(Background)),
        "plan": st.one_of(st.none(), PLANS),
        "plans": st.lists(PLANS, max_size=5),
        "results": st.lists(RESULTS, max_size=5).map(lambda found: {one.step_id: one for one in found}),
        "sources": st.just({}),
        "has_enough_context": st.booleans(),
        "spent": st.sampled_from([False, False, True]),
        "review": st.sampled_from(["none", "wanted", "accepted", "edited"]),
        "usage": st.builds(Usage, total=st.builds(CallUsage, input_tokens=st.integers(0, 50_000)), searches=st.integers(0, 9)),
    }
).map(_numbered)  # fmt: skip
CHOICES = st.fixed_dictionaries(
    {
        "max_plan_iterations": st.integers(1, 3),
        "max_step_attempts": st.integers(1, 3),
        "max_step_num": st.integers(1, 3),
        "max_tokens": st.one_of(st.none(), st.integers(5_000, 60_000)),
        "max_searches": st.one_of(st.none(), st.integers(0, 9)),
        "deep_research": st.booleans(),
        "review_plan": st.booleans(),
    }
)


@given(STATES, st.sampled_from(PLACES), CHOICES, st.integers(0, 3), st.one_of(st.none(), st.data()))
def test_the_machine_ends_from_any_state(
    now: dict[str, Any], place: str, chosen: dict[str, Any], edits: int, data: st.DataObject | None
) -> None:
    walk = Walk(now, RunContext(**chosen), edits, data)
    width = max(chosen["max_step_num"], *(len(one.steps) for one in [*now["plans"], now["plan"] or Plan(title="t")]))
    most = (chosen["max_plan_iterations"] + edits + 2) * (2 * width * chosen["max_step_attempts"] + 4)
    moves, first = 0, place in {"coordinator", "background_investigator", "planner"}
    while place not in {"reporter", "__end__"}:
        moves += 1
        assert moves <= most, "it does not end"
        place = walk.move(place)
    assert walk.planned <= edits + (first if now["spent"] else chosen["max_plan_iterations"] + 1)
    assert max(walk.attempts, default=0) <= chosen["max_step_attempts"]


class Walk:
    """Goes from box to box as the graph does, and does in each what its node does to what decides the way.

    Without data, nothing is ever enough, every step is to be redone, and plans are as long as they may be.
    """

    def __init__(self, now: dict[str, Any], context: RunContext, edits: int, data: st.DataObject | None) -> None:
        self.now: Any = now
        self.planned = 0
        self.attempts: list[int] = []
        self._context = context
        self._runtime = runtime(**context.model_dump(exclude_unset=True))
        self._edits = edits
        self._data = data

    def move(self, place: str) -> str:
        """Do what the box does, and return the next one."""
        match place:
            case "coordinator":
                return asyncio.run(routing.after_coordinator(self.now))
            case "background_investigator":
                return asyncio.run(routing.after_background_investigator(self.now, self._runtime))
            case "planner":
                self._plan()
                return asyncio.run(routing.after_planner(self.now))
            case "human_feedback":
                edited = self._edits > 0
                self._edits -= edited
                self.now["review"] = "edited" if edited else "accepted"
                return asyncio.run(routing.after_human_feedback(self.now))
            case "research_team":
                self._research()
                return "reflector"
        self.now["has_enough_context"] = self._draw(st.booleans(), False)
        return asyncio.run(routing.after_reflector(self.now, self._runtime))

    def _draw(self, values: st.SearchStrategy[Drawn], worst: Drawn) -> Drawn:
        return worst if self._data is None else self._data.draw(values)

    def _plan(self) -> None:
        self.planned += 1
        before = self.now["plans"][:-1] if self.now["review"] == "edited" else self.now["plans"]
        first = 1 + sum(len(plan.steps) for plan in before) + len(self.now["results"])
        count = self._draw(st.integers(0, self._context.max_step_num), self._context.max_step_num)
        steps = [Step(id=str(100 * self.planned + first + one), title="t", description="") for one in range(count)]
        plan = Plan(title="t", steps=steps)
        wanted = self._context.review_plan and bool(steps)
        self.now |= {
            "plan": plan,
            "plans": [*before, plan],
            "plan_iterations": len(before) + 1,
            "review": "wanted" if wanted else "none",
        }

    def _research(self) -> None:
        for task in tasks_of(self.now, self._context):
            step, earlier = task["step"], task["previous"]
            tried = earlier.attempts + 1 if earlier else 1
            self.attempts.append(tried)
            verdict = StepVerdict(step_id=step.id, attempt=tried, redo=self._draw(st.booleans(), True))
            status = self._draw(STATUS, "failed")
            result = StepResult(step_id=step.id, status=status, attempts=tried, reflections=[verdict])
            self.now["results"] = merge_results(self.now["results"], {step.id: result})
