"""Whether a claim's numbers are those that the quotes bind to what the claim is about.

A number that a quote has for another period, row or name, or in another unit, does not hold the claim, and neither does
one whose clause says less of what the claim says than another number of its kind does.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from services.evidence.comparing_words import differs_in
from services.evidence.derived_dates import RELATIVE_TIME
from services.evidence.derived_numbers import derivable
from services.evidence.period_binding import Period
from services.evidence.readings import CELL, Number, Reading, conflict, word_keys
from services.evidence.sibling_numbers import given_to_sibling, given_to_topic
from services.text.tables import labels_in
from services.text.measures import MEASURED_KINDS, UNIT_WORDS, digits_of
from services.text.polarity import direction
from services.text.tokens import has_cjk, stem

Fault = Literal["period", "subject", "unit", "other", "reversed", "opposite"]

CONTRAST = 3
"""How many more of a claim's words (pairs of Chinese characters) another number's clause must hold to fit better."""


@dataclass(frozen=True, slots=True)
class Misbound:
    """A number of a claim that the quotes bind to something else."""

    fault: Fault
    number: str
    """As the claim writes it."""
    instead: str = ""
    """What the quotes give for what the claim is about, where they give it."""


@dataclass(frozen=True, slots=True)
class _Context:
    """What a claim speaks of."""

    claim: Reading
    rows: frozenset[str]
    """Rows of tables that it names."""
    kinds: dict[str, set[str]]
    """The kinds of the numbers that stand in a sentence with a name, by the name's words."""

    def rows_of(self, number: Number) -> frozenset[str]:
        """Return the rows that the claim names for a number: those of its segment, where each segment names its own."""
        own = labels_in(self._segment_of(number), self.rows)
        return own or (frozenset() if _PRONOUN.match(self.claim.text) else self.rows)

    def names_of(self, number: Number) -> frozenset[str]:
        """Return the words of the names that stand in a number's segment of the claim, or else in its clause."""
        own = self._segment_of(number).lower()
        return _words(frozenset(name for name in number.names if name in own) or number.names)

    def _segment_of(self, number: Number) -> str:
        """Return the segment of the claim with a number, where others have numbers of their own; empty else."""
        segments = [segment for segment in self.claim.segments if number.text in segment]
        others = any(other.text not in segments[0] for other in self.claim.numbers) if len(segments) == 1 else False
        return segments[0] if others else ""

    def periods_of(self, number: Number) -> frozenset[Period]:
        """Return the periods of a number of the claim: those right beside it, or the only one there is."""
        one = len(self.claim.periods) == 1
        if one and number is not self.claim.numbers[0] and RELATIVE_TIME.search(self.claim.text):
            return frozenset()  # `143 in 2018 and 125 five years later`
        of_another = any(other.near and other.place > number.place for other in self.claim.numbers)
        if not number.near and (not one or number.role == "from" or of_another):
            years = _CALENDAR.findall(self._segment_of(number))
            return number.periods & {(int(years[0]), None, None)} if len(years) == 1 else frozenset()
        return number.periods | _years_within(number.periods, self.claim.text)


