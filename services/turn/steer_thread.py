"""Leaving a message for a thread's run: what it asks for is read here, and answered where it can no longer be followed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.store.base import BaseStore

from schemas.steering import Steering, SteeringAction
from services.run.choices import turn_at
from services.run.errors import BadInput
from services.run.journal import run_key
from services.run.steering import leave_message, messages_of
from services.run.ui_text import say
from services.text.steering_words import understood

_PLANNING = {"__start__", "coordinator", "background_investigator", "planner"}
"""Nodes after which there are other steps."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a thread stands, by its latest checkpoint."""

    thread: str
    following: Sequence[str]
    """Nodes that come next."""
    values: Mapping[str, Any]
    """Of the state, as objects or as the API gives them."""
    metadata: Mapping[str, Any]
    """Of the checkpoint."""

    @property
    def key(self) -> str:
        """Name of the journal of the turn that is under way."""
        return run_key(self.thread, turn_at(self.following, self.values, self.metadata))

    @property
    def locale(self) -> str:
        """Of the person who asked."""
        return str(self.values.get("locale") or "en")

    def steps(self) -> dict[str, bool]:
        """Return the ids of the steps of all plans, and whether each is done."""
        results = self.values.get("results") or {}
        return {
            str(_of(step, "id")): _of(step, "id") in results
            for plan in self.values.get("plans") or []
            for step in _of(plan, "steps")
        }


def _of(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, Mapping) else getattr(value, name)


async def steer_thread(
    store: BaseStore, standing: Standing, text: str, action: SteeringAction | None = None, steps: Sequence[str] = ()
) -> Steering:
    """Leave a message for the run of a thread.

    Args:
        store: the run's.
        standing: where the thread stands.
        text: what to do, in the person's words.
        action: what it asks for; by default as the words say.
        steps: ids of steps to drop, with the action `skip`.

    Raises:
        BadInput: there is no run that could follow it; the message says what to do instead.
    """
    locale = standing.locale
    if not standing.following:
        raise BadInput(say("steer_done" if standing.values.get("triage") else "steer_unbegun", locale))
    if "reporter" in standing.following:
        raise BadInput(say("steer_writing", locale))
    named = [str(step) for step in steps]
    if action is None:
        action, text, named = understood(text)
    if action == "skip" and not _PLANNING.intersection(standing.following):
        _check_steps(named, standing.steps(), locale)
    return await leave_message(store, standing.key, action, text, named)


def _check_steps(named: Sequence[str], known: Mapping[str, bool], locale: str) -> None:
    """Make sure that steps can be dropped.

    Raises:
        BadInput: there is no such step, or it is done.
    """
    if unknown := [step for step in named if step not in known] or ([] if named else ["?"]):
        raise BadInput(say("steer_no_step", locale, steps=", ".join(unknown), known=", ".join(known) or "-"))
    if all(known[step] for step in named):
        raise BadInput(say("steer_step_done", locale, steps=", ".join(named)))


async def waiting_messages(store: BaseStore, standing: Standing) -> list[Steering]:
    """Return the messages that the run of a thread has not taken yet."""
    if not standing.following:
        return []
    taken = {str(_of(message, "id")) for message in standing.values.get("steering") or []}
    return [message for message in await messages_of(store, standing.key) if message.id not in taken]
