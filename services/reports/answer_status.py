"""Decides by code whether a report answers its question, from its opening and the reflection."""

from schemas.evidence import Answered
from services.reports.checking.checked_report import CheckedReport
from services.reports.statuses import sure_claims


def answered(checked: CheckedReport, *, enough: bool) -> Answered:
    """Judge whether a checked report answers its question.

    `no` if the opening has no supported sentence before its first statement that the sources lack information: later
    sentences are only related to the question.
    `yes` only if the opening has no such statement, every statement of it is verified, the research was judged
    sufficient. Other reports are `partly`. The closest passages, which no model wrote, are not judged.

    Args:
        checked: the report.
        enough: whether the last reflection found enough evidence and no missing aspects.
    """
    opening = checked.claims[: checked.opening]
    if not sure_claims(opening[: checked.declined]):
        return "no"
    whole = not checked.hedged and all(claim.verified for claim in opening)
    return "yes" if whole and enough else "partly"
