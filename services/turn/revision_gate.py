"""Recognises messages that ask to change a finished report: the previous turn then continues, and no new turn starts."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage

from schemas.coordinator import Triage
from schemas.reporter import Report
from schemas.revision import MAX_REQUEST, Revision
from schemas.state import ResearchState
from schemas.usage import Usage
from services.text.revision_words import asks_for_change

CHANGE = "change"
"""Name of the messages that ask for a change of a report, and of those that refuse it: no part of what the thread asks about."""


def change_messages(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the last message under the name `CHANGE`, if a person wrote it: it replaces the one without a name."""
    last = messages[-1] if messages else None
    return [last.model_copy(update={"name": CHANGE})] if last is not None and last.type == "human" else []


def standing_report(state: ResearchState) -> Report | None:
    """Return the report that a message may refer to: of the previous turn, or of the local run that is followed."""
    return state.get("report")


def asks_plainly(message: str, report: Report | None) -> bool:
    """Tell whether a message asks for a change of the report so plainly that no model is needed."""
    return report is not None and asks_for_change(message)


def asks_by_model(triage: Triage, report: Report | None) -> bool:
    """Tell whether a message asks for a change of the report, according to the coordinator's model."""
    return report is not None and triage.revises


def as_change(state: ResearchState, message: str, chosen: str, usage: Usage | None = None) -> ResearchState:
    """Return the update that starts the change of the report; question, evidence and journal of the previous turn stay.

    Args:
        state: the state with the report.
        message: the message that asks for the change.
        chosen: hash of the run's choices.
        usage: usage of the model call that recognised it, if any.
    """
    triage, report = state.get("triage"), state["report"]
    asked = triage.original if triage is not None and triage.original else report.question if report else message
    return {
        "question": asked,
        "revision": Revision(request=message[:MAX_REQUEST], by_message=True),
        "choices": chosen,
        "usage": usage or Usage(),
    }
