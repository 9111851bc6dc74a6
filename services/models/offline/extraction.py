"""The offline researcher: quotes the sentences that say most on a step, and tells how much of it they cover."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import fsum

from schemas.evidence import Relevance
from schemas.researcher import Findings, NumberedPassage, ResearcherPrompt
from services.models.offline.answer_kinds import FITS
from services.models.offline.answers import is_answer, other_figures
from services.models.offline.broad_questions import digest_topic
from services.models.offline.question_shape import compared_in, complete_clause, sides_of
from services.models.offline.ranked_sentences import Piece, Ranking, Sentence, rank, sentences_of
from services.text.questions import RECOGNISED, AnswerType, answer_type, clauses_of, names_in

MAX_EXCERPTS, MAX_FITTING, MAX_CENTRAL = 6, 4, 24
"""Sentences that are quoted for their words, beside them for the kind of answer they hold, and for a digest."""
LEAST_GAIN = 0.25
"""Share of the best sentence's score that another must add to be quoted."""
COVERED = 0.45
"""Share of a clause's terms from which on it is not missing."""
HIGH, MEDIUM = 0.75, 0.5
"""Share of the best sentence's score from which on another is of that relevance."""
NAMED = 0.5
"""Share of the best sentence's score from which on the best one of another passage is quoted, too, where a question asks for something of
what it names. Where it asks for what there is on a subject, each passage that says anything is quoted: the search ranks better than words do."""
EXPLAINED: frozenset[AnswerType] = frozenset(["manner", "reason"])
"""Kinds of answers that take more than one sentence."""
OF_PASSAGE, FIRST, ON_TOPIC = 2, 1.3, 0.6
"""Of a digest: sentences of a passage; what its first sentence, which mostly says what it is on, is worth beside others; and the share of
what the best sentence says on the topic which one of a passage must say for the passage to be on it."""
BEST_OF_ROUND = 3
"""Sentences of a round that lead to the next: what they say is searched for."""
LONGEST_QUERY = 240
MAX_TOLD = 2
"""Sentences of a finding."""
_LEAD = re.compile(r"^(?:Find out|Find what is missing|查找|补充查找)[:：]\s*")


def extract(prompt: ResearcherPrompt) -> Findings:
    """Judge the passages of a step."""
    question = _LEAD.sub("", prompt.description.split("\n", 1)[0])
    sentences = sentences_of(Piece(passage.id, passage.title, passage.text) for passage in prompt.passages)
    if (topic := digest_topic(prompt.question)) is not None:
        central = central_sentences(topic, sentences)
        return _findings(prompt, list(central)[:MAX_CENTRAL], central, 1.0 if central else 0.0, [], wide=True)
    compared = compared_in(prompt.question) or ()
    sides = zip(compared, sides_of(prompt.question, compared), strict=True)
    clauses = [clause for side, clause in sides if side in question] or clauses_of(question)
    rankings = [rank(complete_clause(clause, clauses[0], question), sentences) for clause in clauses]
    wide = prompt.wide or is_open(question)
    best: dict[Sentence, float] = {}
    for ranking in rankings:
        for sentence in _quotes_of(ranking, max(2, MAX_EXCERPTS // len(clauses)), wide=wide):
            best[sentence] = max(best.get(sentence, 0.0), ranking.scores[sentence])
    quotes = sorted(best, key=lambda sentence: (-best[sentence], sentence.rank))
    quotes = [quote for quote in quotes if not any(quote is not other and quote.text in other.text for other in quotes)]
    covered = [_coverage(ranking, quotes) for ranking in rankings]
    missing = [clause for clause, share in zip(clauses, covered, strict=True) if share < COVERED]
    return _findings(prompt, quotes, best, sum(covered) / len(covered), missing, wide=wide)


def central_sentences(topic: str, sentences: Sequence[Sentence]) -> dict[Sentence, float]:
    """Return the most central sentences of each passage with their scores, best first.

    A sentence is central where its words are those that its source uses most (SumBasic: Nenkova and Vanderwende, "The impact of
    frequency on summarization", 2005).

    Args:
        topic: without a word of which a passage is left out; empty where any passage will do.
        sentences: of all passages.
    """
    prose = [sentence for sentence in sentences if not sentence.cells] or sentences
    shares = rank(topic, prose).shares if topic else dict.fromkeys(prose, 1.0)
    least = ON_TOPIC * max(shares.values(), default=1.0)
    by_source: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_passage: defaultdict[str, list[Sentence]] = defaultdict(list)
    for sentence in prose:
        by_source[sentence.title].update(sentence.held)
        by_passage[sentence.id].append(sentence)
    scores: dict[Sentence, float] = {}
    for own in by_passage.values():
        if max(shares.get(sentence, 0.0) for sentence in own) >= least:
            central = {
                each: _centrality(each, by_source[each.title]) * (FIRST if each is own[0] else 1) for each in own
            }
            scores |= {each: central[each] for each in sorted(own, key=lambda each: -central[each])[:OF_PASSAGE]}
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))


