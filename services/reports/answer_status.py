"""Decides by code whether a report answers its question, from its opening and the reflection."""

from collections.abc import Set

from schemas.evidence import Answered
from services.models.offline.answer_kinds import STRICT
from services.reports.checking.checked_report import CheckedReport
from services.reports.statuses import sure_claims
from services.text.questions import answer_type, clauses_of


def answered(checked: CheckedReport, *, enough: bool, recognised: bool) -> Answered:
    """Judge whether a checked report answers its question.

    `no` where no supported sentence stands in the opening before the first word on what the sources lack: what follows such a
    word is near the question and no answer, unless all that lacks is one sentence that says everything. `yes` only where the opening has no such word, every statement of it is
    verified, the research was judged sufficient, and whoever wrote it can recognise an answer. All else is `partly`, such as a
    digest of a broad question.

    Args:
        checked: the report.
        enough: whether the last reflection found enough evidence and no missing aspects.
        recognised: whether the report's author, a model or rules, can distinguish an answer from a related sentence;
            see `rules_recognise`.
    """
    opening = checked.claims[: checked.opening]
    if not sure_claims(opening[: checked.declined]):
        return "no"
    whole = not checked.hedged and all(claim.verified for claim in opening)
    return "yes" if whole and enough and recognised else "partly"


def rules_recognise(question: str, checked: CheckedReport, computed: Set[str]) -> bool:
    """Tell whether rules can recognise an answer: each clause asks for a number, date, place or person, or a program answered.

    Args:
        question: the user's question.
        checked: the report.
        computed: ids of the excerpts from programs' output.
    """
    opening = checked.claims[: checked.opening]
    if all(not computed.isdisjoint(claim.citations) for claim in opening):
        return True
    return all(answer_type(clause) in STRICT for clause in clauses_of(question, short=True))
