"""Whether excerpts that a model calls contradictory are: other sources, one subject, and a difference that code can see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from schemas.evidence import Contradiction, Difference, Excerpt, Source
from services.text.duplicates import root_of
from services.text.measures import UNIT_WORDS, Measure, is_year, measures
from services.text.names import names
from services.text.numbers import quantities
from services.text.passages import sentences
from services.text.polarity import negated, opposite
from services.text.quote_location import locate
from services.text.tokens import has_cjk, tokens

RELATED = 0.2
"""Share of the terms of the shorter of two excerpts, with their titles, that the other must hold to be on one subject."""
ALIKE = 0.34
"""The same for two sentences whose numbers or opposed words are compared."""
SAME = 0.5
"""The same for two sentences of which one denies, or which only date a thing differently: other events have other dates."""
_FEWEST = 2
"""Terms that two texts must share at least, lest one common word relate them."""

Date = tuple[int | None, int | None, int | None]


def check_contradiction(
    named: Contradiction, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]
) -> Contradiction | None:
    """Check a contradiction that a model named.

    Args:
        named: its `differs` is not looked at.
        excerpts: by id.
        sources: by content hash.

    Returns:
        The contradiction with the excerpts that are its sides, and in `differs` what code sees them differ in (empty where
        it sees nothing); None where there are no two sides on one subject: excerpts that do not exist, quote the same,
        come from one source or from copies of it, or have nothing in common.
    """
    known = [
        _Side(excerpts[identifier], sources)
        for identifier in dict.fromkeys(named.excerpt_ids)
        if identifier in excerpts
    ]
    sides: list[_Side] = []
    for side in known:
        if not any(side.repeats(other) for other in sides):
            sides.append(side)
    pairs = [(one, other) for one, other in combinations(sides, 2) if one.related(other, named.topic)]
    if not pairs:
        return None
    side_ids = [side.id for side in sides if any(side in pair for pair in pairs)]
    differs = next((difference for one, other in pairs if (difference := _difference(one, other))), "")
    return named.model_copy(update={"excerpt_ids": side_ids, "differs": differs})


@dataclass(frozen=True, eq=False)
class _Side:
    """One excerpt of a contradiction, with its source."""

    excerpt: Excerpt
    sources: Mapping[str, Source]

    @property
    def id(self) -> str:
        return self.excerpt.id

    @property
    def source(self) -> Source | None:
        return self.sources.get(self.excerpt.content_hash)

    @cached_property
    def text(self) -> str:
        """The quote with its source's title, which often names what the quote calls `it`."""
        return f"{self.source.title if self.source else ''}. {self.excerpt.quote}"

    @cached_property
    def sentences(self) -> list["_Statement"]:
        quote = self.excerpt.quote
        title = self.source.title if self.source else ""
        return [_Statement(quote[span.start : span.end], title) for span in sentences(quote)] or [
            _Statement(quote, title)
        ]

    def repeats(self, other: "_Side") -> bool:
        """Tell whether the two quote one text: one source, a copy of it, or the same words."""
        one, two = self.excerpt, other.excerpt
        if one.content_hash == two.content_hash or locate(one.quote, two.quote) or locate(two.quote, one.quote):
            return True
        return root_of(one.content_hash, self.sources) == root_of(two.content_hash, self.sources)

    def related(self, other: "_Side", topic: str) -> bool:
        """Tell whether two excerpts are on one subject: by their words, by a name, or by the topic that both hold."""
        if has_cjk(self.excerpt.quote) != has_cjk(other.excerpt.quote):
            shared = _words_of_names(self.text) & _words_of_names(other.text)
            return bool(shared) or _comparable(self, other)
        mine, theirs = _terms(self.text), _terms(other.text)
        common = mine & theirs
        if len(common) >= _FEWEST and len(common) >= RELATED * min(len(mine), len(theirs)):
            return True
        about = _terms(topic)
        held = min(len(about & mine), len(about & theirs))
        return held >= _FEWEST and held >= SAME * len(about)


@dataclass(frozen=True, eq=False)
class _Statement:
    """One sentence of an excerpt."""

    text: str
    title: str

    @cached_property
    def terms(self) -> set[str]:
        return _terms(self.text)

    @cached_property
    def dates(self) -> list[Date]:
        numbers = quantities(self.text)
        dates = [number.date for number in numbers if number.kind == "date"]
        return dates + [(int(number.value), None, None) for number in numbers if is_year(number)]

    @cached_property
    def measures(self) -> dict[str, list[Measure]]:
        kinds: dict[str, list[Measure]] = {}
        for measure in measures(self.text):
            kinds.setdefault(measure.kind, []).append(measure)
        return kinds

    def likeness(self, other: "_Statement") -> float:
        """Return which share of the shorter sentence's terms both hold; titles speak for what a sentence leaves unsaid."""
        mine, theirs = self.terms, other.terms
        common = (mine & (theirs | _terms(other.title))) | (theirs & (mine | _terms(self.title)))
        smaller = min(len(mine), len(theirs))
        return len(common) / smaller if smaller and len(common) >= min(_FEWEST, smaller) else 0.0


def _difference(one: _Side, other: _Side) -> Difference:
    """Return what the two most alike sentences of two excerpts differ in, if code can see it."""
    pairs = [(left.likeness(right), left, right) for left in one.sentences for right in other.sentences]
    for likeness, left, right in sorted(pairs, key=lambda pair: -pair[0]):
        if likeness < ALIKE:
            break
        if _other_measures(left, right):
            return "numbers"
        if has_cjk(left.text) != has_cjk(right.text):
            continue
        if opposite(left.text, right.text) or opposite(right.text, left.text):
            return "opposites"
        if likeness >= SAME and negated(left.text) != negated(right.text):
            return "negation"
        if likeness >= SAME and _other_dates(left.dates, right.dates):
            return "dates"
    return ""


def _other_measures(left: _Statement, right: _Statement) -> bool:
    """Tell whether two sentences measure something of one kind, and no value of the one agrees with one of the other."""
    return any(
        not any(measure.agrees(two) for measure in left.measures[kind] for two in right.measures[kind])
        for kind in left.measures.keys() & right.measures.keys()
    )


def _other_dates(left: Sequence[Date], right: Sequence[Date]) -> bool:
    return bool(left and right) and not any(_compatible(mine, theirs) for mine in left for theirs in right)


def _compatible(one: Date, two: Date) -> bool:
    """Tell whether two dates may be the same, one of them given less exactly."""
    return all(left is None or right is None or left == right for left, right in zip(one, two, strict=True))


def _comparable(one: _Side, other: _Side) -> bool:
    """Tell whether excerpts in two languages, whose words cannot be compared, measure something of one kind."""
    return any(
        left.measures.keys() & right.measures.keys() - {""} for left in one.sentences for right in other.sentences
    )


def _terms(text: str) -> set[str]:
    terms = (term for term in tokens(text) if term not in UNIT_WORDS and not term[0].isdigit())
    return {term for term in terms if len(term) > 1 or has_cjk(term)}


def _words_of_names(text: str) -> set[str]:
    return {word for name in names(text) if not has_cjk(name) for word in _terms(name)}
