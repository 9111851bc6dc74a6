"""A message in a thread with a finished report that asks to change it: the turn before goes on, and nothing of it is begun anew."""

from schemas.coordinator import Triage
from schemas.reporter import Report
from schemas.revision import MAX_REQUEST, Revision
from schemas.state import ResearchState
from schemas.usage import Usage
from services.text.revision_words import asks_for_change


def standing_report(state: ResearchState) -> Report | None:
    """Return the report that a message may be about: that of the turn before, or of the local run that is followed."""
    return state.get("report")


def asks_plainly(message: str, report: Report | None) -> bool:
    """Tell whether a message asks to change a report in words that need no model."""
    return report is not None and asks_for_change(message)


def asks_by_model(triage: Triage, report: Report | None) -> bool:
    """Tell whether a message asks to change a report, as the coordinator's model says."""
    return report is not None and triage.revises


def as_change(state: ResearchState, message: str, chosen: str, usage: Usage | None = None) -> ResearchState:
    """Return the update by which the report is changed next; question, evidence and journal stay those of the turn before.

    Args:
        state: with the report.
        message: that asks for the change.
        chosen: hash of what the run chose.
        usage: of the call that recognised it, where there was one.
    """
    triage, report = state.get("triage"), state["report"]
    asked = triage.original if triage is not None and triage.original else report.question if report else message
    return {
        "question": asked,
        "revision": Revision(request=message[:MAX_REQUEST], by_message=True),
        "choices": chosen,
        "usage": usage or Usage(),
    }
