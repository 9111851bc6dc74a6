"""Texts read for comparison: their numbers, each bound to the periods, names and words that stand around it.

Prose is cut at punctuation and conjunctions; how much of that lies between two places is how far apart they are. A cell
of a table is bound to its row and to its column's heading.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from services.evidence.clause_cuts import breaks_of, clauses_between, segments_of
from services.evidence.counted_numbers import counts
from services.evidence.period_binding import (
    SENTENCE,
    Period,
    before_a_semicolon,
    ends_of_spans,
    leading,
    listed,
    paired,
    taken,
)
from services.evidence.table_reading import (
    TableRead,
    numbers_of,
    parted,
    scale_of,
    scaled,
    sign_of_change,
    unit_of_column,
)
from services.text.measures import Measure, in_unit_of, is_year, measure_at
from services.text.names import names
from services.text.numbers import MONTHS, quantities, quantities_with_places
from services.text.passages import unwrapped
from services.text.polarity import change_at
from services.text.quantity import Quantity
from services.text.rates import rate_at
from services.text.shares import times_in_two_units
from services.text.tokens import has_cjk, tokens

CELL = " | "
"""What parts the cells of a row of a report's table; a period in one of them is of the numbers beside it, one in the first of all."""
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "一": 1, "二": 2, "三": 3, "四": 4}
_QUARTER = re.compile(
    r"\b(first|second|third|fourth)(?= (?:and (?:first|second|third|fourth) )?quarter)|([一二三四])(?=季度)"
)
CLOCK = "clock"
"""Kind of what is written as hours, minutes and seconds: `2:31:08`."""
MAX_CHARACTERS = 20_000
"""Of a text that is read; what a quote has beyond them binds nothing."""
MAX_CELLS = 1_000
"""Numbers of a text with tables that are read."""
MAX_NUMBERS = 300
"""Numbers and periods of a text that are read."""
_STEM = 6
"""Letters by which forms of one word are known: volunteer, volunteering."""
_SMALL_FORMS = str.maketrans("﹔﹐﹑", "；，、")
_RANGE = re.compile(
    rf"\b({'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?(?:\s(?:\d{{1,2}}))?\s?(?:and|to|until|[–-])\s(?=\w{{3,9}}\.?\s([12]\d{{3}})\b)",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"(?:\bfrom(?: (?:last|the|a|its|their)(?: [a-z]{2,12}){0,2}(?:['’]s)?)?|\binstead of|\bcompared (?:with|to)|\bagainst|\bthan|"
    r"[从由](?:[^，。；、\d]{1,8}的)?)\s?[$€£¥]?$",
    re.IGNORECASE,
)
_TO = re.compile(r"(?:\bto|[至到])\s?[$€£¥]?$", re.IGNORECASE)
_CHANGE = re.compile(
    r"[ -]?(?:[\w%€$£°]{1,12}[ -]){0,2}(?:lower|higher|more|less|fewer|longer|shorter|later|earlier|above|below)\b"
)
_CHANGED = re.compile(
    r"(?:比[^，。；\d]{1,12}[多少高低贵长短早晚快慢]|减少|增加|增长|提[高升]|升高|上[升涨调]|攀升|回[升落]|扩大|缩小|降低|下[降跌滑调]|高出|低|晚|早|\bby)\s?[了约]?[$€£¥]?$"
)
_GROUP = re.compile(
    r"\s?(?:组|浓度|剂量|溶液|制剂|滴眼液|(?:group|arm|dose|solution|concentration|cream|drops)s?\b)", re.IGNORECASE
)
_CLOCK = re.compile(r"(?<![\d:.])(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?![\d:])")
_AGES = frozenset({"岁", "aged"})
"""Kinds of numbers that give an age; a year beside them is often the year of birth."""
_SINCE = re.compile(r"\bsince (?:the |early |late )?$|自从?\s?$", re.IGNORECASE)
_CALENDAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text and what it is bound to."""

    text: str
    """As written."""
    measure: Measure
    place: int
    periods: frozenset[Period] = frozenset()
    """The nearest ones of its clause, or those of its row and column."""
    near: bool = False
    """Whether a period stands right beside it."""
    names: frozenset[str] = frozenset()
    """Names of its clause, in lower case, or the labels of its row."""
    words: frozenset[str] = frozenset()
    """Words of its clause, or of its column's heading."""
    role: str = ""
    """`from` or `to`, where it is an end of a change."""
    row: int = -1
    """Place of its row in the table; -1 in prose."""
    column: int = -1
    table: int = -1
    """Place of its table in the text; -1 in prose."""
    scale: float = 1.0
    """What its column's heading multiplies it by: 1,000 under `(thousand)`."""
    rough: bool = False
    """Whether it is said to be approximate."""
    change: bool = False
    """Whether it says by how much something differs: `9 metres lower`."""
    towards: int = 0
    """1 where something rises by it or to it, -1 where something falls."""
    towards_word: str = ""
    """What says so."""
    rate: str = ""
    """The time for which it is told, as `day`: `400 passengers a day`."""
    in_cell: bool = False
    """Whether it stands in a cell of a report's row, whose heading may give its unit."""
    names_group: bool = False
    """Whether it is a percentage that is the name of a group: `0.05%组`."""

    @property
    def signed(self) -> float:
        """Its value, below zero where a cell says so."""
        return -self.measure.value if self.row >= 0 and self.text[:1] in {"-", "−"} else self.measure.value


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it is compared."""

    text: str
    numbers: tuple[Number, ...] = ()
    periods: frozenset[Period] = frozenset()
    since: frozenset[Period] = frozenset()
    """Those with which a time begins that goes on: `since 1951`."""
    names: frozenset[str] = frozenset()
    clauses: tuple[str, ...] = ()
    """Its sentences, cut at semicolons."""
    segments: tuple[str, ...] = ()
    """Its clauses, cut at commas and conjunctions."""
    tables: tuple[TableRead, ...] = ()
    labels: frozenset[str] = field(default_factory=frozenset)
    """First texts of the rows of its tables, in lower case."""


def word_keys(text: str) -> list[str]:
    """Return the words of a text by the letters that their forms have in common, Chinese as pairs."""
    keys = [term if has_cjk(term) or term[0].isdigit() else term[:_STEM] for term in tokens(text)]
    return (
        keys + [f"q{_QUARTERS[found]}" for found in map("".join, _QUARTER.findall(text))]
        if "quarter" in text or "季" in text
        else keys
    )


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """Read a text."""
    prose, tables = parted(text[:MAX_CHARACTERS].translate(_SMALL_FORMS))
    reading = _prose(unwrapped(prose))
    for table in tables:
        reading = _with_table(reading, table)
    return replace(reading, text=text)


def with_title(reading: Reading, title: str) -> Reading:
    """Return a text whose numbers may also be of what its title names and the text leaves unsaid."""
    held = frozenset(word_keys(reading.text))
    unsaid = frozenset(name.lower() for name in names(title) if held.isdisjoint(word_keys(name)))
    if not unsaid:
        return reading
    numbers = (replace(number, names=number.names | unsaid) if number.names else number for number in reading.numbers)
    return replace(reading, numbers=tuple(numbers))


def conflict(former: frozenset[Period], other: frozenset[Period]) -> bool:
    """Tell whether two sets of periods exclude each other."""
    return bool(former and other) and not any(_compatible(left, right) for left in former for right in other)


def _compatible(former: Period, other: Period) -> bool:
    return all(left is None or right is None or left == right for left, right in zip(former, other, strict=True))


def period_of(quantity: Quantity) -> Period | None:
    """Return the period that a quantity names."""
    if quantity.kind == "date":
        return quantity.date
    return (int(quantity.value), None, None) if is_year(quantity) else None


def _prose(text: str) -> Reading:
    text, read = quantities_with_places(text)
    breaks, depths = breaks_of(text)

    def depth(place: int) -> int:
        return depths[bisect(breaks, place)]

    clauses = clauses_between(text, breaks, depths)
    starts = [first for first, _ in clauses]
    around = [_Around(part) for _, part in clauses]
    clocks = {found.start(): found for found in _CLOCK.finditer(text)}
    times = {time.start: time for time in times_in_two_units(text)}
    inside = {place for found in clocks.values() for place in range(*found.span())}
    inside |= {place for time in times.values() for place in range(time.start, time.end)}
    placed = [item for item in read if item[0] not in inside]
    placed += [(*found.span(), Quantity(found.group(), "number", _seconds(found))) for found in clocks.values()]
    placed += [
        (time.start, time.end, Quantity(time.measure.text, "number", time.measure.value)) for time in times.values()
    ]
    spans = [
        (start, end, period)
        for start, end, quantity in placed
        if (period := period_of(quantity)) and (quantity.kind == "date" or not counts(text, start, end))
    ][:MAX_NUMBERS]
    periods = [(start, period) for start, _, period in spans]
    periods += [
        (found.start(), (int(found.group(2)), MONTHS[found.group(1).lower()], None)) for found in _RANGE.finditer(text)
    ][:MAX_NUMBERS]
    numbers: list[Number] = []
    counted = [
        (start, end, quantity)
        for start, end, quantity in placed
        if quantity.kind in {"number", "percent"} and not (period_of(quantity) and not counts(text, start, end))
    ]
    cells = [found.start() for found in re.finditer(re.escape(CELL), text)]
    turns = {} if cells else paired([start for start, _, _ in counted[:MAX_NUMBERS]], periods, depth)
    turns |= {} if cells else listed(text, counted[:MAX_NUMBERS], spans)
    introducing = leading(counted, periods, depth)
    ends = ends_of_spans(text, spans)
    for start, end, quantity in counted:
        if len(numbers) == MAX_NUMBERS:
            break
        towards, towards_word = change_at(text, start, end)
        measure = times[start].measure if start in times else measure_at(text, start, end, quantity)
        away = [
            (abs(depth(place) - depth(start)), period)
            for place, period in periods
            if (place < start or place not in introducing or depth(place) == depth(start))
            and bisect(cells, place) in {0, bisect(cells, start)}
            and not taken(
                place, start, [first for first, _, _ in counted], [first for first, _ in periods], introducing, depth
            )
        ]
        away = [(0, turns[start])] if start in turns else away
        least = min((distance for distance, _ in away), default=SENTENCE)
        nearest = frozenset(period for distance, period in away if distance == least < SENTENCE)
        clause = around[max(0, bisect(starts, start) - 1)]
        numbers.append(
            Number(
                text=quantity.text,
                measure=replace(measure, kind=CLOCK) if start in clocks else measure,
                place=start,
                periods=frozenset()
                if measure.kind in _AGES
                else nearest.union(*(span for span in ends if not nearest.isdisjoint(span)))
                or (frozenset() if cells else before_a_semicolon(text, start, periods, depth)),
                near=least == 0,
                names=clause.names,
                words=clause.words,
                role=_role(text, start),
                rough=quantity.approximate,
                towards=towards,
                towards_word=towards_word,
                names_group=measure.kind == "percent" and _GROUP.match(text, end) is not None,
                rate=rate_at(text, start, end),
                in_cell=bool(cells),
                change=_CHANGE.match(text, end) is not None
                or _CHANGED.search(text[max(0, start - 16) : start]) is not None,
            )
        )
    return Reading(
        text=text,
        numbers=tuple(_with_units_of_ends(numbers)),
        periods=frozenset(period for _, period in periods),
        since=frozenset(period for start, period in periods if _SINCE.search(text[max(0, start - 12) : start])),
        names=frozenset(name.lower() for name in names(text)),
        clauses=tuple(part for _, part in clauses),
        segments=segments_of(text),
    )


def _with_units_of_ends(numbers: Sequence[Number]) -> Iterator[Number]:
    """Yield numbers, the beginning of a change in the unit of its end: `from 42 to 53 percent`, `from 8.5 to 15.9 million tonnes`."""
    for number, following in pairwise([*numbers, None]):
        if number is None:
            return
        if following and number.role == "from" and following.role == "to" and not number.measure.kind:
            yield replace(number, measure=in_unit_of(number.measure, following.measure))
        else:
            yield number


def _seconds(clock: re.Match[str]) -> float:
    """Return hours, minutes and seconds as seconds; two parts are minutes and seconds."""
    hours, minutes, seconds = (int(part or 0) for part in clock.groups())
    return float(hours * 3_600 + minutes * 60 + seconds)


def _role(text: str, start: int) -> str:
    """Return which end of a change a number is, by the word before it."""
    if _FROM.search(text[max(0, start - 40) : start]):
        return "from"
    return "to" if _TO.search(text[max(0, start - 8) : start]) else ""


class _Around:
    """A clause, whose names and words are looked for once."""

    def __init__(self, clause: str) -> None:
        self._clause = clause

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name.lower() for name in names(self._clause))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word_keys(self._clause))


def _with_table(reading: Reading, table: TableRead) -> Reading:
    numbers = [*reading.numbers]
    labels = set(reading.labels)
    words = [frozenset(word_keys(head)) for head in table.heads]
    units = [unit_of_column(head, table.caption) for head in table.heads]
    for place, row in enumerate(table.rows):
        texts = [cell for cell in row if cell and not numbers_of(cell) and not _CLOCK.fullmatch(cell)]
        years = _calendar_years(row[0]) if numbers_of(row[0]) else frozenset[Period]()
        labels |= {table.label(place).lower()} & set(map(str.lower, texts))
        for column, cell in enumerate(row):
            head = table.heads[column]
            clock = _CLOCK.fullmatch(cell)
            for written in (cell,) if clock else numbers_of(cell):
                found = [Quantity(cell, "number", _seconds(clock))] if clock else quantities(written)[:1]
                if not found:
                    continue
                quantity = found[0]
                heading_years = _calendar_years(head)
                measure = measure_at(written, written.find(quantity.text), len(written), quantity)
                unit = head if measure.kind else units[column]
                scale = 1 if measure.kind == "percent" else scale_of(unit)
                numbers.append(
                    Number(
                        text=written,
                        measure=replace(measure, kind=CLOCK) if clock else scaled(measure, unit, scale),
                        scale=scale,
                        place=-1,
                        periods=heading_years or years,
                        near=bool(heading_years or years),
                        towards=sign_of_change(head, written, quantity.value),
                        names=frozenset(text.lower() for text in texts),
                        words=words[column],
                        row=place,
                        column=column,
                        table=len(reading.tables),
                    )
                )
    return replace(
        reading,
        numbers=tuple(numbers[:MAX_CELLS]),
        tables=(*reading.tables, table),
        labels=frozenset(labels),
        periods=reading.periods | {period for number in numbers for period in number.periods},
    )


def _calendar_years(text: str) -> frozenset[Period]:
    return frozenset((int(year), None, None) for year in _CALENDAR.findall(text))
