"""Comparisons of rows or years that a claim reads out of a table."""

import re
from collections.abc import Iterator, Sequence

from services.evidence.readings import Number, Reading, word_keys
from services.evidence.table_columns import COLUMNS, LEAST, WrongReading, column_of, rows_named, turns
from services.text.tables import TableRead
from services.text.polarity import negated

_GRADABLE = re.compile(
    rf"{'|'.join(word[:4] for word in COLUMNS if word.isascii())}|great|larg|big|small|lat|earl", re.IGNORECASE
)
"""Beginnings of adjectives of which a comparative is made, as `other` and `number` are none."""
COMPARISON = re.compile(
    r"\b(?:(?P<word>more|less|fewer)|(?P<root>[a-z]{3,}?)(?:ier|er))\b(?=[^.;]{0,60}?\bthan\b)|"
    r"\b(?P<over>overt(?:ook|aken?|akes)|surpass\w*|outnumber\w*|outstrip\w*|outsold)\b|(?P<above>高于|多于|大于|超过|长于|晚于)|(?P<under>低于|少于|小于|不及|短于|早于)|"
    r"(?<![相对占同环])比(?![例重率])[^，,。；;]{2,24}?[更还要也略]{0,2}(?P<than>[多少高低大小长短深浅快慢重轻贵]|便宜)(?![数于度])",
    re.IGNORECASE,
)
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_NOBODY = re.compile(r"\b(?:nobody|no ?one|none|no other)\b", re.IGNORECASE)


def unsurpassed(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a claim that no row is more of something than one is, where another is: `nobody came sooner than the winner`."""
    nobody = _NOBODY.search(claim.text)
    mark = COMPARISON.search(claim.text, nobody.end()) if nobody else None
    than = _THAN.search(claim.text, mark.end()) if mark and mark["root"] else None
    if nobody is None or mark is None or than is None:
        return
    rows, adjective = rows_named(claim.text[than.end() :], table), mark["root"].lower()
    column = column_of(claim.text[nobody.end() : mark.start()], adjective, table, numbers)
    if column is None or len(rows) != 1:
        return
    values = {
        number.row: number.signed for number in numbers if number.column == column and not table.is_sum(number.row)
    }
    least = bool(LEAST.match(adjective)) is not turns(adjective, table, column, numbers)
    extreme = min(values.values(), default=0.0) if least else max(values.values(), default=0.0)
    if values.get(rows[0], extreme) != extreme:
        holder = next(row for row, value in values.items() if value == extreme)
        yield WrongReading(mark.group(), f"{table.label(holder)}: {table.rows[holder][column]}")


def comparison(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a comparison of two rows, or of two years of one row, that the values refute."""
    found = [mark for mark in COMPARISON.finditer(claim.text) if mark["root"] is None or _GRADABLE.match(mark["root"])]
    if claim.text.isascii() and len(_THAN.findall(claim.text)) == 1:
        found = found[-1:]  # the comparative beside `than`
    if len(found) != 1 or negated(claim.text):
        return
    mark = found[0]
    chinese = not mark.group().isascii()
    than = None if chinese or mark["over"] else _THAN.search(claim.text, mark.end())
    if not chinese and than is None and not mark["over"]:
        return
    middle = than.start() if than else mark.start() if mark["than"] else mark.end()
    left, right = claim.text[:middle], claim.text[middle + len("比") if mark["than"] else middle :]
    root = (mark["than"] or mark["root"] or "").lower()
    less = LEAST.match(root or mark.group()) is not None if root or not chinese else bool(mark["under"])
    compared = claim.text[mark.end() : middle] if than else ""
    pairs = [_two_rows(left, right, compared, root, table, numbers), _two_years(left, right, claim, table, numbers)]
    for former, other in filter(None, pairs):
        more = less is turns(root, table, former.column, numbers)
        if former.signed != other.signed and (former.signed > other.signed) is not more:
            yield WrongReading(mark.group(), f"{former.text} / {other.text}")


def _two_rows(
    left: str, right: str, compared: str, adjective: str, table: TableRead, numbers: Sequence[Number]
) -> tuple[Number, Number] | None:
    first, second = rows_named(left, table), rows_named(right, table)
    if len(first) != 1 or len(second) != 1 or first == second:
        return None
    years = set(re.findall(r"(?<!\d)[12]\d{3}(?!\d)", left + right))
    fitting = [number for number in numbers if not years or any(year in table.heads[number.column] for year in years)]
    column = column_of(left + right, adjective, table, fitting)
    if column is None:
        column = column_of(compared, "", table, fitting)
    former, other = (
        next((number for number in fitting if number.row == rows[0] and number.column == column), None)
        for rows in (first, second)
    )
    return (former, other) if former and other else None


def _two_years(
    left: str, right: str, claim: Reading, table: TableRead, numbers: Sequence[Number]
) -> tuple[Number, Number] | None:
    years = [re.findall(r"(?<!\d)[12]\d{3}(?!\d)", part) for part in (left, right)]
    if len(years[0]) != 1 or len(years[1]) != 1 or years[0] == years[1]:
        return None
    rows = rows_named(claim.text, table)
    sides: list[Number] = []
    for (year,) in years:
        fitting = [
            number
            for number in numbers
            if (int(year), None, None) in number.periods and (not rows or number.row in rows)
        ]
        words = {
            column: len(set(word_keys(table.heads[column])) & set(word_keys(claim.text)))
            for column in {number.column for number in fitting}
        }
        best = max(words.values(), default=0)
        chosen = [number for number in fitting if words[number.column] == best > 0]
        if len(chosen) != 1:
            return None
        sides += chosen
    return sides[0], sides[1]
