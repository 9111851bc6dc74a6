"""Differences between two excerpts of different sources that code can see: numbers, dates, a negation, opposites.

Numbers contradict each other where they measure one thing for one period: of one kind, in clauses about one quantity and
one subject, or in cells of one row and heading.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from schemas.evidence import Difference
from services.evidence.period_binding import Period
from services.evidence.readings import Number, Reading, conflict, read, word_keys
from services.evidence.same_subject import Subject, same_subject
from services.text.measures import UNIT_WORDS, Measure, is_year, measures
from services.text.numbers import quantities, quantities_with_places
from services.text.passages import sentences
from services.text.polarity import direction, negated, opposite
from services.text.tokens import has_cjk, tokens

ALIKE = 0.34
"""Share of the terms of the shorter of two sentences that the other must hold for numbers or opposed words to be compared."""
SAME = 0.5
"""The same for two sentences of which one denies, or which only date a thing differently: other events have other dates."""
MIN_SHARED = 2
"""Terms that two texts must share at least, lest one common word relate them."""
MAX_PAIRS = 40
"""Pairs of sentences, the most alike first, that are compared."""
MAX_NUMBERS = 12
"""Numbers of a sentence that are compared."""
MAX_CELLS = 200
"""Cells of tables that are compared."""
_LIMIT_BEFORE = re.compile(
    r"(?:\b(?:more|less|fewer|greater|higher|lower) than|\b(?:over|under|above|below|exceed(?:s|ed|ing)?|at least|at most|up to|"
    r"at (?:least|most) about)|超过|不足|至少|至多|最多|不到|逾|多于|少于|高于|低于|大于|小于)\s?[$€£¥]?$",
    re.IGNORECASE,
)
_LIMIT_AFTER = re.compile(r"[^\s\d，。；]{0,3}(?:以上|以下|以内)|\s(?:\w{1,12}\s)?or (?:more|less|fewer|over|under)\b")
_LEVEL = re.compile(r"\s?(?:\w{1,12}\s){0,2}(?:above|below)\b", re.IGNORECASE)
"""Behind a number that is no difference: `10,994 m below sea level`."""
_RANGE = re.compile(r"[^\w\n]{0,3}(?:\w{1,12}\s)?(?:[-–—~～]|to|and|[至到])[^\w\n]{0,3}", re.IGNORECASE)
_RANGE_BEFORE = re.compile(r"(?:\bbetween|\bfrom|在|从)\s?[$€£¥]?$", re.IGNORECASE)
_YEARS = re.compile(r"(?:fiscal )?years?|年|年份|年度", re.IGNORECASE)
"""Heading of a column of years."""
_YEAR = re.compile(r"[12]\d{3}")
_ASIDE = re.compile(r"[（(][^（）()]{1,40}[）)]|[12]\d{3}\s?年?")
"""What a heading has besides its quantity: a unit and a year."""


class Quoted:
    """An excerpt as it is compared with another."""

    def __init__(self, quote: str, title: str) -> None:
        self._quote, self._title = quote, title

    @cached_property
    def statements(self) -> list["Statement"]:
        """Its sentences."""
        texts = [self._quote[span.start : span.end] for span in sentences(self._quote)] or [self._quote]
        found: list[Statement] = []
        for text in texts:
            found.append(Statement(text, self._title, found[-1] if found else None))
        return found

    @cached_property
    def reading(self) -> Reading:
        """The whole quote, with its tables."""
        return read(self._quote)

    @cached_property
    def cells(self) -> list["Cell"]:
        """The numbers of its tables, but those of rows that add up others."""
        found = (_cell(number, self.reading) for number in self.reading.numbers if number.row >= 0)
        return list(islice((cell for cell in found if cell is not None), MAX_CELLS))


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of a table and what it is of."""

    number: Number
    label: str
    """Of its row, in lower case; empty where the row begins with a year."""
    heading: frozenset[str]
    """Words of its column's heading, without years and units."""
    periods: frozenset[Period]

    def of_one_thing(self, other: "Cell") -> bool:
        """Tell whether two cells are of one row, heading, kind and period."""
        return (
            self.label == other.label
            and bool(self.heading & other.heading)
            and _no_other_words(self.heading, other.heading)
            and self.number.measure.kind == other.number.measure.kind
            and not conflict(self.periods, other.periods)
            and (bool(self.label) or bool(self.periods and other.periods))
        )


