"""Messages that ask to change a finished report: the previous turn then continues, and no new turn starts."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage

from schemas.revision import MAX_REQUEST, Revision
from schemas.state import ResearchState
from schemas.usage import Usage

CHANGE = "change"
"""Name of the messages that ask for a change of a report, and of those that refuse it: no part of what the thread asks about."""


def change_messages(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the last message under the name `CHANGE`, if a person wrote it: it replaces the one without a name."""
    last = messages[-1] if messages else None
    return [last.model_copy(update={"name": CHANGE})] if last is not None and last.type == "human" else []


def as_change(state: ResearchState, message: str, chosen: str, usage: Usage) -> ResearchState:
    """Return the update that starts the change of the report; question, evidence and journal of the previous turn stay.

    Args:
        state: the state with the report.
        message: the message that asks for the change.
        chosen: hash of the run's choices.
        usage: usage of the model call that recognised it.
    """
    triage, report = state.get("triage"), state["report"]
    asked = triage.original if triage is not None and triage.original else report.question if report else message
    return {
        "question": asked,
        "revision": Revision(request=message[:MAX_REQUEST], by_message=True),
        "choices": chosen,
        "usage": usage,
    }
