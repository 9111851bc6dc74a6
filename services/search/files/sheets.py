"""Tables of CSV files and workbooks as people make them: titles above, heads of several rows made one, cells that are merged."""

import csv
import io
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from services.text.tables import pipe_table

MAX_HEADS = 4
"""Rows that a table's heads take at most."""
MAX_FILLED = 1_000_000
"""Cells that merged ones may stand for."""
MAX_SEARCHED = 20_000_000
"""Characters of a table that are searched by words."""
_DELIMITERS = ",\t;|"

Merged = tuple[int, int, int, int]
"""First row and column, last row and column, from 0."""


class Sheet(NamedTuple):
    """The cells of a sheet or of a CSV file."""

    name: str
    """Empty for a CSV file."""
    rows: list[list[str]]
    merged: Sequence[Merged] = ()
    remarks: Sequence[str] = ()
    """Comments on cells, in a line each behind the name of the cell and what it shows."""


class Hidden(NamedTuple):
    """Rows and columns of a sheet that are hidden, from 0."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()

    def covers(self, row: int, column: int) -> bool:
        """Tell whether a cell is hidden."""
        return row in self.rows or column in self.columns


NOTHING_HIDDEN = Hidden()


def without_hidden(rows: Sequence[Sequence[str]], merged: Sequence[Merged], hidden: Hidden) -> list[list[str]]:
    """Return cells with those blank that are hidden; a merged cell is shown as long as a part of it is."""
    partly = {
        (top, start)
        for top, start, bottom, end in merged
        if not hidden.rows.issuperset(range(top, bottom + 1)) and not hidden.columns.issuperset(range(start, end + 1))
    }
    return [
        [
            "" if hidden.covers(row, column) and (row, column) not in partly else cell
            for column, cell in enumerate(cells)
        ]
        for row, cells in enumerate(rows)
    ]


class SheetTable(NamedTuple):
    """The table of a sheet."""

    name: str
    captions: list[str]
    """Titles and notes above it."""
    rows: list[list[str]]
    """Its heads, and the rows below."""
    plain: bool
    """Whether it is in its file as programs expect it: heads in the first row, and all of them."""
    remarks: Sequence[str] = ()
    """See `Sheet`."""

    def markdown(self) -> tuple[str, int]:
        """Return it as Markdown below its name and captions, and the number of rows that were left out."""
        lines = pipe_table(self.rows)
        line_count = bisect_right(list(accumulate(map(len, lines))), MAX_SEARCHED)
        parts = [f"## {self.name}" if self.name else "", "\n".join(self.captions), "\n".join(lines[:line_count])]
        parts.append("\n".join(f"- {remark}" for remark in self.remarks))
        return "\n\n".join(filter(None, parts)), len(lines) - line_count


def csv_sheet(text: str, delimiter: str) -> Sheet:
    """Return the rows of a CSV file."""
    csv.field_size_limit(1_000_000)
    return Sheet("", list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)))


def delimiter_of(name: str, text: str) -> str:
    """Return the separator that splits the most of the first lines into the same number of cells; that of a TSV file is known."""
    sample = text[:20_000]

    def evenness(delimiter: str) -> tuple[float, int]:
        lines = list(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter))[:20]
        widths = [len(line) for line in (lines[:-1] or lines) if any(line)]
        common = max((width for width in widths if width > 1), key=widths.count, default=1)
        return (widths.count(common) / len(widths) if common > 1 else 0.0, common)

    if name.lower().endswith(".tsv"):
        return "\t"
    return max(_DELIMITERS, key=lambda delimiter: (*evenness(delimiter), -_DELIMITERS.index(delimiter)))


def table_of(sheet: Sheet) -> SheetTable | None:
    """Return the table of a sheet: titles apart, heads in one row, merged cells filled, below the heads only downwards; None for a sheet without cells."""
    rows = _filled(sheet)
    width = max((len(row) for row in rows), default=0)
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    first = next((place for place, row in enumerate(rows) if len(set(filter(None, row))) > 1), None)
    if first is None:
        lines = [next(filter(None, row)) for row in rows if any(row)]
        return SheetTable(sheet.name, [], [[line] for line in lines], True, sheet.remarks) if lines else None
    captions = [next(filter(None, row)) for row in rows[:first] if any(row)]
    depth = _depth(rows, first, sheet.merged)
    columns_of_heads = zip(*_spread(rows[first : first + depth]), strict=True)
    heads = [" ".join(dict.fromkeys(filter(None, column))) for column in columns_of_heads]
    for top, start, bottom, end in sheet.merged:
        for row in rows[max(top, first + depth) : bottom + 1]:
            row[start + 1 : end + 1] = [""] * (end - start)
    body = [row for row in rows[first + depth :] if any(row)]
    columns = [place for place in range(width) if heads[place] or any(row[place] for row in body)]
    named = [heads[place] or f"column {place + 1}" for place in columns]
    plain = not captions and depth == 1 and first == 0 and all(heads[place] for place in columns)
    return SheetTable(
        sheet.name, captions, [named, *([row[place] for place in columns] for row in body)], plain, sheet.remarks
    )


def _filled(sheet: Sheet) -> list[list[str]]:
    """Return the rows of a sheet, with what merged cells say in each place that they take, and without blanks behind the last cell."""
    rows = [[" ".join(cell.split()) for cell in row] for row in sheet.rows]
    left = MAX_FILLED
    for top, start, bottom, end in sheet.merged:
        left -= (bottom - top + 1) * (end - start + 1)
        if left < 0:
            break
        text = rows[top][start] if top < len(rows) and start < len(rows[top]) else ""
        for place in range(top, min(bottom + 1, len(rows)) if text else top):
            rows[place] += [""] * (end + 1 - len(rows[place]))
            rows[place][start : end + 1] = [text] * (end + 1 - start)
    for row in rows:
        while row and not row[-1]:
            row.pop()
    return rows


def _depth(rows: Sequence[Sequence[str]], first: int, merged: Iterable[Merged]) -> int:
    max_depth = min(MAX_HEADS, len(rows) - first - 1)
    tops = [cells for cells in merged if cells[0] == first]
    depths = [bottom - first + 1 + (end > start and bottom == top) for top, start, bottom, end in tops]
    if depths and max(depths) == 2 and _is_data(rows[first : first + 2], tops):
        return 1
    if depths:
        return max(1, min(max(depths), max_depth))
    depth = 1
    while depth < max_depth and _goes_on(*rows[first + depth - 1 : first + depth + 2]):
        depth += 1
    return depth


def _is_data(rows: Sequence[Sequence[str]], merged: Iterable[Merged]) -> bool:
    """Tell whether the second row is no row of heads: it has a number below a head that spans no other column."""
    spanned = {place for _, start, _, end in merged if end > start for place in range(start, end + 1)}
    alone = [below for place, (head, below) in enumerate(zip(*rows, strict=False)) if head and place not in spanned]
    return any(map(_is_number, alone))


def _is_number(cell: str) -> bool:
    return cell.lstrip("+-")[:1].isdigit()


def _goes_on(above: Sequence[str], below: Sequence[str], data: Sequence[str]) -> bool:
    """Tell whether a row of heads says more of the one above: it fills its gaps, and is no row of the data.

    It has gaps where that one is complete; or the one above has gaps behind a head, as merged cells leave in a CSV file, and only
    the row below has numbers.
    """
    gaps = [place for place, cell in enumerate(above) if not cell]
    if not gaps or not all(below[place] for place in gaps) or sum(map(bool, above)) < 2:
        return False
    numbers = [any(map(_is_number, row)) for row in (below, data)]
    return not all(below) or (any(above[: gaps[-1]]) and numbers == [False, True])


def _spread(heads: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows of heads with each gap filled by the head at its left, where a lower row has a head of its own."""
    spread = [list(row) for row in heads]
    for upper, lower in pairwise(spread):
        for place in range(1, len(upper)):
            if not upper[place] and lower[place]:
                upper[place] = upper[place - 1]
    return spread


