"""Profiles of the tables in a file of spreadsheets or of rows.

Untrusted files are parsed in a process that is locked in: see `services/search/convert_plain.py`.
"""

import csv
import io
from pathlib import PurePath
from typing import Any

from openpyxl import load_workbook

from schemas.coder import TableView
from services.search.table_profile import profile
from services.text.decoding import decode


def table_views(name: str, data: bytes) -> list[TableView]:
    """Profile the tables of a file; a file that holds none that can be read gives none."""
    suffix = PurePath(name).suffix.lower()
    try:
        sheets = _workbook(data) if suffix == ".xlsx" else {"": _rows(data, "\t" if suffix == ".tsv" else ",")}
    except Exception:  # noqa: BLE001 - a broken table is reported with the documents, which read it too
        return []
    return [view for sheet, rows in sheets.items() if (view := profile(PurePath(name), sheet, rows)) is not None]


def _rows(data: bytes, delimiter: str) -> list[list[Any]]:
    return [
        list(row)
        for row in csv.reader(io.StringIO(decode(data)[0]), delimiter=delimiter)
        if any(cell.strip() for cell in row)
    ]


def _workbook(data: bytes) -> dict[str, list[list[Any]]]:
    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    try:
        return {
            sheet.title: [
                list(row) for row in sheet.iter_rows(values_only=True) if any(cell is not None for cell in row)
            ]
            for sheet in book.worksheets
        }
    finally:
        book.close()
