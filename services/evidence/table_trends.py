"""Rises and falls that a claim reads out of a table: of one row between two years, of every row, and steady ones."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from services.evidence.readings import Number, Reading, word_keys
from services.evidence.table_claims import EVERY, NOT_EVERY
from services.evidence.table_columns import WrongReading, column_of, rows_named
from services.evidence.table_reading import TableRead
from services.text.polarity import direction, negated

_STEADY = re.compile(
    r"逐年|持续|连年|\b(?:every year|each year|steadily|year after year|continuously)\b",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:more|higher|larger|greater|longer|better)\b|比[^，,。；;]{1,16}[多高大长]", re.IGNORECASE)
_LESS = re.compile(r"\b(?:less|fewer|lower|smaller|shorter|worse)\b|比[^，,。；;]{1,16}[少低小短]", re.IGNORECASE)
_OF_OTHERS = re.compile(r"比(?![上去前]|同期|[12]\d{3})|(?:多|少|高|低)出")
"""A comparison with something else than an earlier year."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_MOST_CHANGED = re.compile(
    r"\b(?:largest|biggest|greatest|steepest|sharpest|strongest) (?:increase|rise|growth|gain|(?P<drop>decrease|drop|fall|decline|loss))\b|"
    r"\b(?:grew|rose|increased|gained|(?P<fell>fell|dropped|declined|shrank|lost)) (?:the )?(?:most|fastest)\b|"
    r"\b(?:grew|rose|increased|gained|(?P<shrank>fell|dropped|declined|shrank|lost)) (?:[\w%]+ ){0,6}?than any other\b|"
    r"(?:增加|增长|上升|提高|增幅|涨幅|增量|(?P<less>减少|下降|降低|降幅|跌幅))[^，,。；;\d]{0,4}最[多大快高]",
    re.IGNORECASE,
)

_BUT = re.compile(r"\b(?:except|but|bar|other than|apart from)\b|除", re.IGNORECASE)
"""With which a claim about every row excepts those that it names."""

_PREVIOUS = re.compile(
    r"\b(?:(?:previous|preceding|prior) year|(?:the )?year before|a year earlier|year[- ]on[- ]year)\b|上一?年|前一年|同比",
    re.IGNORECASE,
)
"""With which a claim compares a year with the one before it."""

_ABOVE = re.compile(
    r"\b(?:(?P<more>above|exceed\w*|higher|more|better|larger|greater)|below|lower|less|fewer|worse|smaller)\b|(?P<over>[高多大优]于|超过)|[低少小]于|不及",
    re.IGNORECASE,
)
Series = Mapping[int, Mapping[int, Number]]
"""Numbers of one quantity by row and year."""


def wrong_trend(claim: Reading, quotes: Sequence[Reading]) -> WrongReading | None:
    """Return the first rise or fall of a claim that a table refutes."""
    for quote in quotes:
        for place, table in enumerate(quote.tables):
            numbers = [number for number in quote.numbers if number.table == place]
            for check in (_most_changed, _every_row, _one_row, _between_rows, _steady):
                if found := next(check(claim, table, numbers), None):
                    return found
    return None


