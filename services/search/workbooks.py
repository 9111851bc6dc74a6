"""Reads workbooks of Excel, in the process of `services/search/convert_office.py`."""

import io
import re
import zipfile
from datetime import date, datetime, time
from typing import Any

import xlrd
from openpyxl import load_workbook

from services.search.sheets import Merged, Sheet

MAX_WHOLE = 2_000_000
"""Bytes of a workbook up to which its merged cells are read, for which it is in memory as a whole."""
_FORMULA = re.compile(rb"<f[ >/]")


def workbook_sheets(data: bytes, suffix: str) -> tuple[list[Sheet], bool]:
    """Return the sheets of a workbook, and whether results of formulas are missing: the formulas then stand for them."""
    return (_old_sheets(data), False) if suffix == ".xls" else _sheets(data)


def _sheets(data: bytes) -> tuple[list[Sheet], bool]:
    whole = len(data) <= MAX_WHOLE
    book = load_workbook(io.BytesIO(data), read_only=not whole, data_only=True)
    formulas = load_workbook(io.BytesIO(data), read_only=True) if _has_formulas(data) else None
    sheets: list[Sheet] = []
    missing = False
    for sheet in book.worksheets:
        if not whole:
            sheet.reset_dimensions()  # the size that a file claims is not trusted
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
        if formulas is not None:
            written = formulas[sheet.title]
            written.reset_dimensions()
            for row, cells in zip(rows, written.iter_rows(values_only=True), strict=False):
                for place, (value, formula) in enumerate(zip(row, cells, strict=False)):
                    if value is None and formula is not None:
                        row[place] = str(getattr(formula, "text", formula))
                        missing = True
        ranges = [cells.bounds for cells in sheet.merged_cells.ranges] if whole else []
        merged: list[Merged] = sorted((top - 1, left - 1, bottom - 1, right - 1) for left, top, right, bottom in ranges)
        sheets.append(Sheet(sheet.title, [list(map(_text, row)) for row in rows], merged))
    return sheets, missing


def _has_formulas(data: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(_FORMULA.search(archive.read(name)) for name in names)


def _old_sheets(data: bytes) -> list[Sheet]:
    book = xlrd.open_workbook(file_contents=data, formatting_info=True)

    def text(cell: Any) -> str:
        if cell.ctype == xlrd.XL_CELL_DATE:
            return _text(xlrd.xldate_as_datetime(cell.value, book.datemode))
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return _text(bool(cell.value))
        return xlrd.error_text_from_code.get(cell.value, "") if cell.ctype == xlrd.XL_CELL_ERROR else _text(cell.value)

    return [
        Sheet(
            sheet.name,
            [[text(cell) for cell in sheet.row(place)] for place in range(sheet.nrows)],
            sorted((top, left, bottom - 1, right - 1) for top, bottom, left, right in sheet.merged_cells),
        )
        for sheet in book.sheets()
    ]


def _text(value: object) -> str:
    """Write the value of a cell as a person would."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return value.isoformat() if isinstance(value, date | time) else str(value)