@dataclass(frozen=True, eq=False)
class Statement(Subject):
    """One sentence of an excerpt."""

    @cached_property
    def terms(self) -> set[str]:
        """What it has in common with another sentence if both are alike."""
        return content_terms(self.text)

    @cached_property
    def dates(self) -> list[Period]:
        """Its dates and years."""
        found = quantities(self.text)
        dates = [number.date for number in found if number.kind == "date"]
        return dates + [(int(number.value), None, None) for number in found if is_year(number)]

    @cached_property
    def measures(self) -> dict[str, list[Measure]]:
        """Its numbers, by what they count."""
        kinds: dict[str, list[Measure]] = {}
        for measure in measures(self.text):
            kinds.setdefault(measure.kind, []).append(measure)
        return kinds

    @cached_property
    def numbers(self) -> list[Number]:
        """Its numbers, but the ends of ranges, limits that are not reached, and differences."""
        text, placed = quantities_with_places(self.text)
        ends = {start: end for start, end, _ in placed}
        ranged = {
            place
            for (start, end, _), (following, _, _) in pairwise(placed)
            if _RANGE.fullmatch(between := text[end:following])
            and ("and" not in between.lower() or _RANGE_BEFORE.search(text[max(0, start - 12) : start]))
            for place in (start, following)
        }
        return [
            number
            for number in self.reading.numbers[:MAX_NUMBERS]
            if number.row < 0
            and number.place not in ranged
            and (not number.change or _LEVEL.match(text, ends.get(number.place, number.place)))
            and not _LIMIT_BEFORE.search(text[max(0, number.place - 24) : number.place])
            and not _LIMIT_AFTER.match(text, ends.get(number.place, number.place))
        ]

    def likeness(self, other: "Statement") -> float:
        """Return which share of the shorter sentence's terms both hold; titles speak for what a sentence leaves unsaid."""
        mine, theirs = self.terms, other.terms
        common = (mine & (theirs | content_terms(other.title))) | (theirs & (mine | content_terms(self.title)))
        smaller = min(len(mine), len(theirs))
        return len(common) / smaller if smaller and len(common) >= min(MIN_SHARED, smaller) else 0.0


def difference(first: Quoted, other: Quoted, *, bound: bool = True) -> Difference:
    """Return what two excerpts differ in, if code can see it.

    Args:
        first: an excerpt.
        other: an excerpt of another source.
        bound: whether subject, quantity and period must be the same. Bundles of versions before 0.2 were written without
            that: two alike sentences were enough.
    """
    if bound and _cells_differ(first, other):
        return "numbers"
    pairs = [(left.likeness(right), left, right) for left in first.statements for right in other.statements]
    alike = sorted((pair for pair in pairs if pair[0] >= ALIKE), key=lambda pair: -pair[0])
    for likeness, left, right in alike[:MAX_PAIRS] if bound else alike:
        if _numbers_differ(left, right, first, other) if bound else _other_measures(left, right):
            return "numbers"
        if has_cjk(left.text) != has_cjk(right.text):
            continue
        if kind := _said_otherwise(left, right, likeness, bound=bound):
            return kind
    return ""


def agreement(first: Quoted, other: Quoted) -> bool:
    """Tell whether two excerpts in one language give one thing the same number: code sees it in two sentences that are alike.

    Args:
        first: an excerpt.
        other: an excerpt of another source.
    """
    pairs = [(left.likeness(right), left, right) for left in first.statements for right in other.statements]
    alike = sorted((pair for pair in pairs if pair[0] >= ALIKE), key=lambda pair: -pair[0])
    return any(
        _numbers_agree(left, right)
        for _, left, right in alike[:MAX_PAIRS]
        if has_cjk(left.text) == has_cjk(right.text) and negated(left.text) == negated(right.text)
    )


_CONDITIONS = frozenset({"time", "岁", "aged"})
"""Kinds of numbers that only say of whom, or how long, another number of the sentence is."""


def _is_condition(number: Number, statement: Statement) -> bool:
    """Tell whether a number is a dose, an age or a duration beside the figures of a sentence, and so none that can be confirmed."""
    kinds = {other.measure.kind for other in statement.reading.numbers} - _CONDITIONS - {""}
    return number.names_group or (number.measure.kind in _CONDITIONS and bool(kinds))


def _numbers_agree(left: Statement, right: Statement) -> bool:
    """Tell whether two sentences give one thing the same number for a period that may be the same."""
    return any(
        bool(mine.measure.kind)
        and not _is_condition(mine, left)
        and not _is_condition(theirs, right)
        and _comparable(mine, theirs)
        and mine.measure.agrees(theirs.measure)
        and not conflict(left.periods_of(mine), right.periods_of(theirs))
        and same_subject(left, right, (mine, theirs))
        for mine in left.numbers
        for theirs in right.numbers
    )


def content_terms(text: str) -> set[str]:
    """Return the terms of a text that are no numbers and no units."""
    terms = (term for term in tokens(text) if term not in UNIT_WORDS and not term[0].isdigit())
    return {term for term in terms if len(term) > 1 or has_cjk(term)}