def _series(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Series:
    """Return the numbers whose headings differ in their years only, of the quantity that the claim speaks of."""
    groups: dict[frozenset[str], dict[int, dict[int, Number]]] = {}
    for number in numbers:
        years = [period[0] for period in number.periods if period[0] is not None]
        if len(years) == 1 and _YEAR.search(table.heads[number.column]) and not table.is_sum(number.row):
            undated = frozenset(word_keys(_YEAR.sub(" ", table.heads[number.column])))
            groups.setdefault(undated, {}).setdefault(number.row, {})[years[0]] = number
    groups = {words: rows for words, rows in groups.items() if any(len(years) > 1 for years in rows.values())}
    about = frozenset(word_keys(claim.text))
    fits = {words: len(words & about) for words in groups}
    chosen = [words for words, fit in fits.items() if fit == max(fits.values()) and (fit or len(groups) == 1)]
    return groups[chosen[0]] if len(chosen) == 1 else {}


def _ends(claim: Reading, years: Mapping[int, Number]) -> tuple[Number, Number] | None:
    """Return a row's numbers of the first and the last year of which the claim speaks; of two years, those."""
    named = sorted({int(year) for year in _YEAR.findall(claim.text)} & set(years))
    if len(named) >= 2:
        return years[named[0]], years[named[-1]]
    if named and named[0] - 1 in years and _PREVIOUS.search(claim.text):
        return years[named[0] - 1], years[named[0]]
    return (
        (years[min(years)], years[max(years)]) if len(years) == 2 and (named or not _YEAR.search(claim.text)) else None
    )


def _towards(claim: Reading) -> int:
    """Return 1 where a claim says that the later year has more, -1 where less, 0 where neither or both."""
    if _OF_OTHERS.search(claim.text):
        return 0
    if towards := direction(claim.text):
        return towards
    if _PREVIOUS.search(claim.text) and (above := _ABOVE.search(claim.text)):
        return 1 if above["more"] or above["over"] else -1
    more = int(_MORE.search(claim.text) is not None) - int(_LESS.search(claim.text) is not None)
    years = [int(year) for year in _YEAR.findall(claim.text)]
    return more if len(years) == 2 and years[0] > years[1] else -more if len(years) == 2 and years[0] < years[1] else 0


def _against(rows: Sequence[Mapping[int, Number]], claim: Reading, towards: int) -> Iterator[WrongReading]:
    for years in rows:
        ends = _ends(claim, years)
        if ends and (ends[1].measure.value - ends[0].measure.value) * towards < 0:
            yield WrongReading(claim.text, f"{ends[0].text} → {ends[1].text}")


def _changes(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> list[Number]:
    """Return the column that tells by how much something rose or fell, where the claim speaks of that: of it, or of the column before it."""
    columns = {number.column for number in numbers if number.towards}
    if len(columns) != 1:
        return []
    about = frozenset(word_keys(claim.text))
    fits = {number.column: len(about & number.words) for number in numbers}
    fitting = {column for column, fit in fits.items() if fit == max(fits.values())}
    column = columns.pop()
    if not fitting & {column, column - 1} or fitting - {column, column - 1}:
        return []
    return [number for number in numbers if number.column == column and not table.is_sum(number.row)]


def _turned(changes: Sequence[Number], claim: Reading, towards: int) -> Iterator[WrongReading]:
    yield from (WrongReading(claim.text, number.text) for number in changes if number.towards == -towards)


def _every_row(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a rise or fall that a claim tells of all rows and one of them does not have."""
    towards = _towards(claim)
    but = _BUT.search(claim.text)
    others = NOT_EVERY.search(claim.text[: but.start()] if but else claim.text)
    if towards and EVERY.search(claim.text) and not others and not negated(claim.text):
        named = rows_named(claim.text, table)
        told = [row for row in range(len(table.rows)) if (row in named) is not (but is not None) or not named]
        series = _series(claim, table, numbers)
        yield from _against([years for row, years in series.items() if row in told], claim, towards)
        changes = [] if series else _changes(claim, table, numbers)
        yield from _turned([number for number in changes if number.row in told], claim, towards)


def _one_row(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a rise or fall of the one row that a claim names, where the row has the contrary."""
    rows = rows_named(claim.text, table)
    towards = _towards(claim)
    if len(rows) == 1 and towards and not negated(claim.text) and len(claim.segments) <= 2:
        series = _series(claim, table, numbers)
        yield from _against([series[row] for row in rows if row in series], claim, towards)
        changes = [] if series else _changes(claim, table, numbers)
        yield from _turned([number for number in changes if number.row in rows], claim, towards)


def _most_changed(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield the row that a claim says to have changed most, where another one has, in units and in percent."""
    found, rows = _MOST_CHANGED.search(claim.text), rows_named(claim.text, table)
    if found is None or len(rows) != 1 or negated(claim.text):
        return
    sign = -1 if any(found.groupdict().values()) else 1
    ends = {row: pair for row, years in _series(claim, table, numbers).items() if (pair := _ends(claim, years))}
    changes = {row: sign * (last.measure.value - first.measure.value) for row, (first, last) in ends.items()}
    shares = {row: changes[row] / first.measure.value for row, (first, _) in ends.items() if first.measure.value > 0}
    if rows[0] not in shares or len(shares) < 2:
        return
    if all(of[rows[0]] < max(of.values()) for of in (changes, shares)):
        most = ends[max(changes, key=lambda row: changes[row])]
        yield WrongReading(found.group(), f"{most[0].text} → {most[1].text}")


def _between_rows(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a rise or fall between two years, each of which is a row, that the column does not show."""
    for segment in claim.segments if not negated(claim.text) else ():
        years = sorted(set(_YEAR.findall(segment)))
        towards = direction(segment)
        rows = [next((row for row, cells in enumerate(table.rows) if cells[0].startswith(year)), -1) for year in years]
        column = column_of(_YEAR.sub(" ", segment), "", table, numbers) if len(years) == 2 and towards else None
        ends = [number for row in rows for number in numbers if number.row == row and number.column == column]
        if len(ends) == 2 and (ends[1].measure.value - ends[0].measure.value) * towards < 0:
            yield WrongReading(segment, f"{ends[0].text} → {ends[1].text}")


def _steady(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a steady rise or fall that the years of a column do not show."""
    if not _STEADY.search(claim.text) or negated(claim.text):
        return
    for segment in claim.segments:
        towards = direction(segment)
        column = column_of(segment, "", table, numbers) if towards else None
        values = [number for number in numbers if number.column == column and number.periods]
        if column is None or len(values) < 3 or table.heads[column].isdigit():
            continue
        ordered = [
            number.measure.value for number in sorted(values, key=lambda number: sorted(number.periods)[0][0] or 0)
        ]
        if any((after - before) * towards < 0 for before, after in pairwise(ordered)):
            yield WrongReading(segment, ", ".join(number.text for number in values))
