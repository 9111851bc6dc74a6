"""Profiles of tables, those inside converted documents included: columns with types and examples instead of rows."""

import contextlib
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count
from pathlib import Path, PurePath
from typing import Any

from pydantic import BaseModel

from schemas.coder import TableView
from schemas.regular_file import read_regular
from services.search.files.file_types import MAX_BYTES
from services.search.files.sheets import SheetTable
from services.text.numerals import read_number
from services.text.quotable import without_markup
from services.text.spans import plain_heading
from services.text.tables import cells_of
from services.text.tokens import tokens

MAX_CELLS_PROFILED = 1_000_000
"""Cells of a table by which its columns are described, those of its first rows."""
MAX_CSV = 5_000_000
"""Characters of the rows that are kept for programs."""
EXAMPLES = 6
MAX_COLUMNS = 50
"""Columns of a table that are described one by one."""
LONGEST_NAME = 80
"""Characters of a column's name that are shown: a questionnaire's columns are named by its questions."""
SAMPLE, FIRST_ROWS = 1_500, 3
"""Characters of a table's rows that a model sees, and rows of a table that has more."""
DESCRIBED = 1_500
"""Characters of the columns of a table as a planner sees them."""
ALL_DESCRIBED = 6_000
"""The same of all tables together."""
FURTHER = 3_000
"""Characters of the names of tables that are not described."""
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_DIGITS = re.compile(r"\d+")
_TYPE = re.compile(r": (?=number,|text,)")
"""Between a column's name and what it holds."""
_NUMBER = re.compile(r"[$€£¥]?\s?([-+]?(?:\d{1,3}(?:,\d{2,3})*,\d{3}|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?)\s?[%％]?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]{1,20}Z?)?")
MOSTLY = 0.5
"""Share of a column's cells from which on it holds numbers, and the others are units, totals or what stands for a missing one."""

HOLDING = frozenset(".docx .epub .htm .html .markdown .md .mdx .odp .ods .odt .pdf .pptx .qmd .rmd .rst".split())
MAX_TABLES = 20
"""Maximum tables of one document to compute with."""
MAX_PARTS, MAX_PARTS_BYTES = 200, 50_000_000
"""Files with the same columns that are one table, and their bytes together."""
MAX_UNLIKE = 10
"""Columns in which files of a series differ that are named."""
MIN_ROWS = 2
"""Minimum rows below the header of a table to compute with."""
_RULE_CHARACTERS = frozenset(" :|-")
"""Characters of the line below a table's header."""


class Profiled(BaseModel):
    """One table of a file."""

    view: TableView
    csv: str = ""
    """Its rows for programs, where they do not stand in the file as programs expect them; empty where they do."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table file (or one sheet of a workbook) below a documents folder."""

    path: Path
    view: TableView
    csv: str = ""
    """Its rows as CSV, if programs cannot read them from the file."""
    document: str = ""
    """Address of the document in which it stands among text; empty for a file of tables."""
    parts: tuple["Table", ...] = ()
    """Further files with the same columns, such as those of other years; its view names them."""

    def read(self) -> bytes:
        """Return the file for programs. Blocking."""
        return self.csv.encode() if self.csv else read_regular(self.path, MAX_BYTES)

    @property
    def size(self) -> int:
        """Bytes that programs get; 0 for a file that is gone. Blocking."""
        with contextlib.suppress(OSError):
            return len(self.csv) or self.path.stat().st_size
        return 0

    def named_in(self, text: str) -> bool:
        """Tell whether a text names one of its files."""
        return any(file in text for file in (self.view.file, *self.view.also))

    def below(self, depth: int) -> "Table":
        """Return the table with the names of so many folders above in that of its file."""
        folders = self.path.parent.parts[-depth:] if depth else ()
        file = "-".join([*(_NOT_IN_NAMES.sub("-", folder) for folder in folders), self.view.file])
        return replace(self, view=self.view.model_copy(update={"file": file}))

    def describe(self, max_chars: int = DESCRIBED) -> str:
        """Describe the table's content in one line, its columns in at most `max_chars` characters."""
        sheet = f", sheet {self.view.sheet}" if self.view.sheet else ""
        columns = "; ".join(self.view.columns)
        shown = columns if len(columns) <= max_chars else f"{columns[:max_chars]} …"
        also = f" ({self.view.also_line})" if self.view.also else ""
        return f"{self.view.file}{sheet}: {self.view.rows} rows{also}; columns: {shown}"

    def terms(self) -> list[str]:
        """Return the words by which a question may refer to this table, each once."""
        stems = [PurePath(file).stem.replace("-", " ") for file in (self.view.file, *self.view.also)]
        words = tokens(" ".join([self.view.title, *self.view.columns, *stems]))
        return list(dict.fromkeys(words))