def _centrality(sentence: Sentence, counts: Counter[str]) -> float:
    return fsum(counts[term] for term in sentence.held) / (len(sentence.held) or 1)


def is_open(question: str) -> bool:
    """Tell whether a question asks for what there is on a subject, and not for something of what it names.

    How and why take more than one sentence, whatever they name; abbreviations name no thing.
    """
    kind = answer_type(question)
    named = [name for name in names_in(question) if not name.isupper()]
    return kind in EXPLAINED or (not named and kind not in RECOGNISED)


def _quotes_of(ranking: Ranking, most: int, *, wide: bool) -> list[Sentence]:
    """Return the best sentences of a clause, and with them other figures, or others that hold the kind of answer.

    Where breadth is wanted, they are followed by the best sentence of each other passage.
    """
    chosen = ranking.select(most, LEAST_GAIN)
    if not chosen:
        return []
    scores = ranking.scores
    if is_answer(ranking, chosen[0]):
        chosen += other_figures(ranking, chosen[0])
    elif ranking.kind in RECOGNISED and ranking.fits[chosen[0]] < FITS:
        chosen += [sentence for sentence in scores if ranking.fits[sentence] >= FITS][:MAX_FITTING]
    if wide or ranking.kind not in RECOGNISED:
        least = 0.0 if wide else NAMED * scores[chosen[0]]
        quoted = {sentence.id for sentence in chosen}
        by_passage = {sentence.id: sentence for sentence in reversed(scores) if scores[sentence] >= least}
        chosen += [sentence for sentence in reversed(by_passage.values()) if sentence.id not in quoted]
    return list(dict.fromkeys(chosen))


def _coverage(ranking: Ranking, quotes: Sequence[Sentence]) -> float:
    """Return the share of a clause that quotes cover; half of it where none holds the kind of answer."""
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
    *,
    wide: bool,
) -> Findings:
    """Return the findings; where breadth is wanted and rounds are left, what the best sentences say is searched for next."""
    passages = {passage.id: passage for passage in prompt.passages}
    named: dict[Relevance, list[str]] = {"high": [], "medium": [], "low": []}
    for sentence in quotes:
        share = scores[sentence] / scores[quotes[0]]
        relevance: Relevance = "high" if share >= HIGH else "medium" if share >= MEDIUM else "low"
        named[relevance].append(_reference(sentence, passages[sentence.id]))
    lines = [" ".join(sentence.text.split()) for sentence in quotes[:BEST_OF_ROUND]]
    return Findings(
        **named,
        finding=" ".join(lines[:MAX_TOLD]),
        confidence=round(covered, 2),
        missing_aspects=list(missing),
        queries=[line[:LONGEST_QUERY] for line in lines if wide and prompt.rounds_left],
    )


def _reference(sentence: Sentence, passage: NumberedPassage) -> str:
    """Name a sentence, with those that it leans on, by numbers."""
    start = passage.text.find(sentence.text)
    end = start + len(sentence.text)
    places = [place for place, (left, right) in enumerate(passage.spans, 1) if left < end and start < right]
    return f"{passage.id}:{places[0]}-{places[-1]}" if len(places) > 1 else f"{passage.id}:{places[0]}"
