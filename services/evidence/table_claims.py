"""Superlatives and texts that a claim reads out of a table: checked over the column."""

import re
from collections.abc import Iterator, Sequence

from services.evidence.readings import Number, Reading, word_keys
from services.evidence.table_columns import LEAST, YEAR, WrongReading, column_of, rows_named, turns
from services.evidence.table_comparisons import COMPARISON, comparison, unsurpassed
from services.evidence.table_reading import TableRead
from services.text.polarity import negated
from services.text.tokens import has_cjk

_SUPERLATIVE = re.compile(
    r"(?:\b(?:the |had the |has the )?(?P<much>most|least|fewest) (?P<noun>[a-z]{4,}(?: [a-z]{4,})?)|\b(?P<root>[a-z]{3,}?)(?:iest|est)\b(?P<after>(?: [a-z]{3,}){0,3})|"
    r"(?P<before>[\u4e00-\u9fff]{2,8}?)(?:也|却)?最(?P<chinese>[高低多少大小长短重轻早晚快慢贵])|(?P<first>[\u4e00-\u9fff]{2,8}?)(?:也|均)?(?:居[\u4e00-\u9fff]{0,8}?之?首|位居第一|排名第一))"
)


def wrong_reading(claim: Reading, quotes: Sequence[Reading]) -> WrongReading | None:
    """Return the first comparison, superlative or text of a claim that a table refutes."""
    for quote in quotes:
        for place, table in enumerate(quote.tables):
            numbers = [number for number in quote.numbers if number.table == place]
            for check in (
                _superlative,
                _denied_superlative,
                unsurpassed,
                _two_superlatives,
                comparison,
                _text_of_another_row,
                _text_of_every_row,
            ):
                if found := next(check(claim, table, numbers), None):
                    return found
    return None