def _numbers_differ(left: Statement, right: Statement, first: Quoted, other: Quoted) -> bool:
    """Tell whether two sentences give one thing different numbers, neither of which the other excerpt has as well."""
    return any(
        _comparable(mine, theirs)
        and not conflict(left.periods_of(mine), right.periods_of(theirs))
        and not _given(mine, other)
        and not _given(theirs, first)
        and same_subject(left, right, (mine, theirs))
        for mine in left.numbers
        for theirs in right.numbers
    )


def _comparable(first: Number, other: Number) -> bool:
    """Tell whether two numbers are of one kind, and not one of them the beginning of a change."""
    return first.measure.kind == other.measure.kind and (first.role == "from") is (other.role == "from")


def _given(number: Number, excerpt: Quoted) -> bool:
    """Tell whether an excerpt has a number, too, for a period that may be the same."""
    return any(
        held.measure.kind == number.measure.kind
        and held.measure.agrees(number.measure)
        and not conflict(held.periods, number.periods)
        for held in excerpt.reading.numbers
    )


def _said_otherwise(left: Statement, right: Statement, likeness: float, *, bound: bool) -> Difference:
    """Return whether one of two sentences turns round, denies or dates otherwise what the other says of the same."""
    turned = (*opposite(left.text, right.text), *opposite(right.text, left.text))
    compatible = not bound or not conflict(left.periods, right.periods)
    if turned and compatible and (not bound or same_subject(left, right, without=turned)):
        return "opposites"
    if likeness < SAME or (bound and not same_subject(left, right)):
        return ""
    denies = negated(left.text) != negated(right.text)
    if denies and compatible:
        return "negation"
    one_event = not denies and not _other_measures(left, right) and _of_an_event(left) and _of_an_event(right)
    return "dates" if _other_dates(left.dates, right.dates) and (one_event or not bound) else ""


def _of_an_event(statement: Statement) -> bool:
    """Tell whether a sentence dates what happened; what it measures, or what rises or falls, it tells of a period."""
    to_the_day = all(day is not None for _, _, day in statement.dates)
    return (to_the_day or not statement.measures) and not direction(statement.text)


def _other_measures(left: Statement, right: Statement) -> bool:
    """Tell whether two sentences measure something of one kind, and no value of the one agrees with one of the other."""
    return any(
        not any(measure.agrees(two) for measure in left.measures[kind] for two in right.measures[kind])
        for kind in left.measures.keys() & right.measures.keys()
    )


def _other_dates(left: Sequence[Period], right: Sequence[Period]) -> bool:
    return bool(left and right) and all(
        conflict(frozenset({mine}), frozenset({theirs})) for mine in left for theirs in right
    )


def _cells_differ(first: Quoted, other: Quoted) -> bool:
    """Tell whether a table gives for one thing another number than a table, or a sentence, of the other excerpt."""
    for mine, theirs in ((first, other), (other, first)):
        if any(_sentence_differs(cell, statement, theirs) for cell in mine.cells for statement in theirs.statements):
            return True
    for cell in first.cells:
        held = [theirs for theirs in other.cells if cell.of_one_thing(theirs)]
        if held and not any(cell.number.measure.agrees(theirs.number.measure) for theirs in held):
            return True
    return False


def _sentence_differs(cell: Cell, statement: Statement, excerpt: Quoted) -> bool:
    """Tell whether a sentence names a cell's row and heading, and has another number of its kind."""
    if not cell.label or cell.label not in statement.text.lower() or _given(cell.number, excerpt):
        return False
    told = frozenset(word_keys(statement.text)) - frozenset(word_keys(cell.label))
    if not cell.heading or not cell.heading <= told:
        return False
    numbers = [number for number in statement.numbers if number.measure.kind == cell.number.measure.kind]
    return len(numbers) == 1 and not conflict(statement.periods_of(numbers[0]), cell.periods)


def _cell(number: Number, reading: Reading) -> Cell | None:
    """Return a number of a table with what it is of; None where it adds up other rows."""
    for table in reading.tables:
        if number.row < len(table.rows) and table.rows[number.row][number.column : number.column + 1] == (number.text,):
            row, heading = table.rows[number.row], table.heads[number.column]
            dated = [column for column, head in enumerate(table.heads) if column == 0 or _YEARS.fullmatch(head)]
            years = {year: (int(year), None, None) for column in dated if _YEAR.fullmatch(year := row[column])}
            if table.is_sum(number.row):
                return None
            periods = number.periods or frozenset[Period](years.values())
            return Cell(number, "" if row[0] in years else row[0].lower(), _heading_words(heading), periods)
    return None


def _heading_words(heading: str) -> frozenset[str]:
    plain = _ASIDE.sub(" ", heading)
    return frozenset(word for word in word_keys(plain) if not word[0].isdigit() and word not in UNIT_WORDS)


def _no_other_words(first: frozenset[str], other: frozenset[str]) -> bool:
    return first <= other or other <= first
