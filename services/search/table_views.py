"""Profiles the tables in CSV and TSV files.

Untrusted files are parsed in a confined process: see `services/search/convert_plain.py`. Workbooks are read in the
process of `convert_office.py`, which loads the libraries: see `workbook_views.py`.
"""

import csv
import io
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from schemas.coder import TableView
from services.search.table_profile import profile
from services.text.decoding import decode

Sheets = dict[str, list[list[Any]]]
"""Rows including the header, by sheet name; empty name for CSV and TSV files."""


def table_views(name: str, data: bytes) -> list[TableView]:
    """Profile the table of a CSV or TSV file; empty if the file holds no readable table."""
    delimiter = "\t" if PurePath(name).suffix.lower() == ".tsv" else ","
    return views_of(name, lambda: {"": _rows(data, delimiter)})


def views_of(name: str, read: Callable[[], Sheets]) -> list[TableView]:
    """Profile the tables of a file; an unreadable file has none."""
    try:
        sheets = read()
    except Exception:  # noqa: BLE001 - a broken table is reported with the documents, which read it too
        return []
    return [view for sheet, rows in sheets.items() if (view := profile(PurePath(name), sheet, rows)) is not None]


def _rows(data: bytes, delimiter: str) -> list[list[Any]]:
    return [
        list(row)
        for row in csv.reader(io.StringIO(decode(data)[0]), delimiter=delimiter)
        if any(cell.strip() for cell in row)
    ]
