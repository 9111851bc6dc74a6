"""Tables in files: rows of CSV files and workbooks, with the total number of rows and a profile of each column."""

import csv
import io
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl import load_workbook

from services.text.numeric import read_number
from services.tools.rows import Rows, as_text, collect

MAX_UNPACKED = 300_000_000
"""Maximum bytes of an unpacked workbook."""
MAX_PARTS = 5_000
MAX_COLUMNS = 500
_BEGINNING = 2_000
_DELIMITERS = ",\t;|"
_NUMBER = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?%?")
_DATE = re.compile(r"\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?)?(?:[ T]\d{1,2}:\d{2}(?::\d{2})?.*)?")
_EXAMPLES = 3


@dataclass(slots=True)
class Column:
    """Profile of a column, built row by row."""

    name: str
    filled: int = 0
    missing: int = 0
    numbers: int = 0
    dates: int = 0
    minimum: float = math.inf
    maximum: float = -math.inf
    examples: list[str] = field(default_factory=list)

    def add(self, value: object) -> None:
        """Add a cell to the profile."""
        text = (as_text(value) or "").strip()
        if not text:
            self.missing += 1
            return
        self.filled += 1
        if len(self.examples) < _EXAMPLES and text[:40] not in self.examples:
            self.examples.append(text[:40])
        number = read_number(text.rstrip("%")) if _NUMBER.fullmatch(text) else None
        if number is not None:
            self.numbers += 1
            self.minimum, self.maximum = min(self.minimum, number), max(self.maximum, number)
        elif _DATE.fullmatch(text):
            self.dates += 1

    @property
    def kind(self) -> str:
        """Type of the column's values."""
        if not self.filled:
            return "empty"
        if self.numbers == self.filled:
            return "number"
        return "date" if self.dates == self.filled else "text"

    def describe(self) -> str:
        """Describe the column in a line."""
        gaps = f", {self.missing:,} missing" if self.missing else ""
        if self.kind == "number":
            return f"{self.name}: number, {self.minimum:.12g} to {self.maximum:.12g}{gaps}"
        examples = f", e.g. {' | '.join(self.examples)}" if self.examples else ""
        return f"{self.name}: {self.kind}{gaps}{examples}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with its first rows and the number of all rows."""

    rows: Rows
    total: int
    columns: list[Column]


def read_sheet(rows: Iterator[Sequence[Any]], max_rows: int) -> Sheet:
    """Read a table whose first row names the columns.

    Args:
        rows: rows of the table; blank rows are ignored.
        max_rows: number of rows to keep; the other rows are counted and profiled.

    Raises:
        ValueError: the table has no rows.
    """
    filled = (row for row in rows if any(cell is not None and str(cell).strip() for cell in row))
    header = next(filled, None)
    if header is None:
        raise ValueError("it holds no rows")
    names = [str(cell).strip() if cell is not None else "" for cell in header[:MAX_COLUMNS]]
    columns = [Column(name or f"column {place}") for place, name in enumerate(names, 1)]
    total = 0

    def counted() -> Iterator[list[Any]]:
        nonlocal total
        for row in filled:
            total += 1
            cells = [row[place] if place < len(row) else None for place in range(len(columns))]
            for column, cell in zip(columns, cells, strict=True):
                column.add(cell)
            yield cells

    body = counted()
    first = collect([column.name for column in columns], [""] * len(columns), body, max_rows)
    for _ in body:
        pass
    types = [column.kind for column in columns]
    return Sheet(first.model_copy(update={"types": types, "more": total > len(first.rows)}), total, columns)


def csv_rows(text: str, name: str) -> tuple[Iterator[list[str]], str]:
    """Return the rows of a CSV and its delimiter."""
    csv.field_size_limit(1_000_000)
    delimiter = "\t" if name.lower().endswith(".tsv") else _delimiter(text[:20_000])
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), delimiter


def _delimiter(sample: str) -> str:
    """Return the separator that splits the first lines most evenly into the most cells."""

    def columns(delimiter: str) -> int:
        lines = list(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter))[:20]
        widths = [len(line) for line in (lines[:-1] or lines) if line]
        return min(widths, default=1) if widths and min(widths) == max(widths) else 1

    return max(_DELIMITERS, key=lambda delimiter: (columns(delimiter), -_DELIMITERS.index(delimiter)))


def check_archive(data: bytes) -> None:
    """Check the unpacked size of an archive before unpacking it.

    Raises:
        ValueError: the data is too large, or not an archive.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            _check_parts(archive, parts)
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, UnicodeDecodeError, zlib.error):
        raise ValueError("it is damaged, or not what its name says") from None


def _check_parts(archive: zipfile.ZipFile, parts: Sequence[zipfile.ZipInfo]) -> None:
    if len(parts) > MAX_PARTS:
        raise ValueError(f"it is packed from more than {MAX_PARTS:,} parts, which no honest file is")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED:
        raise ValueError(f"it would unpack to {unpacked:,} bytes; at most {MAX_UNPACKED:,} are read")
    if any(part.flag_bits & 1 for part in parts):
        raise ValueError("it is encrypted")
    for part in parts:
        if part.filename.lower().endswith((".xml", ".rels")):
            with archive.open(part) as file:
                if b"<!DOCTYPE" in file.read(_BEGINNING).replace(b"\x00", b""):
                    raise ValueError("it defines words of its own (a DOCTYPE), which Office files must not")


def workbook_rows(data: bytes, name: str | None) -> tuple[Iterator[Sequence[Any]], str, list[str]]:
    """Return the rows of a sheet, its name, and the names of all sheets.

    Args:
        data: an XLSX file.
        name: name of the sheet; None for the first one.

    Raises:
        ValueError: the workbook cannot be read, or has no such sheet.
    """
    check_archive(data)
    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    names = [sheet.title for sheet in book.worksheets]
    if name is not None and name not in names:
        raise ValueError(f"it has no sheet {name[:60]!r}; there is: {', '.join(names)}")
    if not names:
        raise ValueError("it has no sheets")
    chosen = name if name is not None else names[0]
    sheet = book[chosen]
    sheet.reset_dimensions()  # the size that a file claims is not trusted
    return sheet.iter_rows(values_only=True), chosen, names
