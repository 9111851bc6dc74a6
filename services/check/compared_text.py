"""One reading of a text for the check: its figures, each with the periods and subjects of its clause or table cell."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from services.text.measures import MEASURED_KINDS, UNIT_WORDS, Measure, is_year, measure_at
from services.text.names import names
from services.text.numbers import Quantity, quantities, quantities_with_places
from services.text.passages import sentences
from services.text.tables import TableRead, numbers_of, parted, scale_of, scaled, unit_of_column
from services.text.tokens import has_cjk, pieces, tokens
from services.text.wrapped_lines import unwrapped

MAX_CHARACTERS = 20_000
"""Characters of a text that are read; numbers further on support a statement, but are bound to nothing."""
MAX_FIGURES = 400
"""Figures of a text that are read."""
MAX_IN_SENTENCE = 60
"""Figures of a sentence that are read."""
MAX_BEFORE = 300
"""Characters before a figure whose words may say what it is of."""
CELL = " | "
"""Separator of the cells of a report's row in a statement; each cell is read by itself."""
YEARS = "year"
"""Kind of the measure of a year."""
_STEM = 6
"""Letters by which the forms of one word are known: `volunteer`, `volunteering`."""
_CUT = re.compile(
    r"[,;:()，；：、（）|]|\b(?:and|but|while|whereas|compared with|compared to|against|than|versus|vs|to)\b|而|但|和|比|至|到"
)
"""Where a sentence is cut for what its figures are said of."""
_CLAUSE = re.compile(r"[,;:，；：、]|\b(?:but|while|whereas|although)\b|而|但")
"""Where a sentence is cut for what it says."""
_YEAR = re.compile(r"[12]\d{3}年?")

Period = tuple[int | None, int | None, int | None]
"""Year, month and day, each where given."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and what it is said of."""

    measure: Measure
    periods: frozenset[Period] = frozenset()
    """Periods of its clause, else of the nearest clause of its sentence; in a table those of its row and column; of a year its date."""
    subjects: frozenset[str] = frozenset()
    """Names of its clause, else of the clauses before it, in lower case; none in a table."""
    clause: frozenset[str] = frozenset()
    """Keys of the words of its clause; in a table none."""
    words: frozenset[str] = frozenset()
    """Keys of the words of its sentence up to it and of its clause; in a table of its row's label and its column's heading."""
    chinese: bool = False
    """Whether its sentence is Chinese."""
    table: TableRead | None = None
    row: int = -1
    column: int = -1


@dataclass(frozen=True, slots=True)
class ComparedText:
    """A text as it is compared."""

    text: str
    clauses: tuple[str, ...]
    """Clauses of its prose, and rows of its tables."""
    figures: tuple[Figure, ...]
    years: tuple[Figure, ...]
    """Its years, those of dates among them, each with what is said of it."""
    quantities: tuple[Quantity, ...]
    """All its numbers and dates, years among them."""
    subjects: frozenset[str]
    """All its names, in lower case."""


def word_keys(text: str) -> frozenset[str]:
    """Return the words of a text by the letters that their forms share; Chinese words as pairs of characters."""
    return frozenset(term if has_cjk(term) or term[0].isdigit() else term[:_STEM] for term in tokens(text))


@lru_cache(maxsize=512)
def read(text: str) -> ComparedText:
    """Read a text; one longer than `MAX_CHARACTERS` up to there."""
    prose, tables = parted(text[:MAX_CHARACTERS])
    prose = unwrapped(prose)
    parts = [cell for span in sentences(prose) for cell in prose[span.start : span.end].split(CELL)]
    figures = [figure for part in parts for figure in islice(_of_sentence(part), MAX_IN_SENTENCE)]
    years = [figure for figure in figures if figure.measure.kind == YEARS]
    figures = [figure for figure in figures if figure.measure.kind != YEARS]
    for table in tables:
        figures += _of_table(table)
    return ComparedText(
        text=text,
        clauses=tuple(clause for part in parts for clause in _CLAUSE.split(part) if clause.strip()),
        figures=tuple(figures[:MAX_FIGURES]),
        years=tuple(years[:MAX_FIGURES]),
        quantities=tuple(quantities(text)),
        subjects=_subjects(text[:MAX_CHARACTERS]),
    )


def period_of(quantity: Quantity) -> Period | None:
    """Return the period that a quantity names: a date, or a bare number that can be a year."""
    if quantity.kind == "date":
        return quantity.date
    return (int(quantity.value), None, None) if is_year(quantity) else None