def named_apart(tables: Sequence[Table]) -> list[Table]:
    """Name tables of equally named files by the folders above, too, by as many as tell them apart: programs read them from one folder."""
    paths: dict[str, set[Path]] = {}
    for table in tables:
        paths.setdefault(table.view.file, set()).add(table.path)
    depths = {
        file: next(depth for depth in count() if len({path.parts[-1 - depth :] for path in same}) == len(same))
        for file, same in paths.items()
    }
    return [table.below(depths[table.view.file]) for table in tables]


def in_series(tables: Sequence[Table]) -> list[Table]:
    """Join files of tables that have the same columns to one table each, the last by its name with the others as its parts.

    So are files whose names differ in their digits, if most of their columns are the same, as where a later year has one more.
    A table stands in the place of its first file. Programs get them all; what would be too much together stays apart.
    """
    series: list[_Series] = []
    by_columns: dict[tuple[str, ...], _Series] = {}
    by_name: dict[tuple[str, str], list[_Series]] = {}
    for table in tables:
        columns = (table.view.sheet, *(_TYPE.split(column, maxsplit=1)[0] for column in table.view.columns))
        named = by_name.setdefault((table.view.sheet, _DIGITS.sub("#", table.view.file)), [])
        alike = (one for one in named if one.is_alike(table))
        found = next((one for one in (by_columns.get(columns), *alike) if one and one.has_room(table)), None)
        if found is None:
            series.append(found := _Series())
            if not table.document:
                named.append(found)
        found.add(table)
        if not table.document:
            by_columns[columns] = found
    return [one.joined() for one in series]


class _Series:
    """Files that become one table."""

    def __init__(self) -> None:
        self._tables: list[Table] = []
        self._files: set[str] = set()
        self._size = 0

    def add(self, table: Table) -> None:
        self._tables.append(table)
        self._files.add(table.view.file)
        self._size += 0 if table.document else table.size

    def has_room(self, table: Table) -> bool:
        few = len(self._tables) <= MAX_PARTS and self._size + table.size <= MAX_PARTS_BYTES
        return few and table.view.file not in self._files

    def is_alike(self, table: Table) -> bool:
        """Tell whether most columns of a table are those of the last one that was added, or the other way round."""
        own, others = set(column_names(table)), set(column_names(self._tables[-1]))
        return len(own & others) > MOSTLY * min(len(own), len(others))

    def joined(self) -> Table:
        *parts, last = sorted(self._tables, key=lambda table: table.view.file)
        if not parts:
            return last
        unlike: dict[str, list[str]] = {}
        for part in parts:
            if difference := _difference(column_names(part), column_names(last)):
                unlike.setdefault(difference, []).append(part.view.file)
        about = {
            "also": [part.view.file for part in parts],
            "also_rows": sum(part.view.rows for part in parts),
            "unlike": [f"{', '.join(files)} {difference}" for difference, files in unlike.items()],
        }
        return replace(last, parts=tuple(parts), view=last.view.model_copy(update=about))


def column_names(table: Table) -> list[str]:
    """Return the names of a table's columns."""
    return [_TYPE.split(column, maxsplit=1)[0] for column in table.view.columns if _TYPE.search(column)]


def _difference(columns: Sequence[str], others: Sequence[str]) -> str:
    """Say which columns some files have that another one has not, and the reverse; empty where there are none."""
    own, missing = (
        [name for name in these if name not in those] for these, those in ((columns, others), (others, columns))
    )
    told = (("with", own), ("without", missing))
    return " and ".join(
        f"{word} {', '.join(names[:MAX_UNLIKE])}{' …' * (len(names) > MAX_UNLIKE)}" for word, names in told if names
    )


def names_of(tables: Sequence[Table]) -> Iterator[str]:
    """Yield a line that names tables which are not described, as many as there is room for."""
    names = list(dict.fromkeys(f"{table.view.file} ({table.view.rows} rows)" for table in tables))
    ends = accumulate(len(name) + 2 for name in names)
    shown = [name for name, end in zip(names, ends, strict=True) if end <= FURTHER]
    if shown:
        more = f", and {len(names) - len(shown)} others" if len(shown) < len(names) else ""
        yield f"Further tables, nearest first: {', '.join(shown)}{more}"


def profiled(name: str, tables: Iterable[SheetTable], *, written: str = "", further: int = 0) -> list[Profiled]:
    """Profile the tables of a CSV file or a workbook.

    Args:
        name: of the file.
        tables: its tables.
        written: how the file differs from what programs expect, if it does.
        further: rows of the file below those of its table.
    """
    profiles: list[Profiled] = []
    for table in tables:
        path = PurePath(name)
        rows = "" if table.plain and not written else as_csv(table.rows)
        if rows and len(rows) <= MAX_CSV and not further:
            sheet = _NOT_IN_NAMES.sub("-", table.name)
            path = PurePath(f"{path.stem}-{sheet}.csv" if sheet else f"{path.stem}.csv")
            view = profile(path, "", table.rows)
        else:
            too_long, rows, view = rows, "", profile(path, table.name, table.rows, further)
            if view is not None and too_long:  # programs get the file as it is
                differs = ", ".join(filter(None, [written, "" if table.plain else "heads are not the first row alone"]))
                view.columns.append(f"(shown as programs read it; in the file: {differs})")
        if view is not None:
            title = " ".join([re.sub(r"[-_]+", " ", PurePath(name).stem), *table.captions])
            profiles.append(Profiled(view=view.model_copy(update={"title": title}), csv=rows))
    return profiles


