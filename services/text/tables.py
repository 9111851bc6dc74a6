"""Tables of a text, in Markdown or CSV: parted from its prose, with the scale and the unit that a heading gives its column."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from services.text.measures import Measure, unit_of
from services.text.normal_form import normal_form
from services.text.numerals import CHINESE_SCALE, SCALE_SIGNS, SCALES, scale_value
from services.text.tokens import pieces

MAX_COLUMNS = 40
"""Of a table that is read."""
MAX_CELL = 80
"""Characters of a cell of CSV."""
LEAST_DELIMITERS = 2
_LINE = re.compile(r"^\s*\|(.*)\|\s*$")
_PROSE = re.compile(r"[，。；\r\n\0]|[.!?]\s*$|\.\s")
"""What no row of CSV holds."""
_RULE = re.compile(r"^[\s|:-]+$")
_CELL_END = re.compile(r"(?<!\\)\|")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class TableRead:
    """A table of a text."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    """The line of prose above it, which may give the unit of its cells: `Spending in £ million`."""

    def label(self, row: int) -> str:
        """Return the text that tells a row from the others: of its first column of texts that differ."""
        return self.rows[row][self._label_column]

    @property
    def labels(self) -> list[str]:
        """The labels of all rows that are texts."""
        labels = (cells[self._label_column] for cells in self.rows)
        return [label for label in labels if _LETTER.search(label)]

    @cached_property
    def _label_column(self) -> int:
        columns = list(zip(*self.rows, strict=True))
        texts = [place for place, cells in enumerate(columns) if any(map(_LETTER.search, cells))]
        return next((place for place in texts if len(set(columns[place])) > 1), texts[0] if texts else 0)

    @cached_property
    def number_columns(self) -> frozenset[int]:
        """Places of the columns that hold numbers."""
        return frozenset(place for row in self.rows for place, cell in enumerate(row) if numbers_of(cell))


def parted(text: str) -> tuple[str, list[TableRead]]:
    """Return the prose of a text, and its tables."""
    prose: list[str] = []
    tables: list[TableRead] = []
    lines = [*text.split("\n"), ""]
    place = 0
    for first, cells in table_rows(lines):
        prose += lines[place:first]
        place = first + len(cells)
        own = [(line, row) for line, row in zip(lines[first:place], cells, strict=True) if not _RULE.match(line)]
        if len(own) > 1 and len(cells[0]) <= MAX_COLUMNS:
            caption = next((line for line in reversed(prose) if line.strip()), "")
            tables.append(_table([row for _, row in own], caption))
        else:
            prose += [line for line, _ in own]
    return "\n".join([*prose, *lines[place:]]), tables


def table_rows(lines: Sequence[str]) -> Iterator[tuple[int, list[tuple[str, ...]]]]:
    """Yield the first line of each table in Markdown or CSV, and the cells of its lines, those of a rule included."""
    rows: list[tuple[str, ...]] = []
    for place, line in enumerate([*lines, ""]):
        row = row_of(line)
        if rows and (row is None or not _goes_on(lines[place - 1], line, rows[-1], row)):
            yield place - len(rows), rows
            rows = []
        rows += [row] if row else []


def row_of(line: str) -> tuple[str, ...] | None:
    """Return the cells of a row of a table in Markdown or CSV; None for a line of prose."""
    if _LINE.match(line):
        return tuple(cells_of(line))
    for delimiter in ",;\t":
        if line.count(delimiter) >= LEAST_DELIMITERS and not _PROSE.search(line) and f"{delimiter} " not in line:
            cells = next(csv.reader([line], delimiter=delimiter), [])
            if LEAST_DELIMITERS < len(cells) <= MAX_COLUMNS and all(len(cell) <= MAX_CELL for cell in cells):
                return tuple(cell.strip() for cell in cells)
    return None


def cells_of(row: str) -> list[str]:
    r"""Return the cells of a row of Markdown, in which `\|` is no end of a cell."""
    row = row.strip().removeprefix("|")
    inner = row[:-1] if row.endswith("|") and not row.endswith("\\|") else row
    return [cell.replace("\\|", "|").strip() for cell in _CELL_END.split(inner)]


def cells_with_heads(cells: Sequence[str], heads: Sequence[str]) -> list[str]:
    """Return a row's cells with numbers as sentences: the row's label, the column's heading and the cell."""
    headed = list(zip(heads, cells, strict=False))[1:]
    return [f"{cells[0]}, {head}: {cell}" for head, cell in headed if head and re.search(r"\d", cell)]


@lru_cache(maxsize=64)
def cells_told(text: str) -> frozenset[str]:
    """Return the cells with numbers of the tables of a text, in the form of `cells_with_heads`."""
    return frozenset(
        told for table in parted(text)[1] for row in table.rows for told in cells_with_heads(row, table.heads)
    )


def table_at(text: str, place: int) -> list[str]:
    """Return the rows of the table that a place lies in or ends, without its head; none for prose."""
    begin, end = text.rfind("\n\n", 0, place) + 1, text.find("\n\n", place)
    lines = text[begin : None if end < 0 else end].split("\n")
    return [line for line in lines if row_of(line) and not _RULE.match(line)][1:]