def _superlative(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    rows = rows_named(claim.text, table)
    if len(rows) != 1 or negated(claim.text):
        return
    for found in _SUPERLATIVE.finditer(claim.text):
        column, least = _measured(found, claim.text, table, numbers)
        if column is None:
            continue
        values = {
            number.row: number.signed for number in numbers if number.column == column and not table.is_sum(number.row)
        }
        if rows[0] in values and len(values) > 1:
            extreme = min(values.values()) if least else max(values.values())
            if values[rows[0]] != extreme:
                holder = next(row for row, value in values.items() if value == extreme)
                yield WrongReading(found.group().strip(), f"{table.label(holder)}: {table.rows[holder][column]}")


_NOT_SO = re.compile(
    r"(?:\b(?:not|never)\b|n['’]t\b)[^,;.]{0,24}$|(?:不是|并非|没有|未)[^，；。]{0,12}$", re.IGNORECASE
)
"""A denial right before a superlative."""


def _denied_superlative(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a claim that denies a row to have the greatest or least value of a column, which it has."""
    rows = rows_named(claim.text, table)
    marks = list(_SUPERLATIVE.finditer(claim.text))
    if len(rows) != 1 or len(marks) != 1 or not _NOT_SO.search(claim.text[: marks[0].start()]):
        return
    if _extremes(marks[0], claim.text, table, numbers) == {rows[0]}:
        column, _ = _measured(marks[0], claim.text, table, numbers)
        yield WrongReading(marks[0].group().strip(), f"{table.label(rows[0])}: {table.rows[rows[0]][column or 0]}")


def _two_superlatives(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a claim that no row is both of two things which it says of one row: `the dearest is also the brightest`."""
    marks = list(_SUPERLATIVE.finditer(claim.text))
    if len(marks) != 2 or rows_named(claim.text, table) or negated(claim.text) or COMPARISON.search(claim.text):
        return
    if claim.numbers or not _IS.search(claim.text[marks[0].end() : marks[1].start()]):
        return
    extremes = [_extremes(mark, claim.text[max(0, mark.start() - 1) : mark.end()], table, numbers) for mark in marks]
    if all(extremes) and extremes[0].isdisjoint(extremes[1]):
        row = min(extremes[0])
        yield WrongReading(marks[1].group().strip(), table.label(row))


_IS = re.compile(r"\b(?:is|are|was|were|has|have|had|also)\b|[是也]")


def _extremes(mark: re.Match[str], words: str, table: TableRead, numbers: Sequence[Number]) -> frozenset[int]:
    """Return the rows with the least or the greatest value in the column that a superlative is of; empty where that is not told."""
    column, least = _measured(mark, words, table, numbers)
    values = {
        number.row: number.signed for number in numbers if number.column == column and not table.is_sum(number.row)
    }
    extreme = min(values.values(), default=0.0) if least else max(values.values(), default=0.0)
    return frozenset(row for row, value in values.items() if value == extreme)


def _measured(mark: re.Match[str], words: str, table: TableRead, numbers: Sequence[Number]) -> tuple[int | None, bool]:
    """Return the column that a superlative is of, and whether it is the least value there that it means."""
    parts = mark.groupdict()
    adjective = (parts["root"] or parts["noun"] or parts["chinese"] or "").lower()
    least = parts["much"] in {"least", "fewest"} or (
        bool(parts["root"] or parts["chinese"]) and bool(LEAST.match(adjective))
    )
    named = " ".join(filter(None, (parts["noun"], parts["after"], parts["before"], parts["first"])))
    column = column_of(named, adjective, table, numbers)
    if column is None:
        column = column_of(words, "", table, numbers)
    if column is None:
        return None, least
    return column, least is not turns(adjective, table, column, numbers)


def _text_of_another_row(claim: Reading, table: TableRead, _: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a text, or a year, that a claim gives for a row although the table gives it for another one."""
    rows = rows_named(claim.text, table)
    words = set(word_keys(claim.text))
    elsewhere = " ".join([*table.heads, *(cells[0] for cells in table.rows)])
    for column in range(1, len(table.heads)) if len(rows) == 1 else ():
        held = [cells[column] for cells in table.rows]
        mine = held[rows[0]]
        others = {cell for cell in held if cell != mine and cell not in elsewhere and _stands_in(cell, claim.text)}
        if not others or not mine or _stands_in(mine, claim.text):
            continue
        told = min(others)
        telling = (told[0].isupper() and len(told) > _SHORT) or len(word_keys(told)) > 1
        telling = telling or (has_cjk(told) and held.count(told) == 1)
        if telling or words & set(word_keys(table.heads[column])):
            yield WrongReading(told, mine)


def _text_of_every_row(claim: Reading, table: TableRead, _: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield the text of a row that a claim about every row does not fit: another word in the column than its own, or a denial."""
    if (
        rows_named(claim.text, table)
        or not EVERY.search(claim.text)
        or NOT_EVERY.search(claim.text)
        or negated(claim.text)
    ):
        return
    words = set(word_keys(claim.text))
    for column, head in enumerate(table.heads[1:], 1):
        held = dict.fromkeys(
            cells[column] for row, cells in enumerate(table.rows) if cells[column] and not table.is_sum(row)
        )
        told = [cell for cell in held if _stands_in(cell, claim.text)]
        denied = [cell for cell in held if _DENIED.match(cell)] if words & set(word_keys(head)) else []
        others = [cell for cell in held if cell not in told] if len(told) == 1 else denied
        if others and not any(_NUMERIC.match(cell) for cell in held):
            yield WrongReading(claim.text, others[0])


_NUMERIC = re.compile(r"\W?\d")
_DENIED = re.compile(r"(?:no|none|never)\b|[无否]|[不未没]\S", re.IGNORECASE)
EVERY = re.compile(
    r"\b(?:all|every|each|both|everywhere|without exception)\b|各|均(?!价)|(?<![首成])都(?![市城督江])|全部|所有|一律|无一例外",
    re.IGNORECASE,
)
NOT_EVERY = re.compile(
    r"\b(?:but|bar|except|other than|only|overall|in all(?! [a-z])|altogether|total|together|nearly|almost|most)\b|除|只|仅|大多|合计|总|几乎",
    re.IGNORECASE,
)
"""What keeps a claim with a universal word from saying it of all."""
_SHORT = 3
"""Letters up to which a cell may be a word by chance."""


def _stands_in(cell: str, text: str) -> bool:
    """Tell whether a text has a cell: words, or a year; numbers are bound elsewhere."""
    if YEAR.fullmatch(cell) or has_cjk(cell):
        return len(cell) > 1 and cell in text
    if len(cell) <= 2 or re.search(r"[^\W\d_]", cell) is None:
        return False
    words = word_keys(cell)
    return cell in text or (len(words) > 1 and set(words) <= set(word_keys(text)))