def as_csv(rows: Iterable[Sequence[str]]) -> str:
    """Write rows as CSV."""
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows(rows)
    return output.getvalue()


def profile(path: PurePath, sheet: str, rows: Sequence[Sequence[Any]], further: int = 0) -> TableView | None:
    """Profile a table whose first row names its columns, with further rows that are not looked at; None if the rows are not a table."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return None
    header = [str(cell).strip() if cell is not None else "" for cell in rows[0]]
    body = rows[1 : 1 + MAX_CELLS_PROFILED // len(header)]
    columns = [
        _column(name or f"column {place + 1} (no name)", cells)
        for place, name in enumerate(header)
        if any(cells := [row[place] if place < len(row) else None for row in body]) or name
    ]
    if more := columns[MAX_COLUMNS:]:
        columns = [*columns[:MAX_COLUMNS], f"… and {len(more)} further columns"]
    if len(body) < len(rows) - 1 + further:
        columns.append(f"(of the first {len(body)} rows)")
    title = re.sub(r"[-_]+", " ", path.stem)
    return TableView(
        file=path.name, title=title, rows=len(rows) - 1 + further, columns=columns, sheet=sheet, sample=_sample(rows)
    )


def _sample(rows: Sequence[Sequence[Any]]) -> str:
    """Return a small table whole, else its heads with the first rows; empty where these are long, too."""
    whole = as_csv(rows[: 1 + SAMPLE // 4]).strip()  # a row of two cells takes four characters
    if len(rows) <= 1 + SAMPLE // 4 and len(whole) <= SAMPLE:
        return whole
    first = as_csv(rows[: 1 + FIRST_ROWS]).strip()
    return first if len(first) <= SAMPLE else ""


def _column(name: str, values: list[Any]) -> str:
    name = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
    filled = [str(value).strip() for value in values if value is not None and str(value).strip()]
    missing = len(values) - len(filled)
    written = (read_number(match[1]) for value in filled if (match := _NUMBER.fullmatch(value)))
    numbers = [number for number in written if number is not None]
    gaps = f", {missing} missing" if missing else ""
    if numbers and len(numbers) >= MOSTLY * len(filled):
        others = list(dict.fromkeys(value for value in filled if not _is_number(value)))
        besides = f", and {len(filled) - len(numbers)} other, e.g. {_examples(others)}" if others else ""
        return f"{name}: number, {min(numbers):.10g} to {max(numbers):.10g}{gaps}{besides}"
    different = list(dict.fromkeys(filled))
    period = (
        f", {min(different)} to {max(different)}" if len(different) > 1 and all(map(_DAY.fullmatch, different)) else ""
    )
    return f"{name}: text, {len(different)} different{gaps}{period}, e.g. {_examples(different)}"


def _is_number(value: str) -> bool:
    match = _NUMBER.fullmatch(value)
    return match is not None and read_number(match[1]) is not None


def _examples(values: Sequence[str]) -> str:
    return " | ".join(value[:40] for value in values[:EXAMPLES])


def embedded_tables(path: str, text: str) -> list[Profiled]:
    """Return the tables of a document with a column of numbers: their profiles, and their content as CSV."""
    profiles: list[Profiled] = []
    stem = PurePath(path).stem
    for number, (heading, rows) in enumerate(_tables(text), 1):
        view = profile(PurePath(f"{stem}-table-{number}.csv"), "", rows)
        if view is not None and len(rows) > MIN_ROWS and any(": number," in column for column in view.columns):
            title = re.sub(r"[-_]+", " ", f"{stem}: {heading}" if heading else stem)
            profiles.append(Profiled(view=view.model_copy(update={"title": title}), csv=as_csv(rows)))
        if len(profiles) == MAX_TABLES:
            break
    return profiles


def _tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the tables of a text in order, each with the heading above it: a row, a rule, and further rows."""
    heading, rows = "", list[str]()
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        if stripped.startswith("|"):
            rows.append(stripped)
            continue
        if len(rows) > 1 and "-" in rows[1] and _RULE_CHARACTERS.issuperset(rows[1]):
            yield heading, [[without_markup(cell) for cell in cells_of(row)] for row in (rows[0], *rows[2:])]
        rows = []
        heading = plain_heading(stripped) if stripped.startswith("#") else heading
