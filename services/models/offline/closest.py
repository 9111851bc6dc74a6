"""Ranks texts by how much of a question they hold: its words, rare ones weighing more, in their best sentence and around it.

Among the closest it finds figures that differ: statements of two sources in almost the same words with different measures of one
kind, and of one source in the same words.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from schemas.evidence import Contradiction
from schemas.evidence_view import EvidenceView
from services.embedding.cross_lingual import across_languages
from services.text.code_blocks import is_fence
from services.text.measures import UNIT_WORDS, Measure, measure_at, measures
from services.text.numbers import quantities, quantities_with_places
from services.text.passages import sentences
from services.text.questions import answer_type, clauses_of, is_question, names_in
from services.text.tables import row_of
from services.text.terms import content, terms, worth
from services.text.tokens import STOP_WORDS, tokens

OTHER_PARTS = 0.3
"""Weight of a term of the other parts for a part that names nothing, relative to a term of its own and to a name."""
AROUND = 0.5
"""Weight of a term that stands in the text or its source's title, but not in the sentence."""
WITH_FIGURE = 1.25
"""Factor on a sentence with a figure that the question lacks, for a part that asks for a number or a date."""
OF_QUESTION = 0.1
"""Factor on a sentence that is a question, by which it is not close: it answers nothing."""
ASKED = 0.75
"""Share of a question's terms from which a heading asks the same: they then count for each sentence below it as its own."""
AGAIN = 0.35
"""Factor on the weight of a term that an earlier passage holds, so that a further one adds something."""
SAME_SOURCE = 0.8
"""Factor on the closeness of a further passage of one source."""
CLOSE = 0.2
"""Minimum closeness of a passage that is shown."""
_LINK = re.compile(r"!?\[[^\[\]\n]{0,300}+\]\([^()\s]{0,500}+\)")
_FIGURE = re.compile(r"\d[\d,.]*")


@dataclass(frozen=True)
class ComparedPassage:
    """A text to compare with a question."""

    title: frozenset[str]
    """Terms of its source's title."""
    heading: frozenset[str]
    """Terms of what stands above it: its heading, and the columns of its table."""
    sentences: Sequence[frozenset[str]]
    """Terms of each sentence."""
    foreign: Sequence[float]
    """Similarity of each sentence in another language to the question, from 0 to 1."""
    fit: Sequence[float]
    """Factor on each sentence for the kind of answer that is asked for."""

    @cached_property
    def held(self) -> frozenset[str]:
        """All terms of the text and of its source's title."""
        return self.title.union(self.heading, *self.sentences)

    def closeness_of(self, place: int, weights: Mapping[str, float]) -> float:
        """Return how close a sentence with the text around it is, from 0 to 1; a year or another number alone brings no text near."""
        common = weights.keys() & self.held
        if all(map(_is_number, common)) and not all(map(_is_number, weights)):
            common = set()
        around = sum(weights[term] for term in common)
        asks = sum(weights[term] for term in weights.keys() & self.heading) >= ASKED * sum(weights.values())
        own_terms = self.sentences[place] | self.heading if asks else self.sentences[place]
        own = sum(weights[term] for term in common & own_terms)
        return min(1.0, max(own + AROUND * (around - own), self.foreign[place]) * self.fit[place])

    def closeness(self, weights: Mapping[str, float]) -> tuple[float, int]:
        """Return how close the closest sentence is, and its place."""
        scores = [self.closeness_of(place, weights) for place in range(len(self.sentences))]
        best = max(range(len(scores)), key=lambda place: scores[place], default=0)
        return (scores[best], best) if scores else (0.0, 0)


