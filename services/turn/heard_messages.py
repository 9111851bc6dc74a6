"""Steering of a run: takes users' messages at the run's boundaries, and applies them.

Boundaries are the planner, every wave of steps, every reflection and the beginning of the report; each step checks at
its start and before each further round whether it should end. A message for the planner leads to a new plan; one that
comes when the report is begun is a limit of the report.
"""

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.planner import Step
from schemas.reflector import StepVerdict
from schemas.results import StepResult
from schemas.state import ResearchState
from schemas.steering import Steering
from services.run.events import emit
from services.run.run_messages import take_messages
from services.run.scope import boundary_journal
from services.run.ui_text import say


def heard(state: ResearchState) -> list[Steering]:
    """Return the messages that the run has taken."""
    return state.get("steering") or []


def for_planner(state: ResearchState) -> list[Steering]:
    """Return the messages that the planner has not seen yet."""
    return [message for message in heard(state) if message.for_planner]


def wants_report(state: ResearchState) -> bool:
    """Tell whether a user asks for the report now."""
    return any(message.action == "write" for message in heard(state))


def dropped_steps(state: ResearchState) -> set[str]:
    """Return the ids of the steps that users want left out."""
    return {step_id for message in heard(state) for step_id in message.steps}


def undone_steps(state: ResearchState) -> list[Step]:
    """Return the steps of the present plan that are not done."""
    plan = state["plan"]
    return [step for step in plan.steps if step.id not in state["results"]] if plan is not None else []


async def hear(state: ResearchState, runtime: Runtime[RunContext], node: str) -> tuple[ResearchState, ResearchState]:
    """Take the messages to the run since the last boundary.

    Returns:
        The state with the messages, and the update of the state, which is empty without messages.
    """
    known = {message.id for message in heard(state)}
    journal = boundary_journal(state, runtime, node)
    taken = await take_messages(journal, "node", lambda message: message.id not in known)
    if not taken:
        return state, {}
    new = [message.model_copy(update={"plan": len(state["plans"])}) for message in taken]
    for message in new:
        data = message.model_dump(mode="json")
        emit(runtime, "steering", node, steering_title(message, state["locale"]), data)
    update: ResearchState = {"steering": [*heard(state), *new]}
    dropped = _dropped({**state, **update})
    after: ResearchState = {**state, **update, "results": {**state["results"], **dropped}}
    return after, {**update, **({"results": dropped} if dropped else {})}


def steering_title(message: Steering, locale: str) -> str:
    """Return the text that tells how a message is handled."""
    return say(f"steered_{message.action}", locale, text=message.text, steps=", ".join(message.steps))


def _dropped(state: ResearchState) -> dict[str, StepResult]:
    """Return results for steps that are dropped before they start."""
    reason, dropped = say("step_dropped", state["locale"]), dropped_steps(state)
    undone = [step.id for step in undone_steps(state) if step.id in dropped]
    return {
        step_id: StepResult(
            step_id=step_id,
            status="skipped",
            error=reason,
            reflections=[StepVerdict(step_id=step_id, reason=reason, attempt=1)],
        )
        for step_id in undone
    }


def late_messages(state: ResearchState) -> list[str]:
    """Return for each message that came too late for the planner what to do instead."""
    return [say("steered_late", state["locale"], text=message.text) for message in for_planner(state)]
