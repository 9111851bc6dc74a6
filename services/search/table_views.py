"""Profiles of the tables in a file: columns with types and examples instead of raw rows.

Untrusted files are parsed in a process that is locked in: see `services/search/convert_plain.py`.
"""

import csv
import io
import re
from pathlib import PurePath
from typing import Any

from openpyxl import load_workbook

from schemas.coder import TableView
from services.text.decoding import decode
from services.text.numeric import read_number

MAX_ROWS_PROFILED = 5_000
EXAMPLES = 6


def table_views(name: str, data: bytes) -> list[TableView]:
    """Profile the tables of a file; a file that holds none that can be read gives none."""
    suffix = PurePath(name).suffix.lower()
    try:
        sheets = _workbook(data) if suffix == ".xlsx" else {"": _rows(data, "\t" if suffix == ".tsv" else ",")}
    except Exception:  # noqa: BLE001 - a broken table is reported with the documents, which read it too
        return []
    return [view for sheet, rows in sheets.items() if (view := _profile(PurePath(name), sheet, rows)) is not None]


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


def _profile(path: PurePath, sheet: str, rows: list[list[Any]]) -> TableView | None:
    if len(rows) < 2 or len(rows[0]) < 2:
        return None
    header = [str(cell).strip() if cell is not None else "" for cell in rows[0]]
    body = rows[1:]
    columns = [
        _column(name, [row[place] if place < len(row) else None for row in body])
        for place, name in enumerate(header)
        if name
    ]
    return TableView(
        file=path.name, title=re.sub(r"[-_]+", " ", path.stem), rows=len(body), columns=columns, sheet=sheet
    )


def _column(name: str, values: list[Any]) -> str:
    filled = [str(value).strip() for value in values[:MAX_ROWS_PROFILED] if value is not None and str(value).strip()]
    missing = len(values[:MAX_ROWS_PROFILED]) - len(filled)
    written = (read_number(value) for value in filled if re.fullmatch(r"-?[\d,]+(?:\.\d+)?", value))
    numbers = [number for number in written if number is not None]
    gaps = f", {missing} missing" if missing else ""
    if filled and len(numbers) == len(filled):
        return f"{name}: number, {min(numbers):g} to {max(numbers):g}{gaps}"
    examples = list(dict.fromkeys(filled))
    return f"{name}: text, {len(examples)} different{gaps}, e.g. {' | '.join(example[:40] for example in examples[:EXAMPLES])}"