def _of_sentence(sentence: str) -> Iterator[Figure]:
    text, placed = quantities_with_places(sentence)
    cuts = [match.start() for match in _CUT.finditer(text)]
    clauses = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    subjects = [_subjects(clause) for clause in clauses]
    periods: dict[int, set[Period]] = {}
    counted: list[tuple[int, Measure, frozenset[Period]]] = []
    for start, end, quantity in placed:
        measure = measure_at(text, start, end, quantity)
        period = None if measure.kind in MEASURED_KINDS and quantity.kind == "number" else period_of(quantity)
        if period is not None:
            periods.setdefault(bisect_right(cuts, start), set()).add(period)
            if period[0]:
                year = Measure(YEARS, float(period[0]), 0.0, 1.0, quantity.text)
                counted.append((start, year, frozenset({period})))
        if quantity.kind == "percent" or (quantity.kind == "number" and (period is None or measure.kind)):
            counted.append((start, measure, frozenset()))
    bare = blanked(text, placed)
    counted = counted[:MAX_IN_SENTENCE]
    with_figures = {bisect_right(cuts, start) for start, measure, _ in counted if measure.kind != YEARS}
    for start, measure, own in counted:
        clause = bisect_right(cuts, start)
        first, last = [0, *cuts][clause], [*cuts, len(text)][clause]
        of_figure = measure.kind == YEARS and clause in with_figures
        yield Figure(
            measure=measure,
            periods=own or _nearest(clause, periods),
            chinese=has_cjk(text),
            subjects=next((subjects[place] for place in range(clause, -1, -1) if subjects[place]), frozenset()),
            clause=frozenset() if of_figure else _words_of(bare[first:last][: 2 * MAX_BEFORE]),
            words=word_keys(f"{text[max(0, start - MAX_BEFORE) : start]} {clauses[clause][: 2 * MAX_BEFORE]}"),
        )


def blanked(text: str, placed: Sequence[tuple[int, int, Quantity]]) -> str:
    """Return a text of the same length without its numbers."""
    pieces, end = [], 0
    for start, stop, _ in placed:
        pieces += [text[end:start], " " * (stop - max(start, end))]
        end = max(end, stop)
    return "".join([*pieces, text[end:]])


def _words_of(clause: str) -> frozenset[str]:
    """Return the keys of the words of a clause that are no numbers and no units."""
    return frozenset(key for key in word_keys(clause) if not key.isdigit() and key not in UNIT_WORDS)


def _subjects(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in names(text))


def _nearest(clause: int, periods: dict[int, set[Period]]) -> frozenset[Period]:
    """Return the periods of the clause nearest to a clause; of two equally near ones both."""
    if not periods:
        return frozenset()
    distance = min(abs(place - clause) for place in periods)
    return frozenset(period for place, held in periods.items() if abs(place - clause) == distance for period in held)


def _of_table(table: TableRead) -> Iterator[Figure]:
    heads = [_periods(head) for head in table.heads]
    units = [unit_of_column(head, table.caption) for head in table.heads]
    dated = [place for place, cells in enumerate(zip(*table.rows, strict=True)) if all(map(_YEAR.fullmatch, cells))]
    for place, row in enumerate(table.rows):
        labelled = _periods(" ; ".join([table.label(place), *(row[column] for column in dated)]))
        for column, cell in enumerate(row):
            for written in numbers_of(cell) if column not in dated else ():
                quantity = next(iter(quantities(written)), None)
                if quantity is None:
                    continue
                measure = measure_at(written, written.find(quantity.text), len(written), quantity)
                scale = 1 if measure.kind == "percent" else scale_of(units[column])
                yield Figure(
                    measure=replace(scaled(measure, units[column], scale), text=quantity.text),
                    periods=heads[column] | labelled,
                    words=word_keys(f"{table.label(place)} {table.heads[column]}"),
                    chinese=has_cjk(table.heads[column]),
                    table=table,
                    row=place,
                    column=column,
                )


def _periods(text: str) -> frozenset[Period]:
    return frozenset(period for quantity in quantities(text) if (period := period_of(quantity)))


def conflicting(former: frozenset[Period], other: frozenset[Period]) -> bool:
    """Tell whether two sets of periods exclude each other: both name some, and none of one may be one of the other."""
    return bool(former and other) and not any(_compatible(left, right) for left in former for right in other)


def _compatible(former: Period, other: Period) -> bool:
    return all(left is None or right is None or left == right for left, right in zip(former, other, strict=True))


def name_parts(names: frozenset[str]) -> frozenset[str]:
    """Return the words of names, so that a part of a name is known by it."""
    return frozenset(part for name in names for part in pieces(name))


def named(labels: Sequence[str], words: frozenset[str]) -> frozenset[int]:
    """Return the places of the labels of a table that words name: by all words of a label that the other labels lack."""
    keys = [word_keys(label) for label in labels]
    counts = Counter(key for own in keys for key in own)
    distinct = [frozenset(key for key in own if counts[key] == 1) for own in keys]
    return frozenset(place for place, own in enumerate(distinct) if own and own <= words)
