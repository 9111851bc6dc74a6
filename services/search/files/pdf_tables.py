"""Finds the tables of PDF pages, and writes them as Markdown: ruled ones by pdfplumber, ones without rules by their columns."""

import io
import re
import time
from collections.abc import Iterator, Sequence
from statistics import mean

import pdfplumber

from services.search.files.pdf_layout import LEAST_ROWS, PROSE_WORDS, PdfLine, Word, mean_length
from services.search.files.sheets import Merged, Sheet, table_of
from services.text.normal_form import normal_form
from services.text.tables import pipe_table

TABLE_SECONDS = 2.0
"""Seconds for the tables of a file; those of later pages stay lines."""
WORD_GAP = 0.15
"""Least width of a gap between words of a ruled table, in sizes of its type; a blank has 0.25, and less in a tight line."""
LEAST_FILLED = 0.6
"""Least share of a grid's cells with text."""
LONGEST_CELL = 200
"""Mean characters of a cell up to which a grid is a table; one of longer cells is a page in boxes."""

ROW_DISTANCE = 2.0
"""Most distance between rows of a table without rules, in heights of a line."""
COLUMN_GAP = 0.6
"""Least width of a gap between its columns, likewise; a blank of a typewriter font has 0.5."""

_RADICALS = re.compile("[\u2f00-\u2fd5]")
"""Signs that many Chinese fonts map to in place of the characters that look alike; PDFium reads the characters."""
_NUMBER = re.compile(r"\W{0,3}\d")
_Span = tuple[float, float]
"""Left and right edge in points."""
RuledTable = tuple[tuple[float, float, float, float], str]
"""Left, bottom, right and top of a table in points, and the table as Markdown."""


def ruled_tables(data: bytes, numbers: Sequence[int]) -> dict[int, list[RuledTable]]:
    """Return the ruled tables of some pages, as far as there is time."""
    tables: dict[int, list[RuledTable]] = {}
    until = time.monotonic() + TABLE_SECONDS
    try:
        with pdfplumber.open(io.BytesIO(data), pages=[number + 1 for number in numbers]) as file:
            for number, page in zip(numbers, file.pages if numbers else [], strict=True):
                if time.monotonic() > until:
                    break
                for table in page.find_tables():
                    left, top, right, bottom = table.bbox
                    if markdown := _markdown(table.extract(x_tolerance_ratio=WORD_GAP)):
                        box = (left, float(page.height) - bottom, right, float(page.height) - top)
                        tables.setdefault(number, []).append((box, markdown))
                page.close()
    except Exception:  # noqa: BLE001 - a broken PDF raises anything, and PDFium has read its lines
        return tables
    return tables


def with_tables(lines: Sequence[PdfLine]) -> Iterator[list[PdfLine] | str]:
    """Yield the lines of prose and, as Markdown, the tables without rules between them."""
    prose: list[PdfLine] = []
    start = 0
    while start < len(lines):
        rows, columns = _aligned(lines, start)
        if table := _unruled(rows, columns):
            yield prose
            yield table
            prose = []
        else:
            prose += rows
        start += len(rows)
    yield prose


def _aligned(lines: Sequence[PdfLine], start: int) -> tuple[list[PdfLine], list[_Span]]:
    """Return the line at `start` with those below that have cells in the same columns, and these columns.

    One line without cells may be among them: a title of the rows below.
    """
    first, below = lines[start], lines[start + 1 : start + 1 + LEAST_ROWS]
    columns = _cells(first)
    if len(columns) < 2 or len(_columns([first, *below])) < len(_columns(below)):
        return [first], []  # prose, or a head over several columns
    end = start + 1
    for place in range(start + 1, len(lines)):
        above, line = lines[place - 1], lines[place]
        if line.top > first.top or above.bottom - line.top > ROW_DISTANCE * line.height:
            break
        cells = _cells(line)
        if len(cells) > 1:
            shared = _merged([*columns, *cells], line.height)
            if len(shared) < len(columns):
                break
            columns = shared
        elif not _column(line.left, line.right, columns):
            if place > end:
                break
            continue
        end = place + 1
    return list(lines[start:end]), columns