def _goes_on(before: str, line: str, former: Sequence[str], row: Sequence[str]) -> bool:
    return _LINE.match(line) is not None if _LINE.match(before) else len(former) == len(row)


def _table(rows: Sequence[tuple[str, ...]], caption: str) -> TableRead:
    width = len(rows[0])
    return TableRead(rows[0], tuple((*row, *[""] * width)[:width] for row in rows[1:]), caption)


def _is_unit(word: str) -> bool:
    return word == "%" or word in SCALES or unit_of(f"1 {word}", 1) is not None


_SCALES_FIRST = re.compile(rf"^\s*(?:{CHINESE_SCALE}{{1,3}}|(?:{'|'.join(SCALES)})s?\b(?: of)?)", re.IGNORECASE)
_SIGN = re.compile(r"([$€£¥]\s?)(?:k|mn?|bn|tn)\b", re.IGNORECASE)


_SCALE = re.compile(rf"[（(]\s*({CHINESE_SCALE}{{1,3}})")


def scale_of(head: str) -> int:
    """Return the factor that a column's heading gives for its cells."""
    if match := _SCALE.search(head):
        return scale_value(match.group(1))
    if match := re.search(r"[$€£¥]\s?(k|mn?|bn|tn)\b", head, re.IGNORECASE):
        return SCALES[SCALE_SIGNS[match.group(1).lower()]]
    return next((SCALES[word] for word in pieces(head) if word in SCALES), 1)


_OWN_UNIT = re.compile("[（(%]")
_UNIT_OF_ALL = re.compile(
    r"\bin (?P<scale>(?:[$€£¥]\s?)?(?:thousand|million|billion)s?\b(?: of (?:dollars|euros|pounds|yuan))?)|"
    r"(?P<money>[$€£¥]\s?(?:thousand|million|billion|k|mn?|bn)\b)|单位\s?[:：为]\s?(?P<chinese>[\u4e00-\u9fff%]{1,6})",
    re.IGNORECASE,
)


_IN_BRACKETS = re.compile(r"[（(]([^（）()]{1,12})[）)]")


def unit_of_column(head: str, caption: str) -> str:
    """Return the text that gives a column its unit: its heading where that has one, else what the line above the table says of all cells."""
    if _OWN_UNIT.search(head):
        return head
    if match := _UNIT_OF_ALL.search(caption):
        return f"({(match['scale'] or match['money'] or match['chinese']).split(' of ')[0].rstrip('s')})"
    return next((f"({inside})" for inside in _IN_BRACKETS.findall(caption) if _is_unit(inside.strip())), head)


_CELL = re.compile(r"[-+−]?[$€£¥]?\s?\d[\d.,\s]{0,20}[%$€£¥]?")
_CELL_WITH_SHARE = re.compile(
    r"(?P<number>[-+−]?[$€£¥]?\s?\d[\d.,]{0,20})\s?[（(]\s?(?P<share>\d[\d.]{0,8}\s?%)\s?[）)]"
)


def numbers_of(cell: str) -> tuple[str, ...]:
    """Return the numbers that a cell consists of: one, or one with its share, as in `41 (20.1%)`; none where it holds words."""
    if _CELL.fullmatch(cell):
        return (cell,)
    both = _CELL_WITH_SHARE.fullmatch(cell)
    return (both["number"], both["share"]) if both else ()


def scaled(measure: Measure, head: str, scale: float) -> Measure:
    """Return a cell's measure with the unit and the scale of its column's heading."""
    kind, factor = measure.kind, measure.factor
    if not kind:
        head = normal_form("NFKC", head)  # `km²` is `km2`
        inside = re.search(r"[（(]([^（）()]{1,40})[）)]", _SIGN.sub(r"\1", head))
        unit = unit_of(f"1 {_SCALES_FIRST.sub('', inside.group(1)).strip()}", 1) if inside else None
        kind, factor = unit or ("percent" if inside and "%" in inside.group(1) else "", 1.0)
    times = scale * factor / measure.factor
    return replace(measure, kind=kind, factor=factor, value=measure.value * times, half_step=measure.half_step * times)


def pipe_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table of Markdown with these rows, the first of which is its head; shorter rows end with empty cells."""
    width = max(map(len, rows), default=0)
    lines = [
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in [*row, *[''] * (width - len(row))])} |"
        for row in rows
    ]
    return [lines[0], f"|{' --- |' * width}", *lines[1:]] if width else []


def csv_rows(text: str, delimiter: str = ",", quote: str = '"') -> list[list[str]]:
    """Return the rows of CSV that stands in a document, with each cell in one line; none of what is no table, or mostly gaps."""
    try:
        read = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, quotechar=quote, skipinitialspace=True)
        rows = [[" ".join(cell.split()) for cell in row] for row in read if row]
    except (csv.Error, TypeError, ValueError):  # a delimiter of several characters, a cell without end
        return []
    return rows if len(rows) * max(map(len, rows), default=0) <= 2 * len(text) else []
