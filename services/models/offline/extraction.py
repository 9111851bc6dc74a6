"""The offline researcher: quotes the most relevant sentences for a step, and estimates how much of it they cover."""

import re
from collections.abc import Sequence

from schemas.evidence import Relevance
from schemas.researcher import Findings, NumberedPassage, ResearcherPrompt
from services.models.offline.answer_kinds import FITS, STRICT
from services.models.offline.answers import is_answer
from services.models.offline.differing_figures import differing
from services.models.offline.digests import central_sentences, digest_topic
from services.models.offline.question_shape import compared_in, complete_clause, sides_of
from services.models.offline.ranked_sentences import (
    Piece,
    Ranking,
    Sentence,
    quoted_section,
    rank,
    same_language,
    sentences_of,
)
from services.text.questions import AnswerType, answer_type, clauses_of, names_in
from services.text.terms import content

MAX_EXCERPTS, MAX_FITTING = 6, 4
"""Maximum sentences quoted for their words, and maximum further sentences quoted for the kind of answer they hold."""
MAX_CENTRAL = 24
"""Maximum sentences quoted for a digest."""
LEAST_GAIN = 0.25
"""Share of the best sentence's score that a further sentence must add to be quoted."""
COVERED = 0.45
"""Minimum share of a clause's terms that quotes must hold for it to count as covered."""
HIGH, MEDIUM = 0.75, 0.5
"""Minimum shares of the best sentence's score for high and medium relevance."""
NAMED = 0.5
"""Share of the best sentence's score from which on the best one of another passage is quoted, too, where a question asks for something of
what it names. Where it asks for what there is on a subject, each passage that says anything is quoted: the search ranks better than words do."""
EXPLAINED: frozenset[AnswerType] = frozenset(["manner", "reason"])
"""Kinds of answers that take more than one sentence."""
BEST_OF_ROUND = 3
"""Sentences of a round whose text becomes the queries of the next round."""
LONGEST_QUERY = 240
MAX_TOLD = 2
"""Sentences in a finding's summary."""
_LEAD = re.compile(r"^(?:Find out|Find what is missing|查找|补充查找)[:：]\s*")


