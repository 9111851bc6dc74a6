"""Why the rules of a report do not accept a claim that its bundle calls verified."""

from collections.abc import Mapping, Sequence

from schemas.evidence import PASSED, Claim, Excerpt, Source
from services.check.support import check_inference, check_support
from services.check.verdict import Verdict
from services.reports.checking.citable_evidence import evidence_of
from services.reports.checking.claim_check import CLAIMS_NOTHING, counts_only
from services.reports.checking.code_citations import AROUND
from services.reports.labels import labels_for
from services.run.ui_text import spoken_locale


def doubt_of(
    claim: Claim,
    cited: Sequence[Excerpt],
    sources: Mapping[str, Source],
    question: str,
    *,
    in_text: bool = False,
    is_new: bool = False,
) -> str:
    """Return why the report's rules do not accept a verified claim, in words; a model's verdict can only count against a conclusion.

    Sources are given by content hash; `in_text` tells whether a model found the claim supported by words that the text of a cited source holds,
    `is_new` whether no run has checked it, so that numbers that are only computed count against it.
    """
    evidence, judgement = evidence_of(cited, sources), claim.judgement
    labels = labels_for(spoken_locale())
    if claim.status == "inferred":
        verdict = _of(claim, check_inference(claim.text, *evidence, question=question))
        follows = verdict.fault == "numbers" and judgement is not None and judgement.verdict == "follows"
        if verdict.fault and (judgement is None or (verdict.certain and not follows)):
            return _in_words(verdict)
        if is_new and verdict.computed:
            return _in_words(verdict.noted)
        if judgement is None or judgement.verdict in PASSED:
            return ""
        reason: str = labels.judged_inference[judgement.verdict]
        return reason.format(words=judgement.words)
    verdict = _of(claim, check_support(claim.text, *evidence, lambda *_: claim.likeness))
    verdict = verdict.noted if is_new else verdict
    absence = judgement is not None and judgement.verdict in CLAIMS_NOTHING  # no words of a passage bear it out
    if not verdict.certain and (in_text or absence):
        return ""
    verbatim = any(claim.text.strip(AROUND) in quote for quote in evidence[0])
    excused = verbatim or (absence and verdict.fault == "uncited")
    return "" if excused else _in_words(verdict)


def _in_words(verdict: Verdict) -> str:
    """Return a verdict in words; before a suspicion come the numbers that the evidence only lets compute."""
    labels = labels_for(spoken_locale())
    computed = [Verdict("computed", verdict.computed)] if verdict.fault and verdict.computed else []
    return " ".join(labels.reason(part) for part in [*computed, verdict])


def _of(claim: Claim, verdict: Verdict) -> Verdict:
    """Return the verdict on a claim: a small number of one that leads its paragraph may count what that lists."""
    return Verdict() if claim.cited_by == "paragraph" and counts_only(verdict) else verdict
