"""The ranking of sentences by what they say on a question; researcher, reporter and opening all use it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

from services.embedding.translated import across_languages
from services.models.offline.kinds import STRICT, fit
from services.models.offline.shape import describes
from services.text.passages import is_heading, plain_heading
from services.text.questions import AnswerType, answer_type, names_in
from services.text.quotable import quotable
from services.text.terms import content, terms, worth
from services.text.tokens import has_cjk, tokens
from services.text.windows import in_quotation_marks

LEAD = 0.1
"""What it adds that a sentence has a name of one chosen before, where the answer leads from one name to another."""
BESIDE = 0.5
"""What a term counts that stands in the sentences beside, in the heading above, or in the source's title."""
OTHER_CLAUSE = 0.3
"""What a term of the question's other clauses counts beside one of the clause's own."""
AROUND = 0.15
"""What a term counts that stands anywhere in the piece."""
UNFIT, UNFIT_LOOSE = 0.4, 0.8
"""What is left of the score of a sentence without the kind of answer, where that can be recognised and where it hardly can."""
PRIOR = 0.05
"""What the first passage is worth by its place alone."""
AGAIN, AGAIN_DESCRIBED = 0.35, 0.1
"""What a term counts once a sentence before has held it; and of a question whose answer leads from one name to another."""
SAME = 0.8
"""Share of the shorter of two texts' terms that the other holds, from which on they say the same."""
LONE = 200
"""Characters of an excerpt that is ranked as it stands although it is no sentence."""
_HEADING = re.compile(r"(?m)^#.*$")
_SAID = re.compile(r"^what (?:else )?does .+ say\b|(?:说了|说明了)什么", re.IGNORECASE)


class Piece(NamedTuple):
    """A passage or an excerpt."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence of a piece, as it is quoted: with the one before it where it leans on that."""

    text: str
    id: str
    """Of its piece."""
    title: str
    """Of its source."""
    rank: int
    """Place of its piece, which come best first."""
    heading: str
    """The last one above it, without its marks."""
    held: frozenset[str]
    """Its terms."""
    beside: frozenset[str]
    """Terms of the sentences beside it, of the heading and of the title."""
    around: frozenset[str]
    """Terms of the whole piece."""


def sentences_of(pieces: Iterable[Piece]) -> list[Sentence]:
    """Return the sentences that can be quoted; a short piece that holds none stands as it is."""
    sentences: list[Sentence] = []
    for rank, piece in enumerate(pieces):
        spans = [(wording.start, wording.end, wording.own) for wording in quotable(piece.text)]
        if not spans and 0 < len(piece.text.strip()) <= LONE and not is_heading(piece.text):
            spans = [(0, len(piece.text), 0)]
        title = frozenset(terms(piece.title))
        held = [frozenset(terms(piece.text[start:end])) for start, end, _ in spans]
        around = title.union(terms(piece.text))
        for place, (start, end, own) in enumerate(spans):
            headings = _HEADING.findall(piece.text[:own])
            heading = plain_heading(headings[-1]) if headings else ""
            beside = title.union(terms(heading), *held[max(0, place - 1) : place + 2])
            sentences.append(
                Sentence(piece.text[start:end], piece.id, piece.title, rank, heading, held[place], beside, around)
            )
    return sentences


