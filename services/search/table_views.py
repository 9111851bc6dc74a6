"""Profiles of the tables in a file of rows.

Untrusted files are parsed in a process that is locked in: see `services/search/convert_plain.py`. Workbooks are read in that of
`convert_office.py`, which loads what it takes: see `workbook_views.py`.
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
"""Rows with their head, by the name of the sheet; that of a file of rows is empty."""


def table_views(name: str, data: bytes) -> list[TableView]:
    """Profile the table of a CSV or TSV file; a file that holds none that can be read gives none."""
    delimiter = "\t" if PurePath(name).suffix.lower() == ".tsv" else ","
    return views_of(name, lambda: {"": _rows(data, delimiter)})


def views_of(name: str, read: Callable[[], Sheets]) -> list[TableView]:
    """Profile what a file's tables are read as; a file that cannot be read has none."""
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