def sheets_markdown(sheets: Iterable[Sheet]) -> tuple[str, int]:
    """Return the tables of a workbook as Markdown, and the number of rows that were left out."""
    parts: list[str] = []
    left_out = 0
    for table in tables_of(part for sheet in sheets for part in _below_each_other(sheet)):
        text, beyond = table.markdown()
        parts.append(text)
        left_out += beyond
    return "\n\n".join(parts), left_out


def _below_each_other(sheet: Sheet) -> list[Sheet]:
    """Return the tables of a sheet that stand below each other: behind a blank row, a row without numbers has a text between the numbers of its column."""
    starts, numbers, blank, title = [0], set[int](), False, -1
    for place, row in enumerate(sheet.rows):
        cells = len(set(filter(None, map(str.strip, row))))
        if not cells:
            blank = True
            continue
        own = _number_places(row)
        if blank and not own and _heads_follow(sheet.rows, place, numbers):
            starts.append(place if title < 0 else title)
            numbers = set()
        numbers |= own
        title = -1 if cells > 1 else place if blank and title < 0 else title
        blank = False
    if len(starts) == 1:
        return [sheet]
    parts = []
    for number, (start, end) in enumerate(pairwise([*starts, len(sheet.rows)])):
        last = end == len(sheet.rows)
        merged = [
            (top - start, left, bottom - start, right)
            for top, left, bottom, right in sheet.merged
            if start <= top < end
        ]
        parts.append(Sheet("" if number else sheet.name, sheet.rows[start:end], merged, sheet.remarks if last else ()))
    return parts


def _heads_follow(rows: Sequence[Sequence[str]], place: int, numbers: Collection[int]) -> bool:
    """Tell whether a block of rows begins, below its titles, with heads above numbers, in columns that held `numbers` above."""
    while place < len(rows) and len(set(filter(None, rows[place]))) == 1:
        place += 1
    if place + 1 >= len(rows) or _number_places(rows[place]):
        return False
    heads = {column for column, cell in enumerate(rows[place]) if cell.strip()}
    return not heads.isdisjoint(_number_places(rows[place + 1]).intersection(numbers))


def _number_places(row: Sequence[str]) -> set[int]:
    return {place for place, cell in enumerate(row) if cell.strip().lstrip("+-(")[:1].isdigit()}


def tables_of(sheets: Iterable[Sheet]) -> Iterator[SheetTable]:
    """Yield the tables of sheets that have cells."""
    yield from (table for sheet in sheets if (table := table_of(sheet)) is not None)
