"""Ranks sentences by their relevance to a question; used by researcher, reporter and opening."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

from services.embedding.translation_similarity import across_languages
from services.models.offline.answer_kinds import FITS, STRICT, fit, same_quantity
from services.models.offline.question_shape import apart_terms, describes, opposed
from services.text.passages import is_heading, plain_heading
from services.text.questions import AnswerType, answer_type, names_in
from services.text.quotable import Wording, as_prose, has_code, is_csv, is_furniture, is_metadata, quotable
from services.text.terms import content, terms, worth
from services.text.tokens import has_cjk, tokens
from services.text.windows import in_quotation_marks

LEAD = 0.1
"""Bonus of a sentence with a name from a chosen sentence, if the answer leads from one name to another."""
HEAD_ONLY = 0.9
"""Factor on the share of a table row without a word of the question in its cells: all rows hold the words of the header."""
BESIDE = 0.5
"""Weight of a term in the neighbouring sentences, the heading above, or the source's title."""
OTHER_CLAUSE = 0.3
"""Weight of a term of the question's other clauses, relative to a term of the clause itself."""
AROUND = 0.15
"""Weight of a term anywhere in the piece."""
UNFIT, UNFIT_LOOSE = 0.4, 0.8
"""Base factors of the score of a sentence without the kind of answer: for kinds that can be recognised, and for others."""
PRIOR = 0.05
"""Bonus of the first passage for its rank."""
AGAIN, AGAIN_DESCRIBED = 0.35, 0.1
"""Factors on a term that an earlier sentence holds: normally, and for a question whose answer leads from one name to another."""
SAME = 0.8
"""Minimum share of the shorter text's terms in the longer one, for both to say the same."""
OPPOSED = 0.2
"""Factor on the share of a sentence about the excluded subject of a question: on echoes, if it asks for the time before them."""
MOST_MORE = 2
"""Maximum words, or characters in Chinese, by which a longer name exceeds a shorter one."""
LONE = 200
"""Maximum characters of an excerpt without a sentence that is ranked as a whole."""
_HEADING = re.compile(r"(?m)^#.*$")
_SAID = re.compile(
    r"^what (?:else )?does .+ say\b|(?:说了|说明了)什么",
    re.IGNORECASE,
)


class Piece(NamedTuple):
    """A passage or an excerpt to split into sentences."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence of a piece as it is quoted, with the sentence before it if it depends on that."""

    text: str
    said: str
    """The sentence alone; for a table row, its cells with the names of their columns."""
    cells: str
    """For a table row, its text and then its cells alone, so that names in cells differ from names of columns; else empty."""
    id: str
    """Id of its piece."""
    title: str
    """Title of its source."""
    rank: int
    """Rank of its piece; the best has 0."""
    heading: str
    """The last heading above it, without marks."""
    held: frozenset[str]
    """Terms of the sentence."""
    own: frozenset[str]
    """For a table row, the terms of its cells without those of the header; else all terms."""
    beside: frozenset[str]
    """Terms of the neighbouring sentences, the heading and the title."""
    around: frozenset[str]
    """Terms of the whole piece and of the title."""


def sentences_of(pieces: Iterable[Piece]) -> list[Sentence]:
    """Return the quotable sentences; a short piece without any is returned whole."""
    sentences: list[Sentence] = []
    for rank, piece in enumerate(pieces):
        wordings = quotable(piece.text)
        if not wordings and _stands_alone(piece.text):
            wordings = [Wording(0, len(piece.text), 0)]
        title = frozenset(terms(piece.title))
        held = [_terms_of(piece.text, wording) for wording in wordings]
        around = title.union(terms(piece.text))
        for place, wording in enumerate(wordings):
            headings = _HEADING.findall(piece.text[: wording.own])
            heading = plain_heading(headings[-1]) if headings else ""
            neighbours = [] if wording.row else held[max(0, place - 1) : place + 2]
            text = piece.text[wording.start : wording.end]
            if text.strip() == piece.title:
                continue
            own = frozenset(terms(piece.text[wording.own : wording.end])) if wording.row else held[place]
            beside = title.union(terms(heading), held[place], *neighbours)
            said = as_prose(text) if wording.row else text
            cells = (
                f"{said}; {piece.text[wording.own : wording.end].strip('| ').replace('|', ';')}" if wording.row else ""
            )
            sentences.append(
                Sentence(text, said, cells, piece.id, piece.title, rank, heading, held[place], own, beside, around)
            )
    return sentences


def _stands_alone(text: str) -> bool:
    """Tell whether a short text without a sentence is ranked as a whole."""
    return 0 < len(text.strip()) <= LONE and not (
        is_heading(text) or is_csv(text) or is_metadata(text) or is_furniture(text) or has_code(text)
    )


def _terms_of(text: str, wording: Wording) -> frozenset[str]:
    """Return the terms of a wording; for a table row, the terms of its cells and of the header."""
    if not wording.row or wording.start == wording.own:
        return frozenset(terms(text[wording.start : wording.end]))
    head = text[wording.start : wording.own].partition("\n")[0]
    return frozenset(terms(f"{head} {text[wording.own : wording.end]}"))