def _unruled(rows: Sequence[PdfLine], columns: Sequence[_Span]) -> str:
    """Return rows in columns as a Markdown table; empty if they are none.

    A list, numbered lines and columns of prose have fewer than two columns of short cells. Two columns without numbers are text
    with tabs, as program code with remarks.
    """
    if sum(len(_cells(line)) > 1 for line in rows) < LEAST_ROWS:
        return ""
    table: list[list[list[Word]]] = []
    for line in rows:
        row: list[list[Word]] = [[] for _ in columns]
        if len(_cells(line)) < 2:
            row[_column(line.left, line.right, columns)] += line.words
        else:
            for word in line.words:
                row[_column(word.left, word.right, columns)].append(word)
        table.append(row)
    own = [[row[place] for row in table if row[place]] for place in range(len(columns))]
    short = sum(mean_length(cells) < PROSE_WORDS for cells in own)
    numbers = sum(_NUMBER.match(cell[0].text) is not None for cell in own[-1])
    if short < 2 or (len(columns) == 2 and numbers < len(own[-1]) / 2):
        return ""
    whole: list[list[str]] = []
    for row in table:
        texts = [" ".join(word.text for word in cell) for cell in row]
        place = next(place for place, text in enumerate(texts) if text)
        goes_on = place and sum(map(bool, texts)) == 1 and not _NUMBER.match(texts[place])
        if goes_on and whole:
            whole[-1][place] = f"{whole[-1][place]} {texts[place]}".lstrip()
        else:
            whole.append(texts)
    return _markdown(whole)


def _columns(lines: Sequence[PdfLine]) -> list[_Span]:
    rows = [(line, cells) for line in lines if len(cells := _cells(line)) > 1]
    return _merged([cell for _, cells in rows for cell in cells], mean(line.height for line, _ in rows)) if rows else []


def _cells(line: PdfLine) -> list[_Span]:
    return _merged([(word.left, word.right) for word in line.words], line.height)


def _merged(spans: Sequence[_Span], height: float) -> list[_Span]:
    """Join spans with no gap between that is as wide as one between columns."""
    merged: list[_Span] = []
    for left, right in sorted(spans):
        if merged and left - merged[-1][1] < COLUMN_GAP * height:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _column(left: float, right: float, columns: Sequence[_Span]) -> int:
    """Return the place of the column in which a span lies; the first where it lies in several."""
    inside = [place for place, column in enumerate(columns) if left < column[1] and right > column[0]]
    return inside[0] if len(inside) == 1 else 0


def _markdown(rows: Sequence[Sequence[str | None]]) -> str:
    """Return a table as Markdown; empty if it is a single row or column, mostly empty, or a page layout in boxes."""
    cells = [cut for row in rows if any(row) for cut in _cut(row)]
    filled = [cell for row in cells for cell in row if cell]
    if len(cells) < 2 or len(cells[0]) < 2 or len(filled) < LEAST_FILLED * sum(map(len, cells)):
        return ""
    if mean(map(len, filled)) > LONGEST_CELL:
        return ""
    table = [[cell or "" for cell in row] for row in cells]
    joined = table_of(Sheet("", table, _merged_cells(cells))) if _goes_on_below(*cells[:2]) else None
    return joined.markdown()[0] if joined else "\n".join(pipe_table(table))


def _goes_on_below(upper: Sequence[str | None], lower: Sequence[str | None]) -> bool:
    """Tell whether the second row of a grid parts the cells of the first that reach over several columns, and only those."""
    over = [cell is None or following is None for cell, following in zip(upper, [*upper[1:], ""], strict=True)]
    return any(over) and over == [bool(cell) for cell in lower]


def _merged_cells(rows: Sequence[Sequence[str | None]]) -> list[Merged]:
    """Return the cells that take several places, where only the first has a text and the others none, not even an empty one."""
    merged: list[Merged] = []
    for top, row in enumerate(rows):
        for start in (place for place, cell in enumerate(row) if cell):
            column = [own[start] for own in rows]
            end, bottom = start + _gap(row[start + 1 :]), top + _gap(column[top + 1 :])
            merged += [(top, start, bottom, end)] if (bottom, end) > (top, start) else []
    return merged


def _gap(cells: Sequence[str | None]) -> int:
    return next((place for place, cell in enumerate(cells) if cell is not None), len(cells))


def _cut(row: Sequence[str | None]) -> list[list[str | None]]:
    """Return a row of a grid as one row of cells, or as several where only every few of them have a rule between."""
    heights = {len(cell.splitlines()) for cell in row if cell}
    several = len(heights) == 1 and max(heights) > 2
    parts = (
        [[cell.splitlines()[place] if cell else cell for cell in row] for place in range(max(heights))]
        if several
        else [row]
    )
    return [[cell and _plain(cell) for cell in part] for part in parts]


def _plain(cell: str) -> str:
    return _RADICALS.sub(lambda match: normal_form("NFKC", match.group()), " ".join(cell.split()))
