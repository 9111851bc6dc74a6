"""Decides by code whether a report answers its question, from its opening and the reflection."""

from collections.abc import Set

from schemas.evidence import Answered
from services.models.offline.answer_kinds import STRICT
from services.reports.checking.checked_report import CheckedReport
from services.reports.statuses import sure_claims
from services.text.questions import answer_type, clauses_of


def answered(checked: CheckedReport, *, enough: bool, recognised: bool) -> Answered:
    """Judge whether a checked report answers its question.

    `no` if the opening has no supported sentence before its first statement that the sources lack information: later
    sentences are only related to the question, unless the statement is just that no single sentence says everything.
    `yes` only if the opening has no such statement, every statement of it is verified, the research was judged
    sufficient, and the report's author can recognise an answer. Other reports, such as a digest of a broad question,
    are `partly`.

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


def rules_recognise(
    question: str, checked: CheckedReport, computed: Set[str], remembered: Set[str] = frozenset()
) -> bool:
    """Tell whether rules can recognise an answer: each clause asks for a number, date, place or person, or a program answered.

    A statement that only rests on what is remembered is no answer for rules: they cannot tell whether it still holds.

    Args:
        question: the user's question.
        checked: the report.
        computed: ids of the excerpts from programs' output.
        remembered: ids of the excerpts that no step of this run has read.
    """
    opening = checked.claims[: checked.opening]
    if any(claim.citations and remembered >= set(claim.citations) for claim in opening):
        return False
    if all(not computed.isdisjoint(claim.citations) for claim in opening):
        return True
    return all(answer_type(clause) in STRICT for clause in clauses_of(question, short=True))
