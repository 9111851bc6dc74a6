"""The offline researcher: quotes the sentences that say most on a step, and tells how much of it they cover."""

import re
from collections.abc import Sequence

from schemas.evidence import Relevance
from schemas.researcher import Findings, Quotation, ResearcherPrompt
from services.models.offline.kinds import FITS, STRICT
from services.models.offline.ranked_sentences import Piece, Ranking, Sentence, quoted_section, rank, sentences_of
from services.models.offline.shape import complete_clause
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
    question = _LEAD.sub("", prompt.description.split("\n", 1)[0])
    sentences = sentences_of(Piece(passage.id, passage.title, passage.text) for passage in prompt.passages)
    if section := quoted_section(question, sentences)[:MAX_EXCERPTS]:
        return _findings(section, dict.fromkeys(section, 1.0), 1.0, [])
    clauses = clauses_of(question)
    around = " ".join([question, prompt.question, *prompt.queries])
    rankings = [rank(complete_clause(clause, clauses[0], question), around, sentences) for clause in clauses]
    best: dict[Sentence, float] = {}
    for ranking in rankings:
        for sentence in _quotes_of(ranking, max(2, MAX_EXCERPTS // len(clauses))):
            best[sentence] = max(best.get(sentence, 0.0), ranking.scores[sentence])
    quotes = sorted(best, key=lambda sentence: (-best[sentence], sentence.rank))
    quotes = [quote for quote in quotes if not any(quote is not other and quote.text in other.text for other in quotes)]
    covered = [_coverage(ranking, quotes) for ranking in rankings]
    missing = [clause for clause, share in zip(clauses, covered, strict=True) if share < COVERED]
    return _findings(quotes, best, sum(covered) / len(covered), missing)


def _quotes_of(ranking: Ranking, most: int) -> list[Sentence]:
    """Return the best sentences of a clause, and the best that hold the kind of answer where the first one does not."""
    chosen = ranking.select(most, LEAST_GAIN)
    if ranking.kind not in STRICT or not chosen or ranking.fits[chosen[0]] >= FITS:
        return chosen
    fitting = (sentence for sentence in ranking.scores if ranking.fits[sentence] >= FITS and sentence not in chosen)
    return [*chosen, *list(fitting)[:MAX_FITTING]]


def _coverage(ranking: Ranking, quotes: Sequence[Sentence]) -> float:
    """Return the share of a clause that quotes cover; half of it where none holds the kind of answer."""
    held = frozenset[str]().union(*(quote.held | quote.beside for quote in quotes))
    by_terms = sum(weight for term, weight in ranking.weights.items() if term in held)
    share = max([by_terms, *(ranking.shares.get(quote, 0.0) for quote in quotes)])
    return min(1.0, share * (1.0 if any(ranking.fits.get(quote, 0.0) >= FITS for quote in quotes) else 0.5))


def _findings(
    quotes: Sequence[Sentence], scores: dict[Sentence, float], covered: float, missing: Sequence[str]
) -> Findings:
    shares = {sentence: scores[sentence] / scores[quotes[0]] for sentence in quotes}
    relevance: dict[Sentence, Relevance] = {
        sentence: "high" if share >= HIGH else "medium" if share >= MEDIUM else "low"
        for sentence, share in shares.items()
    }
    return Findings(
        excerpts=[
            Quotation(passage_id=sentence.id, quote=sentence.text, relevance=relevance[sentence]) for sentence in quotes
        ],
        finding=" ".join(" ".join(sentence.text for sentence in quotes[:MAX_TOLD]).split()),
        confidence=round(covered, 2),
        missing_aspects=list(missing),
    )