def misbound(claim: Reading, quotes: Sequence[Reading]) -> Misbound | None:
    """Return the first number of a claim that the quotes bind to something else; None where all hold or none is found."""
    groups = _groups([claim, *quotes])
    quotes = [_without_groups(quote, groups) for quote in quotes]
    claim = _without_groups(claim, groups)
    held = [number for quote in quotes for number in quote.numbers]
    labels = labels_in(claim.text, {label for quote in quotes for label in quote.labels})
    rows = frozenset(label for label in labels if not any(label != other and label in other for other in labels))
    about = frozenset(word_keys(claim.text))
    context = _Context(claim, rows, _kinds_of_names(held))
    for number in claim.numbers:
        same = [other for other in held if equal(number, other)]
        if not same:
            continue
        faults = [_fault(number, other, context) for other in same]
        if all(faults):
            if _may_be_worked_out(number, same, faults) and derivable(number, claim, quotes):
                continue  # six years that pass between two dates, beside six weeks
            rivals = (other for other in held if _of_kind(other, same[0]) and not equal(number, other))
            fitting = [rival for rival in rivals if not _about_other(number, rival, context)]
            fault = next(fault for fault in faults if fault)
            return Misbound(fault, number.text, fitting[0].text if len(fitting) == 1 and fault != "unit" else "")
        bound = [other for other, fault in zip(same, faults, strict=True) if not fault]
        if misread := _misread_change(number, bound, claim):
            return misread
        if number.change and not any(other.change for other in bound):
            if all(_is_no_change(other) for other in bound) and not derivable(number, claim, quotes):
                return Misbound("other", number.text)  # an end of the change, told as how much it is
            continue  # worked out
        in_prose = CELL not in claim.text and all(other.row < 0 for other in bound)
        if in_prose and (misread := _of_a_neighbour(number, bound, context, quotes)):
            return misread
        if all(other.row >= 0 for other in bound) and not number.text[0].isdigit() and derivable(number, claim, quotes):
            continue  # two of the four stations, where a cell has 2
        rival = _better(about, number, bound, held, context)
        if rival is not None:
            return Misbound("other", number.text, rival.text)
    return _reversed(held, context)


def _misread_change(number: Number, bound: Sequence[Number], claim: Reading) -> Misbound | None:
    """Return a change that the claim turns round, or tells as a level."""
    if number.role == "to" and all(other.change and not other.role for other in bound):
        return Misbound("other", number.text)
    if number.towards and all(_is_opposite(number, other) for other in bound):
        return Misbound("opposite", number.towards_word)
    if not number.change and all(other.change for other in bound) and _tells_no_change(claim):
        return Misbound("other", number.text)
    return None


def _groups(texts: Sequence[Reading]) -> frozenset[float]:
    """Return the percentages that name groups in one of the texts."""
    return frozenset(number.measure.value for text in texts for number in text.numbers if number.names_group)


def _without_groups(text: Reading, groups: frozenset[float]) -> Reading:
    """Return a text whose numbers are those that are no names of groups."""
    if not groups:
        return text
    named = (number.measure.kind == "percent" and number.measure.value in groups for number in text.numbers)
    return replace(
        text, numbers=tuple(number for number, is_name in zip(text.numbers, named, strict=True) if not is_name)
    )


def _is_opposite(number: Number, other: Number) -> bool:
    """Tell whether a claim's rise is a fall in the quotes, or the other way round; growth that falls to a cell's number is neither."""
    return other.towards == -number.towards and not (other.row >= 0 and number.role == "to")


def equal(number: Number, other: Number) -> bool:
    """Tell whether two numbers have one value, as written or in units that convert."""
    mine, theirs = number.measure, other.measure
    counted_in_cell = other.row >= 0 and mine.kind not in MEASURED_KINDS
    of_one_kind = mine.kind == theirs.kind or (not theirs.kind and (other.scale != 1 or counted_in_cell))
    if of_one_kind and mine.agrees(theirs):
        return True
    if math.isclose(mine.value / mine.factor, theirs.value / theirs.factor, rel_tol=1e-9):
        return True
    if not mine.kind and math.isclose(
        mine.value / mine.factor, theirs.value / theirs.factor / other.scale, rel_tol=1e-9
    ):
        return True  # a row that is copied, without the scale that its heading gives
    if number.in_cell and not mine.kind and digits_of(number.text) == digits_of(other.text) > 0:
        return True
    return math.isclose(mine.value / mine.factor, theirs.value, rel_tol=1e-9)


def _kinds_of_names(held: Sequence[Number]) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for number in held:
        for word in _words(number.names) if number.row < 0 else ():
            kinds.setdefault(word, set()).add(number.measure.kind)
    return kinds


