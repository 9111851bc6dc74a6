"""Leaves a message for a thread's run, and rejects it if it comes too late."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.store.base import BaseStore

from schemas.steering import Steering, SteeringAction
from services.run.choices import turn_at
from services.run.errors import BadInput
from services.run.journal import run_key
from services.run.run_messages import leave_message, messages_of
from services.run.ui_text import say

_WORDS = {"message": "", "write": "Write now", "skip": "Skip step {steps}"}
"""Text of a message without words, such as a button's."""
_PLANNING = {"__start__", "coordinator", "background_investigator", "planner"}
"""Nodes that are followed by further steps."""


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

    @property
    def locale(self) -> str:
        """Locale of the user."""
        return str(self.values.get("locale") or "en")

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

    Args:
        store: store of the run.
        standing: position of the thread.
        text: the person's message; actions other than `message` need none.
        action: the requested action.
        steps: ids of steps to drop, with the action `skip`.

    Raises:
        BadInput: no run can follow the message; the error says what to do instead.
    """
    locale = standing.locale
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
    """Check that steps can be dropped.

    Raises:
        BadInput: a step does not exist, or it is done.
    """
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
