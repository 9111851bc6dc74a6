"""Profiles of tables: columns with types and examples instead of rows."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from schemas.coder import TableView
from services.text.numeric import read_number

MAX_ROWS_PROFILED = 5_000
EXAMPLES = 6
_NUMBER = re.compile(r"[$€£¥]?\s?(-?[\d,]+(?:\.\d+)?)\s?[%％]?")


def profile(path: PurePath, sheet: str, rows: Sequence[Sequence[Any]]) -> TableView | None:
    """Profile a table whose first row names its columns; None if the rows are not a table.

    Args:
        path: path of its file.
        sheet: sheet of a workbook, else empty.
        rows: rows including the header.
    """
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
    written = (read_number(match[1]) for value in filled if (match := _NUMBER.fullmatch(value)))
    numbers = [number for number in written if number is not None]
    gaps = f", {missing} missing" if missing else ""
    if filled and len(numbers) == len(filled):
        return f"{name}: number, {min(numbers):g} to {max(numbers):g}{gaps}"
    examples = list(dict.fromkeys(filled))
    return f"{name}: text, {len(examples)} different{gaps}, e.g. {' | '.join(example[:40] for example in examples[:EXAMPLES])}"