def statements_in(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [text[span.start : span.end] for span in sentences(text)] or [text]


def compared(
    part: str, question: str, candidates: Iterable[tuple[str, str, Sequence[str]]]
) -> tuple[list[ComparedPassage], dict[str, float]]:
    """Prepare texts for the comparison with a part of a question, and weigh its terms; the weights add up to 1.

    A candidate is the title of a text's source, what stands above it, and its sentences. A part without names is
    completed by those of the whole question and, with less weight, by its other words.
    """
    listed = list(candidates)
    every = [sentence for _, _, source_sentences in listed for sentence in source_sentences]
    foreign = across_languages(part, every)
    figure, question_figures = answer_type(part) == "figure", set(_FIGURE.findall(question))
    texts = [
        ComparedPassage(
            frozenset(terms(title)),
            frozenset(terms(above)),
            [frozenset(terms(sentence)) for sentence in source_sentences],
            [foreign.get(sentence, 0.0) for sentence in source_sentences],
            [
                (WITH_FIGURE if figure and not question_figures.issuperset(_FIGURE.findall(each)) else 1.0)
                * (OF_QUESTION if is_question(each) else 1.0)
                for each in source_sentences
            ],
        )
        for title, above, source_sentences in listed
    ]
    leans = not names_in(part)
    own = list(dict.fromkeys([*content(part), *(terms(" ".join(names_in(question))) if leans else ())]))
    other = [term for term in content(question) if term not in own] if leans else []
    rare = worth([*own, *other], [held for text in texts for held in text.sentences], "\n".join(every))
    weights = {term: weight * (1.0 if term in own else OTHER_PARTS) for term, weight in rare.items()}
    total = sum(weights.values()) or 1.0
    return texts, {term: weight / total for term, weight in weights.items()}


def _is_number(term: str) -> bool:
    return term[0].isdigit()


def as_compared(view: EvidenceView) -> tuple[str, str, list[str]]:
    """Return an excerpt's title, what stands above it, unless that is the title, and its sentences."""
    above = f"{view.section if view.section != view.title else ''} {view.columns}"
    return view.title, above, statements_in(view.quote)


def without(weights: Mapping[str, float], held: Iterable[str]) -> dict[str, float]:
    """Return the weights for later texts, in which the terms of an earlier text or sentence count less."""
    again = frozenset(held)
    return {term: weight * (AGAIN if term in again else 1.0) for term, weight in weights.items()}


def _lacks_content(view: EvidenceView) -> bool:
    """Tell whether a quote is only links, the title of its source, or its header, fields with that title among them: the source's card has it."""
    words = "".join(re.findall(r"\w", _LINK.sub("", view.quote)))
    if not words or words == "".join(re.findall(r"\w", view.title)):
        return True
    fields = [line.partition(":") for line in view.quote.splitlines() if line.strip("- ")]
    return all(colon for _, colon, _ in fields) and any(
        value.strip() and view.title.endswith(value.strip()) for _, _, value in fields
    )


def closest_passages(
    question: str, evidence: Sequence[EvidenceView], max_items: int, part: str = ""
) -> list[tuple[EvidenceView, float]]:
    """Return the excerpts closest to a question, or to a part of it, with their closeness, best first.

    Terms that earlier excerpts hold count less in later ones, and so does a source that was used before.
    """
    texts, weights = compared(part or question, question, map(as_compared, evidence))
    scores = [text.closeness(weights)[0] for text in texts]
    candidates = [place for place, score in enumerate(scores) if score >= CLOSE and not _lacks_content(evidence[place])]
    left: Mapping[str, float] = weights
    chosen: list[int] = []
    while candidates and len(chosen) < max_items:
        titles = {evidence[place].title for place in chosen}
        gains = {
            place: texts[place].closeness(left)[0] * (SAME_SOURCE if evidence[place].title in titles else 1.0)
            for place in candidates
        }
        best = max(candidates, key=lambda place: gains[place])
        candidates.remove(best)
        quote = evidence[best].quote
        if not any(quote in evidence[place].quote or evidence[place].quote in quote for place in chosen):
            chosen.append(best)
            left = without(left, texts[best].held)
    return [(evidence[place], scores[place]) for place in chosen]


MAX_PAIRS = 3
MAX_NEAR = 8
"""Passages closest to each part of the question whose figures are compared, twice as many as are shown: others differ in what nobody asked."""
MIN_SHARED, SHARED = 5, 0.45
"""Terms that two statements must share, and their share of the shorter one, to be on one thing."""
MIN_WHOLE = 3
"""Terms that suffice where the shorter statement has no others, and they are half of the longer one."""
MIN_ASKED = 2
"""Terms of a part of the question that suffice where both statements hold all of them: the question says what is measured."""
MAX_STATEMENTS = 200
"""Maximum number of statements to compare; the time grows with their square."""
LONGEST_WORD = 40
_WORD_BEFORE = re.compile(r"\b([^\W\d_]{2,40}+)\s\Z")
_DESIGNATION = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{1,8}+)-?+(\d{1,9}+)(?![A-Za-z0-9]|[.,]\d)")
"""A word of letters and a number, such as `M7`."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


class _Statement(NamedTuple):
    """A sentence with a measure or the day of an event."""

    excerpt: EvidenceView
    text: str
    closeness: Sequence[float]
    """How close it is to each part of the question, without the text around it."""
    measures: Sequence[Measure]
    terms: frozenset[str]
    """What says what is measured."""
    years: set[str]
    numbered: Mapping[str, float]
    """Numbers that count nothing, by the word or letters before: `pump 3` is another than `pump 1`, and `M7` than `M22`."""


def differing_figures(question: str, evidence: Sequence[EvidenceView]) -> list[Contradiction]:
    """Return pairs of close excerpts with different figures or days of one thing, the closest to the question first.

    Rows of tables and code are left out, and statements without a word of the question. A source that disagrees with itself is a pair, too, or one
    excerpt where both statements stand in it.
    """
    parts = clauses_of(question)
    asked = [frozenset(content(part)) for part in parts]
    pairs = [
        (max(map(min, first.closeness, other.closeness)), first, other)
        for first, other in combinations(_statements(question, parts, evidence), 2)
        if _on_one_thing(first, other, asked)
    ]
    found: dict[str, Contradiction] = {}
    for closeness, first, other in sorted(pairs, key=lambda pair: -pair[0]):
        if closeness and (figures := _differing(first.measures, other.measures)):
            sides = list(dict.fromkeys([first.excerpt.id, other.excerpt.id]))
            said = [first.text, other.text]
            found.setdefault(figures, Contradiction(topic="", excerpt_ids=sides, explanation=figures, said=said))
    return list(found.values())[:MAX_PAIRS]


def _statements(question: str, parts: Sequence[str], evidence: Sequence[EvidenceView]) -> list[_Statement]:
    closest = {view.id for part in parts for view, _ in closest_passages(question, evidence, MAX_NEAR, part)}
    told = [
        (excerpt, text, measured)
        for excerpt in evidence
        if excerpt.id in closest
        for span in sentences(excerpt.quote, in_code=is_fence(excerpt.columns))
        if not span.code and row_of(text := excerpt.quote[span.start : span.end]) is None
        if (measured := [*measures(text), *_days(text)])
    ][:MAX_STATEMENTS]
    of_parts = [compared(part, question, [("", "", [text]) for _, text, _ in told]) for part in parts]
    return [
        _Statement(
            excerpt=excerpt,
            text=text,
            closeness=[texts[place].closeness(weights)[0] for texts, weights in of_parts],
            measures=measured,
            terms=frozenset(_terms(text)),
            years=set(_YEAR.findall(text)),
            numbered=dict(_numbered(text)),
        )
        for place, (excerpt, text, measured) in enumerate(told)
    ]


def _numbered(text: str) -> Iterator[tuple[str, float]]:
    text, placed = quantities_with_places(text)
    for start, end, quantity in placed:
        word = _WORD_BEFORE.search(text, max(0, start - LONGEST_WORD), start)
        if word and word[1].lower() not in STOP_WORDS and not measure_at(text, start, end, quantity).kind:
            yield word[1].lower(), quantity.value
    counted = {place for start, end, _ in placed for place in range(start, end)}
    for named in _DESIGNATION.finditer(text):
        if named.start(2) not in counted:
            yield named[1].lower(), float(named[2])


def _days(text: str) -> Iterator[Measure]:
    """Yield the dates that name a day."""
    for quantity in quantities(text):
        _, month, day = quantity.date
        if month and day:
            yield Measure("date", 31 * month + day, 0.0, 1.0, quantity.text)


def _terms(text: str) -> Iterator[str]:
    """Yield the terms that say what is measured."""
    numbers = UNIT_WORDS.union(*(tokens(quantity.text) for quantity in quantities(text)))
    both = zip(tokens(text), terms(text), strict=True)
    return (term for token, term in both if not token[0].isdigit() and token not in numbers)


def _differing(left: Sequence[Measure], right: Sequence[Measure]) -> str:
    """Return the measures of one kind in which two statements differ; empty if they share a measure of every kind."""
    differences: list[str] = []
    for kind in dict.fromkeys(measure.kind for measure in left if measure.kind):
        own, others = ([measure for measure in side if measure.kind == kind] for side in (left, right))
        if others and not any(a.agrees(b) for a in own for b in others):
            differences.append(f"{', '.join(a.text for a in own)} / {', '.join(b.text for b in others)}")
    return "; ".join(differences)


def _on_one_thing(first: _Statement, other: _Statement, asked: Iterable[frozenset[str]]) -> bool:
    """Tell whether two statements are on one thing, as far as their words say.

    What one source says in almost the same words is mostly of two cases, so there each statement has a single measure of a kind, and one
    has all words of the other.
    """
    own, others, years = first.terms, other.terms, first.years & other.years
    if first.years and other.years and not years:
        return False
    if any(first.numbered[word] != other.numbered[word] for word in first.numbered.keys() & other.numbered.keys()):
        return False
    single = all(len({measure.kind for measure in side.measures}) == len(side.measures) for side in (first, other))
    same_words = single and (own <= others or others <= own)
    if same_words and any(len(part) >= MIN_ASKED and part <= (own & others) | years for part in asked):
        return True
    shared, fewer, more = len(own & others), *sorted([len(own), len(others)])
    alike = shared >= max(MIN_SHARED, SHARED * fewer) or shared == fewer >= max(MIN_WHOLE, more / 2)
    return alike and (same_words or first.excerpt.title != other.excerpt.title)
