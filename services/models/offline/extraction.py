"""The offline researcher: quotes the sentences that say most on a step, and tells how much of it they cover."""

import re
from collections.abc import Sequence

from schemas.evidence import Relevance
from schemas.researcher import Findings, Quotation, ResearcherPrompt
from services.models.offline.kinds import FITS, STRICT
from services.models.offline.ranking import Piece, Ranking, Sentence, quoted_section, rank, sentences_of
from services.models.offline.shape import completed
from services.text.questions import clauses_of

MAX_EXCERPTS, MAX_FITTING = 6, 4
"""Sentences that are quoted for their words, and those that are quoted beside them for the kind of answer they hold."""
LEAST_GAIN = 0.25
"""Share of the best sentence's score that another must add to be quoted."""
COVERED = 0.45
"""Share of a clause's terms from which on it is not missing."""
HIGH, MEDIUM = 0.75, 0.5
"""Share of the best sentence's score from which on another is of that relevance."""
MAX_TOLD = 2
"""Sentences of a finding."""
_LEAD = re.compile(r"^(?:Find out|Find what is missing|查找|补充查找)[:：]\s*")


def extract(prompt: ResearcherPrompt) -> Findings:
    """Judge the passages of a step."""
    asked = _LEAD.sub("", prompt.description.split("\n", 1)[0])
    sentences = sentences_of(Piece(one.id, one.title, one.text) for one in prompt.passages)
    if section := quoted_section(asked, sentences)[:MAX_EXCERPTS]:
        return _findings(section, dict.fromkeys(section, 1.0), 1.0, [])
    clauses = clauses_of(asked)
    around = " ".join([asked, prompt.question, *prompt.queries])
    rankings = [rank(completed(clause, clauses[0], asked), around, sentences) for clause in clauses]
    best: dict[Sentence, float] = {}
    for ranking in rankings:
        for one in _chosen(ranking, max(2, MAX_EXCERPTS // len(clauses))):
            best[one] = max(best.get(one, 0.0), ranking.scores[one])
    kept = sorted(best, key=lambda one: (-best[one], one.rank))
    kept = [one for one in kept if not any(one is not other and one.text in other.text for other in kept)]
    covered = [_covered(ranking, kept) for ranking in rankings]
    missing = [clause for clause, share in zip(clauses, covered, strict=True) if share < COVERED]
    return _findings(kept, best, sum(covered) / len(covered), missing)


def _chosen(ranking: Ranking, most: int) -> list[Sentence]:
    """Return the best sentences of a clause, and the best that hold the kind of answer where the first one does not."""
    chosen = ranking.chosen(most, LEAST_GAIN)
    if ranking.kind not in STRICT or not chosen or ranking.fits[chosen[0]] >= FITS:
        return chosen
    fitting = (one for one in ranking.scores if ranking.fits[one] >= FITS and one not in chosen)
    return [*chosen, *list(fitting)[:MAX_FITTING]]


def _covered(ranking: Ranking, kept: Sequence[Sentence]) -> float:
    """Return the share of a clause that quotes cover; half of it where none holds the kind of answer."""
    held = frozenset[str]().union(*(one.held | one.beside for one in kept))
    by_terms = sum(weight for term, weight in ranking.weights.items() if term in held)
    share = max([by_terms, *(ranking.shares.get(one, 0.0) for one in kept)])
    return min(1.0, share * (1.0 if any(ranking.fits.get(one, 0.0) >= FITS for one in kept) else 0.5))


def _findings(
    kept: Sequence[Sentence], scores: dict[Sentence, float], covered: float, missing: Sequence[str]
) -> Findings:
    shares = {one: scores[one] / scores[kept[0]] for one in kept}
    relevance: dict[Sentence, Relevance] = {
        one: "high" if share >= HIGH else "medium" if share >= MEDIUM else "low" for one, share in shares.items()
    }
    return Findings(
        excerpts=[Quotation(passage_id=one.id, quote=one.text, relevance=relevance[one]) for one in kept],
        finding=" ".join(" ".join(one.text for one in kept[:MAX_TOLD]).split()),
        confidence=round(covered, 2),
        missing_aspects=list(missing),
    )