@dataclass(slots=True)
class Ranking:
    """Scores of sentences for one clause of a question."""

    clause: str
    kind: AnswerType
    weights: dict[str, float]
    """Weights of the asked terms; their sum is 1."""
    scores: dict[Sentence, float] = field(default_factory=dict)
    """Scores, best first, without the irrelevant sentences."""
    fits: dict[Sentence, float] = field(default_factory=dict)
    """Fit of each sentence to the asked kind of answer, from 0 to 1."""
    shares: dict[Sentence, float] = field(default_factory=dict)
    """Weighted share of the asked terms in each sentence; terms beside it count half."""
    others: frozenset[str] = frozenset()
    """Titles of sources on things whose names extend the asked name, or are part of it."""

    def select(self, most: int, least_share: float = 0.0) -> list[Sentence]:
        """Return the best sentences one by one; terms of earlier ones count less.

        Args:
            most: maximum number of sentences.
            least_share: share of the first sentence's score that a further sentence must add.
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
            if not any(alike(sentence.said, other.said) for other in chosen):
                chosen.append(sentence)
                left.update({term: again * left[term] for term in sentence.held if term in left})
                if describing:
                    names |= frozenset(terms(" ".join(names_in(sentence.said)))) - self.weights.keys()
        return chosen

    def _fresh(self, sentence: Sentence, left: dict[str, float]) -> float:
        """Return the share of a sentence's relevance that earlier sentences have not covered."""
        own = [term for term in sentence.held if term in left]
        return fsum(left[term] for term in own) / (fsum(self.weights[term] for term in own) or 1.0) if own else AGAIN


def rank(clause: str, question: str, sentences: Sequence[Sentence]) -> Ranking:
    """Rank sentences for a clause by its terms, rare ones weighing more, and by the kind of answer that it asks for."""
    apart = apart_terms(clause)
    own = [term for term in content(clause) if term not in apart] or content(clause)
    other = [term for term in content(question) if term not in own and term not in apart]
    text = "\n".join(sentence.text for sentence in sentences)
    weights = worth([*own, *other], [sentence.held for sentence in sentences], text)
    weights = {term: weight * (1.0 if term in own else OTHER_CLAUSE) for term, weight in weights.items()}
    total = sum(weights.values()) or 1.0
    kind = answer_type(clause)
    ranking = Ranking(clause, kind, {term: weight / total for term, weight in weights.items()})
    ranking.others = titles_of_others(clause, {sentence.title for sentence in sentences})
    foreign = across_languages(clause, [sentence.text for sentence in sentences])
    unfit = UNFIT if kind in STRICT else UNFIT_LOOSE
    scores: dict[Sentence, float] = {}
    for sentence in sentences:
        beside = weight_of(ranking.weights, sentence.beside - sentence.held)
        share = max(weight_of(ranking.weights, sentence.held) + BESIDE * beside, foreign.get(sentence.text, 0.0))
        if share > 0:
            ranking.shares[sentence] = share
            ranking.fits[sentence] = (
                _fit_of_row(clause, kind, sentence) if sentence.cells else fit(clause, kind, sentence.said)
            )
            if opposed(clause, sentence.said) or sentence.title in ranking.others:
                share *= OPPOSED
            if sentence.cells and not sentence.own & set(own):
                share *= HEAD_ONLY
            about = share + AROUND * weight_of(ranking.weights, sentence.around)
            scores[sentence] = about * (unfit + (1 - unfit) * ranking.fits[sentence]) + PRIOR * share / (
                1 + sentence.rank
            )
    ranking.scores = dict(sorted(scores.items(), key=lambda item: (-item[1], item[0].rank)))
    return ranking


def titles_of_others(clause: str, titles: Collection[str]) -> frozenset[str]:
    """Return the titles that name other things, because they extend the asked name or are part of it: `Nether Corrow Dam`."""
    named = max((title for title in titles if len(title) > 1 and title in clause), key=len, default="")
    if not named:
        return frozenset()
    return frozenset(title for title in titles if _extends(title, named) or _extends(named, title))


def _extends(longer: str, name: str) -> bool:
    """Tell whether a name extends another by up to two capitalised words, or by two characters in Chinese."""
    if not name or longer == name or name not in longer:
        return False
    more = longer.replace(name, " ", 1)
    if has_cjk(longer):
        return len(more.strip()) <= MOST_MORE
    return len(more.split()) <= MOST_MORE and all(word[0].isupper() for word in more.split())


def _fit_of_row(clause: str, kind: AnswerType, row: Sentence) -> float:
    """Return how well a table row could hold an answer: a number's unit is in the header, and the first cell names the subject."""
    told = fit(clause, kind, row.cells)
    asked = set(terms(clause))
    defines = kind == "definition" and asked & set(terms(re.split("[:：]", row.said, maxsplit=1)[0]))
    head = row.text.partition("\n")[0]
    named = asked & set(terms(head)) - row.own or same_quantity(clause, head)
    counts = kind == "number" and named and any(term[0].isdigit() for term in row.own - asked)
    return max(told, FITS) if defines or counts else told


def weight_of(weights: dict[str, float], held: Iterable[str]) -> float:
    """Return the total weight of the terms that a text holds, independent of their order."""
    return fsum(weights.get(term, 0.0) for term in held)


def quoted_section(question: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return a source's sentences in their order, if a question asks what the source, or its named section, says."""
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
    """Tell whether two sentences say the same, or one holds the other; different figures make them different."""
    left, right = set(tokens(sentence)), set(tokens(other))
    figures = [{term for term in each if term[0].isdigit()} for each in (left - right, right - left)]
    if all(figures):
        return False
    return not left or len(left & right) >= SAME * min(len(left), len(right))


def same_language(text: str, other: str) -> bool:
    """Tell whether two texts are both Chinese or both not."""
    return has_cjk(text) == has_cjk(other)