def _may_be_worked_out(number: Number, same: Sequence[Number], faults: Sequence[str]) -> bool:
    """Tell whether a number that the quotes give of something else may be another one: a count in words, a time, a result beside prose."""
    if not re.match(r"\d", number.text) or (set(faults) == {"unit"} and number.measure.kind == "time"):
        return True
    return set(faults) == {"subject"} and all(other.row < 0 for other in same)


def _is_no_change(number: Number) -> bool:
    """Tell whether a number of the quotes is an end of a change, or a percentage of a table under another heading than that of a change."""
    return bool(number.role) or (number.row >= 0 and number.measure.kind == "percent" and not number.towards)


def _tells_no_change(claim: Reading) -> bool:
    """Tell whether a claim speaks of no difference, so that its numbers say how much there is."""
    return not direction(claim.text) and not differs_in(claim.text)


def _fault(number: Number, other: Number, context: "_Context") -> Fault | Literal[""]:
    """Return why a number of the quotes is not what the claim speaks of; empty where it may be."""
    return "unit" if _units_clash(number, other) else _about_other(number, other, context)


def _about_other(number: Number, other: Number, context: "_Context") -> Fault | Literal[""]:
    """Return whether a number of the quotes is one of another period, row or name."""
    periods = context.periods_of(number)
    if other.role == "from" and not other.near:
        periods = frozenset()
    if periods <= context.claim.since and not any(
        _before(theirs, mine) for theirs in other.periods for mine in periods
    ):
        periods = frozenset()
    if conflict(periods, other.periods) and number.measure.kind != "time":
        return "period"  # a time goes on: `in 2019 he expected five more years`
    if other.row >= 0:
        rows = context.rows_of(number)
        return "subject" if rows and not rows & other.names else ""
    mine, theirs = context.names_of(number), _words(other.names)
    of_its_own = all(other.measure.kind in context.kinds.get(word, ()) for word in mine)
    return "subject" if mine and theirs and not mine & theirs and of_its_own else ""


def _before(former: Period, other: Period) -> bool:
    return former[0] is not None and other[0] is not None and former[0] < other[0]


_PRONOUN = re.compile(r"(?:It|Its|They|Their|This|These|He|His|She|Her)\b|[其它该]")
"""With which a claim begins that speaks of what another sentence named."""
_CALENDAR = re.compile(r"(?<!\d)[12]\d{3}(?=年)")
_SPAN = re.compile(r"(?<!\d)([12]\d{3})年?\s?(?:and|to|until|through|[–—-]|[至到])\s?(?:the )?([12]\d{3})(?!\d)")


def _years_within(periods: frozenset[Period], text: str) -> frozenset[Period]:
    """Return the years of a span that two periods are the ends of: `between 2019 and 2023`."""
    years = {year for year, _, _ in periods}
    spans = ((int(first), int(last)) for first, last in _SPAN.findall(text)) if len(years) > 1 else ()
    return frozenset(
        (year, None, None) for first, last in spans if {first, last} <= years for year in range(first, last + 1)
    )


def _words(names: frozenset[str]) -> frozenset[str]:
    return frozenset(stem(word) for name in names for word in name.split())


def _units_clash(number: Number, other: Number) -> bool:
    if number.rate and other.rate and number.rate != other.rate:
        return True
    mine, theirs = number.measure, other.measure
    if "percent" in (mine.kind, theirs.kind) and mine.kind != theirs.kind:
        return bool(mine.kind and theirs.kind)
    if mine.kind not in MEASURED_KINDS or theirs.kind not in MEASURED_KINDS:
        return False
    return mine.kind != theirs.kind or not (mine.agrees(theirs) or math.isclose(mine.value, theirs.value, rel_tol=0.06))


def _of_kind(number: Number, other: Number) -> bool:
    """Tell whether two numbers measure one thing: in a table, under headings that differ in their years at most."""
    if number.measure.kind != other.measure.kind or (number.row >= 0) is not (other.row >= 0):
        return False
    return number.row < 0 or _undated(number.words) == _undated(other.words)