def extract(prompt: ResearcherPrompt) -> Findings:
    """Select quotes from the passages of a step."""
    question = _LEAD.sub("", prompt.description.split("\n", 1)[0])
    sentences = sentences_of(Piece(passage.id, passage.title, passage.text) for passage in prompt.passages)
    if section := quoted_section(question, sentences)[:MAX_EXCERPTS]:
        return _findings(prompt, section, dict.fromkeys(section, 1.0), 1.0, [])
    if (topic := digest_topic(prompt.question)) is not None:
        central = central_sentences(topic, sentences)
        told = list(central)[:MAX_CENTRAL]
        queries = [
            " ".join(sentence.text.split())[:LONGEST_QUERY] for sentence in told[:BEST_OF_ROUND] if prompt.rounds_left
        ]
        findings = _findings(prompt, told, central, 1.0 if central else 0.0, [])
        return findings.model_copy(update={"queries": queries})
    compared = compared_in(prompt.question) or ()
    sides = zip(compared, sides_of(prompt.question, compared), strict=True)
    clauses = [clause for side, clause in sides if side in question] or clauses_of(question)
    around = " ".join([question, prompt.question, *prompt.queries])
    rankings = [rank(complete_clause(clause, clauses[0], question), around, sentences) for clause in clauses]
    share = 0.0 if prompt.wide or is_open(question) else NAMED
    best: dict[Sentence, float] = {}
    for ranking in rankings:
        chosen = _quotes_of(ranking, max(2, MAX_EXCERPTS // len(clauses)))
        chosen += _other_figures(ranking, chosen)
        others = _of_other_passages(ranking, chosen, share) if prompt.wide or ranking.kind not in STRICT else []
        for sentence in [*chosen, *others]:
            best[sentence] = max(best.get(sentence, 0.0), ranking.scores[sentence])
    quotes = sorted(best, key=lambda sentence: (-best[sentence], sentence.rank))
    quotes = [quote for quote in quotes if not any(quote is not other and quote.text in other.text for other in quotes)]
    covered = [_coverage(ranking, quotes) for ranking in rankings]
    missing = [clause for clause, share in zip(clauses, covered, strict=True) if share < COVERED]
    findings = _findings(prompt, quotes, best, sum(covered) / len(covered), missing)
    return findings.model_copy(update={"queries": _next_queries(prompt, question, quotes)})


def is_open(question: str) -> bool:
    """Tell whether a question asks for anything on a subject, not for a fact about a named thing.

    Questions for a manner or a reason are always open; abbreviations do not count as names.
    """
    kind = answer_type(question)
    named = [name for name in names_in(question) if not name.isupper()]
    return kind in EXPLAINED or (not named and kind not in STRICT)


def _of_other_passages(ranking: Ranking, chosen: Sequence[Sentence], share: float) -> list[Sentence]:
    """Return the best sentence of each passage without a quote, if its score reaches a share of the best one's.

    It must hold a word of the clause itself, or be in another language; words of other clauses do not suffice.
    """
    if not chosen:
        return []
    quoted = {sentence.id for sentence in chosen}
    own = frozenset(content(ranking.clause))
    first: dict[str, Sentence] = {}
    for sentence in ranking.scores:
        if ranking.scores[sentence] < share * ranking.scores[chosen[0]]:
            break
        on_clause = own & (sentence.held | sentence.beside) or not same_language(ranking.clause, sentence.text)
        if on_clause and sentence.id not in quoted:
            first.setdefault(sentence.id, sentence)
    return list(first.values())


def _next_queries(prompt: ResearcherPrompt, question: str, quotes: Sequence[Sentence]) -> list[str]:
    """Return the next queries of a wide search: the texts of this round's best sentences, which similar sources share words with."""
    if not prompt.rounds_left or not (prompt.wide or is_open(question)):
        return []
    return [" ".join(quote.text.split())[:LONGEST_QUERY] for quote in quotes[:BEST_OF_ROUND]]


def _quotes_of(ranking: Ranking, most: int) -> list[Sentence]:
    """Return the best sentences of a clause, and the best with the kind of answer if the first one lacks it."""
    chosen = ranking.select(most, LEAST_GAIN)
    if ranking.kind not in STRICT or not chosen or ranking.fits[chosen[0]] >= FITS:
        return chosen
    fitting = (sentence for sentence in ranking.scores if ranking.fits[sentence] >= FITS and sentence not in chosen)
    return [*chosen, *list(fitting)[:MAX_FITTING]]


def _other_figures(ranking: Ranking, chosen: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences of other sources that answer with a different figure."""
    if not chosen or not is_answer(ranking, chosen[0]):
        return []
    answering = [sentence for sentence in ranking.scores if sentence not in chosen and is_answer(ranking, sentence)]
    return differing(ranking, chosen[0], answering)


def _coverage(ranking: Ranking, quotes: Sequence[Sentence]) -> float:
    """Return the share of a clause that quotes cover, halved if no quote holds the kind of answer."""
    held = frozenset[str]().union(*(quote.held | quote.beside for quote in quotes))
    by_terms = sum(weight for term, weight in ranking.weights.items() if term in held)
    share = max([by_terms, *(ranking.shares.get(quote, 0.0) for quote in quotes)])
    return min(1.0, share * (1.0 if any(ranking.fits.get(quote, 0.0) >= FITS for quote in quotes) else 0.5))


def _findings(
    prompt: ResearcherPrompt,
    quotes: Sequence[Sentence],
    scores: dict[Sentence, float],
    covered: float,
    missing: Sequence[str],
) -> Findings:
    passages = {passage.id: passage for passage in prompt.passages}
    named: dict[Relevance, list[str]] = {"high": [], "medium": [], "low": []}
    for sentence in quotes:
        share = scores[sentence] / scores[quotes[0]]
        relevance: Relevance = "high" if share >= HIGH else "medium" if share >= MEDIUM else "low"
        named[relevance].append(_reference(sentence, passages[sentence.id]))
    return Findings(
        **named,
        finding=" ".join(" ".join(sentence.text for sentence in quotes[:MAX_TOLD]).split()),
        confidence=round(covered, 2),
        missing_aspects=list(missing),
    )


def _reference(sentence: Sentence, passage: NumberedPassage) -> str:
    """Return the numbers of a sentence and of the sentences that it leans on; of a heading, that of the sentence below it."""
    start = passage.text.find(sentence.text)
    end = start + len(sentence.text)
    places = [place for place, (left, right) in enumerate(passage.spans, 1) if left < end and start < right]
    places = places or [
        next((place for place, (left, _) in enumerate(passage.spans, 1) if left >= end), len(passage.spans))
    ]
    return f"{passage.id}:{places[0]}-{places[-1]}" if len(places) > 1 else f"{passage.id}:{places[0]}"
