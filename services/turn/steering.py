"""Steering of a run: messages are left for a thread's run from outside, taken at the run's boundaries, and applied.

Boundaries are the planner, every wave of steps, every reflection and the beginning of the report; each step checks at
its start and before each further round whether it should end. A message for the planner leads to a new plan; one that
no plan is made with any more is a limit of the report, and one that comes when the report is begun is rejected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from schemas.context import RunContext
from schemas.planner import Step
from schemas.reflector import StepVerdict
from schemas.results import StepResult
from schemas.state import ResearchState
from schemas.steering import Steering, SteeringAction
from services.run.choices import turn_at
from services.run.errors import BadInput
from services.run.events import emit
from services.run.journal import run_key
from services.run.run_messages import leave_message, messages_of, take_messages
from services.run.scope import boundary_journal
from services.run.ui_text import say

_WORDS = {"message": "", "write": "Write now", "skip": "Skip step {steps}"}
"""Text of a message without words, such as a button's."""
_PLANNING = {"__start__", "coordinator", "background_investigator", "planner"}
"""Nodes that are followed by further steps."""


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


async def hear(
    state: ResearchState, runtime: Runtime[RunContext], node: str, place: str = "node"
) -> tuple[ResearchState, ResearchState]:
    """Return the state with the messages to the run since the last boundary, and its update, which is empty without messages."""
    known = {message.id for message in heard(state)}
    journal = boundary_journal(state, runtime, node)
    taken = await take_messages(journal, place, lambda message: message.id not in known)
    if not taken:
        return state, {}
    new = [message.model_copy(update={"plan": len(state["plans"])}) for message in taken]
    for message in new:
        data = message.model_dump(mode="json")
        late = node == "reporter" and message.for_planner
        emit(runtime, "steering", node, (_late if late else steering_title)(message, state["locale"]), data)
    update: ResearchState = {"steering": [*heard(state), *new]}
    dropped = _dropped({**state, **update})
    after: ResearchState = {**state, **update, "results": {**state["results"], **dropped}}
    return after, {**update, **({"results": dropped} if dropped else {})}


def steering_title(message: Steering, locale: str) -> str:
    """Return the text that tells how a message is handled."""
    return say(f"steered_{message.action}", locale, text=message.text, steps=", ".join(message.steps))


def _dropped(state: ResearchState) -> dict[str, StepResult]:
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


def _late(message: Steering, locale: str) -> str:
    return say("steered_late", locale, text=message.text)


def late_messages(state: ResearchState) -> list[str]:
    """Return for each message that no plan was made with what to do instead."""
    return [_late(message, state["locale"]) for message in for_planner(state)]


@dataclass(frozen=True, slots=True)
class Standing:
    """Position of a thread, from its latest checkpoint."""

    thread: str
    following: Sequence[str]
    """The next nodes."""
    values: Mapping[str, Any]
    """Values of the state, as objects or in the API's form."""
    metadata: Mapping[str, Any]
    """Metadata of the checkpoint."""

    @property
    def key(self) -> str:
        """Name of the journal of the current turn."""
        return run_key(self.thread, turn_at(self.following, self.values, self.metadata))

    def steps(self) -> dict[str, bool]:
        """Return the ids of the steps of all plans, each with whether it is done."""
        results = self.values.get("results") or {}
        return {
            str(_of(step, "id")): _of(step, "id") in results
            for plan in self.values.get("plans") or []
            for step in _of(plan, "steps")
        }


def _of(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, Mapping) else getattr(value, name)


async def steer_thread(
    store: BaseStore, standing: Standing, text: str, action: SteeringAction = "message", steps: Sequence[str] = ()
) -> Steering:
    """Leave a message for the run of a thread.

    Raises:
        BadInput: no run can follow the message; the error says what to do instead.
    """
    locale = str(standing.values.get("locale") or "en")
    if sum(map(bool, (text.strip(), steps, action == "write"))) > 1:
        raise BadInput(say("steer_one", locale))
    if not standing.following:
        raise BadInput(say("steer_done" if standing.values.get("triage") else "steer_unbegun", locale))
    if "reporter" in standing.following:
        raise BadInput(say("steer_writing", locale))
    named = [str(step) for step in steps]
    text = text or _WORDS[action].format(steps=", ".join(named))
    if action == "skip" and not _PLANNING.intersection(standing.following):
        _check_steps(named, standing.steps(), locale)
    return await leave_message(store, standing.key, action, text, named)


def _check_steps(named: Sequence[str], known: Mapping[str, bool], locale: str) -> None:
    if unknown := [step for step in named if step not in known] or ([] if named else ["?"]):
        raise BadInput(say("steer_no_step", locale, steps=", ".join(unknown), known=", ".join(known) or "-"))
    if all(known[step] for step in named):
        raise BadInput(say("steer_step_done", locale, steps=", ".join(named)))


async def waiting_messages(store: BaseStore, standing: Standing) -> list[Steering]:
    """Return the messages that the thread's run has not taken yet."""
    if not standing.following:
        return []
    taken = {str(_of(message, "id")) for message in standing.values.get("steering") or []}
    return [message for message in await messages_of(store, standing.key) if message.id not in taken]