@dataclass(slots=True)
class Ranking:
    """What sentences are worth to one clause of a question."""

    clause: str
    kind: AnswerType
    weights: dict[str, float]
    """Of the terms that are asked about; together they weigh 1."""
    scores: dict[Sentence, float] = field(default_factory=dict)
    """Best first; without the sentences that say nothing of what is asked."""
    fits: dict[Sentence, float] = field(default_factory=dict)
    """How well each could hold the kind of answer that is wanted."""
    shares: dict[Sentence, float] = field(default_factory=dict)
    """How much of what is asked each says, what stands beside it counting half."""

    def select(self, most: int, least_share: float = 0.0) -> list[Sentence]:
        """Return the best sentences one by one; what an earlier one has said counts for less.

        Args:
            most: how many.
            least_share: of the first one's score, that others must reach by what they add.
        """
        left = dict(self.weights)
        describing = describes(self.clause)
        again = AGAIN_DESCRIBED if describing else AGAIN
        names = frozenset[str]()
        rest = list(self.scores)
        chosen: list[Sentence] = []
        while rest and len(chosen) < most:
            gains = [
                self.scores[sentence] * (self._fresh(sentence, left) if chosen else 1.0)
                + LEAD * bool(names & sentence.held)
                for sentence in rest
            ]
            best = max(range(len(rest)), key=lambda place: gains[place])
            if chosen and gains[best] < least_share * self.scores[chosen[0]]:
                break
            sentence = rest.pop(best)
            if not any(alike(sentence.text, other.text) for other in chosen):
                chosen.append(sentence)
                left.update({term: again * left[term] for term in sentence.held if term in left})
                if describing:
                    names |= frozenset(terms(" ".join(names_in(sentence.text)))) - self.weights.keys()
        return chosen

    def _fresh(self, sentence: Sentence, left: dict[str, float]) -> float:
        """Return the share of what a sentence says on the question that was not said before."""
        own = [term for term in sentence.held if term in left]
        return fsum(left[term] for term in own) / (fsum(self.weights[term] for term in own) or 1.0) if own else AGAIN


def rank(clause: str, question: str, sentences: Sequence[Sentence]) -> Ranking:
    """Rank sentences for a clause by the terms they hold, rare ones first, and by the kind of answer that is wanted."""
    own = content(clause)
    other = [term for term in content(question) if term not in own]
    text = "\n".join(sentence.text for sentence in sentences)
    weights = worth([*own, *other], [sentence.held for sentence in sentences], text)
    weights = {term: weight * (1.0 if term in own else OTHER_CLAUSE) for term, weight in weights.items()}
    total = sum(weights.values()) or 1.0
    kind = answer_type(clause)
    ranking = Ranking(clause, kind, {term: weight / total for term, weight in weights.items()})
    foreign = across_languages(clause, [sentence.text for sentence in sentences])
    unfit = UNFIT if kind in STRICT else UNFIT_LOOSE
    scores: dict[Sentence, float] = {}
    for sentence in sentences:
        beside = weight_of(ranking.weights, sentence.beside - sentence.held)
        share = max(weight_of(ranking.weights, sentence.held) + BESIDE * beside, foreign.get(sentence.text, 0.0))
        if share > 0:
            ranking.shares[sentence] = share
            ranking.fits[sentence] = fit(clause, kind, sentence.text)
            about = share + AROUND * weight_of(ranking.weights, sentence.around)
            scores[sentence] = about * (unfit + (1 - unfit) * ranking.fits[sentence]) + PRIOR * share / (
                1 + sentence.rank
            )
    ranking.scores = dict(sorted(scores.items(), key=lambda item: (-item[1], item[0].rank)))
    return ranking


def weight_of(weights: dict[str, float], held: Iterable[str]) -> float:
    """Return the weight of the terms that a text holds, the same in whatever order they come."""
    return fsum(weights.get(term, 0.0) for term in held)


def quoted_section(question: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return what a source says, in its own order, where a question asks just that: below the heading it names, if any."""
    if not _SAID.search(question):
        return []
    own = [sentence for sentence in sentences if sentence.title and sentence.title in question]
    section = [sentence for sentence in own if in_quotation_marks(sentence.heading, question)] or own
    return [
        sentence
        for sentence in section
        if not any(sentence is not other and sentence.text in other.text for other in section)
    ]


def alike(sentence: str, other: str) -> bool:
    """Tell whether two sentences say the same, or one holds the other; other figures are another statement."""
    left, right = set(tokens(sentence)), set(tokens(other))
    figures = [{term for term in each if term[0].isdigit()} for each in (left - right, right - left)]
    if all(figures):
        return False
    return not left or len(left & right) >= SAME * min(len(left), len(right))


def same_language(text: str, other: str) -> bool:
    """Tell whether two texts are both Chinese or both not."""
    return has_cjk(text) == has_cjk(other)