def _of_a_neighbour(
    number: Number, bound: Sequence[Number], context: "_Context", quotes: Sequence[Reading]
) -> Misbound | None:
    """Return a number whose words in the quotes are those of another number beside it."""
    if not any(other.change for other in bound) and (sibling := given_to_sibling(number, bound, context.claim, quotes)):
        return Misbound("other", number.text, sibling)
    sentences = {other.words for other in bound}
    rivals = [
        rival
        for quote in quotes
        for rival in quote.numbers
        if rival.row < 0
        and rival.words in sentences
        and rival.measure.kind == bound[0].measure.kind
        and not equal(number, rival)
        and not _about_other(number, rival, context)
    ]
    topic = given_to_topic(number, bound, context.claim, quotes, rivals)
    return Misbound("subject", number.text, topic) if topic else None


def _undated(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not word[0].isdigit() and word not in UNIT_WORDS)


def _better(
    about: frozenset[str],
    number: Number,
    bound: Sequence[Number],
    held: Sequence[Number],
    context: "_Context",
) -> Number | None:
    """Return a number of the same kind whose clause says more of the claim than that of any number which it may be."""
    if any(other.row >= 0 for other in bound):
        return _better_column(_undated(about), bound, held, context)
    fit = max((len(other.words & about) for other in bound), default=0)
    words = number.words if has_cjk(context.claim.text) else about
    for rival in held:
        if (
            rival.row >= 0
            or any(equal(other, rival) for other in context.claim.numbers)
            or rival.measure.kind != bound[0].measure.kind
        ):
            continue
        if len(rival.words & words) >= fit + CONTRAST and not _about_other(number, rival, context):
            return rival
    return None


def _better_column(
    about: frozenset[str], bound: Sequence[Number], held: Sequence[Number], context: "_Context"
) -> Number | None:
    """Return a number of the same row whose heading the claim has words of, where it has none of the heading of its own number."""
    if any(other.words & about for other in bound) or any(other.row < 0 for other in bound):
        return None
    rows = {other.row for other in bound}
    kinds = {other.measure.kind for other in bound}
    rivals = (rival for rival in held if rival.row in rows and rival.measure.kind in kinds and rival.words & about)
    years = {float(year) for year, _, _ in context.claim.periods if year is not None}
    return next(
        (
            rival
            for rival in rivals
            if rival.measure.value not in years and not any(equal(mine, rival) for mine in context.claim.numbers)
        ),
        None,
    )


def _reversed(held: Sequence[Number], context: "_Context") -> Misbound | None:
    """Return the beginning of a change that the quotes give as its end."""
    for first, last in _changes(context.claim):
        starts = [other for other in held if equal(first, other) and not _fault(first, other, context)]
        ends = [other for other in held if equal(last, other) and not _fault(last, other, context)]
        pairs = [(start, end) for start in starts for end in ends if start.column < 0 or start.row == end.row]
        if pairs and all(_turned(start, end) for start, end in pairs):
            return Misbound("reversed", f"{first.text} → {last.text}", f"{last.text} → {first.text}")
    return None


def _changes(claim: Reading) -> Iterator[tuple[Number, Number]]:
    for first in claim.numbers:
        for last in claim.numbers:
            if first.role == "from" and last is not first and last.role == "to":
                yield first, last


def _turned(start: Number, end: Number) -> bool:
    if start.role == "to" and end.role == "from":
        return True
    if len(start.periods) == len(end.periods) == 1:
        (before,), (after,) = start.periods, end.periods
        return _later(before, after)
    return False


def _later(former: tuple[int | None, ...], other: tuple[int | None, ...]) -> bool:
    """Tell whether one period comes after another."""
    for left, right in zip(former, other, strict=True):
        if left is None or right is None:
            return False
        if left != right:
            return left > right
    return False
