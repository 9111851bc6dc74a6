"""Why the rules of a report do not accept a claim that its bundle calls verified."""

from collections.abc import Iterable, Mapping, Sequence

from schemas.evidence import PASSED, Claim, Excerpt, Source
from services.check.inference import check_inference
from services.check.numbers import proving
from services.check.support import check_support
from services.check.verdict import Verdict
from services.reports.checking.claim_check import counts_only
from services.reports.checking.quotations import AROUND
from services.reports.labels import ENGLISH

_OF_ABSENCE = frozenset({"absent", "no_claim"})
"""A model's verdicts that no words of a passage bear out, so that code can hold only the numbers of such statements against them."""


def doubt_of(
    claim: Claim, cited: Sequence[Excerpt], sources: Mapping[str, Source], question: str, *, in_text: bool = False
) -> str:
    """Return why the report's rules do not accept a verified claim, in words; a model's verdict can only count against a conclusion.

    Args:
        claim: the claim.
        cited: the excerpts that it cites.
        sources: by content hash.
        question: of the report.
        in_text: whether a model found it supported by words that the text of a cited source holds.
    """
    quotes, judgement = proven(cited, sources), claim.judgement
    with_sources = [(excerpt, source) for excerpt in cited if (source := sources.get(excerpt.content_hash))]
    cards = [source.card.evidence for _, source in with_sources]
    untraced = [excerpt.headed_quote for excerpt, source in with_sources if source.untraced]
    if claim.status == "inferred":
        verdict = _of(claim, check_inference(claim.text, quotes, cards, question=question, untraced=untraced))
        if verdict.fault and (verdict.certain or judgement is None):
            return ENGLISH.reason(verdict)
        if judgement is None or judgement.verdict in PASSED:
            return ""
        reason: str = ENGLISH.judged_inference[judgement.verdict]
        return reason.format(words=judgement.words)
    verdict = _of(claim, check_support(claim.text, quotes, cards, lambda *_: claim.likeness, untraced))
    absence = judgement is not None and judgement.verdict in _OF_ABSENCE
    if not verdict.certain and (in_text or absence):
        return ""
    verbatim = any(claim.text.strip(AROUND) in quote for quote in quotes)
    return "" if verbatim or (absence and verdict.fault == "uncited") else ENGLISH.reason(verdict)


def _of(claim: Claim, verdict: Verdict) -> Verdict:
    """Return the verdict on a claim: a small number of one that leads its paragraph may count what that lists."""
    return Verdict() if claim.cited_by == "paragraph" and counts_only(verdict) else verdict


def proven(excerpts: Iterable[Excerpt], sources: Mapping[str, Source]) -> list[str]:
    """Return the quotes of excerpts without the numbers that no source gives."""
    known = ((excerpt.headed_quote, sources.get(excerpt.content_hash)) for excerpt in excerpts)
    return [proving(quote, source.untraced) for quote, source in known if source]
