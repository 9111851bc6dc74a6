"""Reading a table: columns of numbers, dates and texts, whatever stands around a number."""

import csv
import io
import re
import sys
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

MOSTLY = 0.8
"""Share of a column's filled cells that must be numbers or dates for the column to be one of them."""
_NUMBER = re.compile(r"[€$£¥￥]?\s*([-+−]?\d[\d,]*(?:\.\d+)?|[-+−]?\.\d+)\s*[%％]?")
_DATES = (
    re.compile(r"(?P<y>\d{4})[-/.年](?P<m>\d{1,2})(?:[-/.月](?P<d>\d{1,2})日?|月)?(?:[ T]\d\d:\d\d.*)?"),
    re.compile(r"(?P<d>\d{1,2})[/.](?P<m>\d{1,2})[/.](?P<y>\d{4})"),
)
_UNITS = {
    "kg": "kg", "g": "g", "t": "t", "mm": "mm", "cm": "cm", "m": "m", "km": "km", "metres": "metres", "meters": "metres",
    "fathoms": "fathoms", "feet": "feet", "ft": "ft", "miles": "miles", "minutes": "minutes", "min": "min", "mins": "min",
    "hours": "hours", "hrs": "hours", "h": "h", "days": "days", "seconds": "seconds", "sec": "s", "eur": "EUR", "euro": "EUR",
    "euros": "EUR", "usd": "USD", "gbp": "GBP", "percent": "%", "pct": "%", "c": "°C", "celsius": "°C", "litres": "litres", "kwh": "kWh",
}  # fmt: skip
_YEAR_NAME = re.compile(r"\byears?\b|_year|^年份?$|年度", re.IGNORECASE)


@dataclass
class Column:
    """A column of a table; a cell that is empty or does not fit is None."""

    name: str
    kind: str
    """`number`, `year`, `date` or `text`."""
    values: list[Any]
    percent: bool = False
    """Whether its numbers are written with a per cent sign."""

    @property
    def distinct(self) -> list[Any]:
        """Its values, each once, in order."""
        return list(dict.fromkeys(value for value in self.values if value is not None))

    @property
    def unit(self) -> str:
        """The unit that its name ends with, or holds in brackets; empty where it tells none."""
        inside: list[str] = re.findall(r"[（(\[](.{0,80}?)[)）\]]", self.name)
        if self.kind != "number":
            return ""
        if inside and len(inside[-1]) <= 8 and not re.search(r"\d|前|后|开学", inside[-1]):
            return _UNITS.get(inside[-1].lower(), inside[-1].strip())
        parts = [part for part in re.split(r"[_\s]+", self.name.lower()) if part and not part.isdigit()]
        chinese = re.search(r"(分钟|小时|公斤|千克|毫米|厘米|米|天|人|元|吨|度)数?$", self.name)
        if self.percent:
            return "%"
        return (_UNITS.get(parts[-1], "") if parts else "") or (chinese.group(1) if chinese else "")

    @property
    def label(self) -> str:
        """Its name as a reader says it: without underscores, without the unit where that is only one."""
        if re.search(r"[\u4e00-\u9fff]", self.name):
            return self.name
        parts = [part for part in re.split(r"[_\s]+", self.name) if part]
        if (
            len(parts) > 1
            and _UNITS.get(parts[-1].lower())
            and parts[-1].lower() not in {"days", "hours", "minutes", "seconds"}
        ):
            parts = parts[:-1]
        return " ".join(parts)


@dataclass
class Table:
    """A table: its file, its columns, and how many rows it has."""

    file: str
    columns: list[Column]
    size: int

    def of(self, *kinds: str) -> list[Column]:
        """Return the columns of some kinds."""
        return [column for column in self.columns if column.kind in kinds]

    def row(self, place: int) -> str:
        """Say what a row is: its texts and dates, the first four of them."""
        told = [column for column in self.columns if column.kind != "number" and column.values[place] is not None]
        return ", ".join(cell_text(column.values[place]) for column in told[:4])


def cell_text(value: Any) -> str:
    """Return a value of a text, date or year column as it is told."""
    return value.isoformat() if isinstance(value, date) else str(value)


def load(file: str, sheet: str) -> Table:
    """Read a CSV, TSV or XLSX file of the working folder; its first row names the columns."""
    rows = _workbook(file, sheet) if file.lower().endswith(".xlsx") else _separated(file)
    rows = [row for row in rows if any(cell not in (None, "") for cell in row)]
    if len(rows) < 2:
        sys.exit(f"the table {file} has no rows")
    names = [str(cell).strip() if cell is not None else "" for cell in rows[0]]
    body = rows[1:]
    columns = [
        _column(name, [row[place] if place < len(row) else None for row in body])
        for place, name in enumerate(names)
        if name
    ]
    return Table(file, columns, len(body))


def _separated(file: str) -> list[list[Any]]:
    data = Path(file).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("gb18030", errors="replace")
    return [
        list(row) for row in csv.reader(io.StringIO(text), delimiter="\t" if file.lower().endswith(".tsv") else ",")
    ]


def _workbook(file: str, sheet: str) -> list[list[Any]]:
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True, data_only=True)
    page = book[sheet] if sheet else book.worksheets[0]
    return [list(row) for row in page.iter_rows(values_only=True)]


def _column(name: str, cells: list[Any]) -> Column:
    texts = [None if cell is None or not str(cell).strip() else cell for cell in cells]
    filled = [cell for cell in texts if cell is not None]
    dates, numbers = [_date(cell) for cell in texts], [_number(cell) for cell in texts]
    if filled and sum(one is not None for one in numbers) >= MOSTLY * len(filled):
        year = _YEAR_NAME.search(name) and all(one is None or 1000 <= one <= 2200 for one in numbers)
        percent = sum(str(cell).strip().endswith(("%", "％")) for cell in filled) >= MOSTLY * len(filled)
        if year:
            return Column(name, "year", [None if one is None else int(one) for one in numbers])
        return Column(name, "number", numbers, percent)
    if filled and sum(one is not None for one in dates) >= MOSTLY * len(filled):
        return Column(name, "date", dates)
    return Column(name, "text", [None if cell is None else str(cell).strip() for cell in texts])


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return float(cell)
    found = _NUMBER.fullmatch(str(cell or "").strip())
    return float(found.group(1).replace(",", "").replace("−", "-")) if found else None


def _date(cell: Any) -> date | None:
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    for pattern in _DATES:
        found = pattern.fullmatch(str(cell or "").strip())
        if found:
            try:
                return date(int(found["y"]), int(found["m"]), int(found["d"] or 1))
            except ValueError:
                return None
    return None
