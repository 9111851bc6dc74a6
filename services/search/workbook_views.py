"""Profiles the tables in a workbook, in the process of `services/search/convert_office.py`."""

import io

from openpyxl import load_workbook

from schemas.coder import TableView
from services.search.table_views import Sheets, views_of


def workbook_views(name: str, data: bytes) -> list[TableView]:
    """Profile the sheets of an Excel file; empty if it holds no readable table."""
    return views_of(name, lambda: _sheets(data))


def _sheets(data: bytes) -> Sheets:
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
