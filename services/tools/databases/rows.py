"""Rows of a result as a text table, limited in rows, bytes and width of a cell, and the error of a query's process."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

_NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?")
MAX_CELL = 2_000
"""Maximum characters of a cell; longer cells are truncated, with a note."""
MAX_BYTES = 1_000_000
"""Maximum bytes of all cells together."""
_KINDS = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}


class QueryFailure(Exception):
    """A driver cannot open its database or refuses a query; the parent raises a `DatabaseError` with the message."""


class Rows(BaseModel):
    """The rows of one result."""

    columns: list[str]
    types: list[str]
    """Of the columns, as the database calls them; empty where it does not say."""
    rows: list[list[str | None]]
    more: bool = False
    """True where the database had more rows."""
    full: bool = False
    """True where there are more because the limit of bytes was reached."""


def collect(columns: Sequence[str], types: Sequence[str], records: Iterable[Sequence[Any]], max_rows: int) -> Rows:
    """Collect rows from a result until a limit is reached; a type that is empty is derived from the values."""
    result = Rows(columns=list(columns), types=list(types), rows=[])
    size = 0
    for row in records:
        cells = [None if value is None else as_text(value) for value in row]
        size += sum(len(cell.encode("utf-8", "replace")) for cell in cells if cell) + len(cells)
        enough = len(result.rows) >= max_rows
        if enough or (result.rows and size > MAX_BYTES):
            return result.model_copy(update={"more": True, "full": not enough})
        result.types = [kind or _KINDS.get(type(value), "") for kind, value in zip(result.types, row, strict=True)]
        result.rows.append(cells)
    return result


def as_text(value: str | float | bytes) -> str:
    """Write a value as text: SQLite has values of these types alone, and PostgreSQL's come as text."""
    if isinstance(value, bytes):
        return f"\\x{value[:64].hex()}" + (f"… [{len(value):,} bytes]" if len(value) > 64 else "")
    text = str(value)
    return text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}… [{len(text) - MAX_CELL:,} more characters]"


def as_table(rows: Rows, file: str) -> str:
    """Render rows as a Markdown table below their number and the profiles of the columns."""
    columns = [f"{name} ({kind})" if kind else name for name, kind in zip(rows.columns, rows.types, strict=True)]
    lines = [f"{_counted(rows)} As a file: {file}", f"Columns: {', '.join(map(_cell, columns))}", ""]
    lines.append(f"| {' | '.join(map(_cell, rows.columns))} |")
    lines.append(f"|{' --- |' * len(rows.columns)}")
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows.rows]
    return "\n".join(lines)


def as_csv(rows: Rows) -> tuple[str, bytes]:
    """Write rows as a CSV file for programs; returns its name, which depends on the rows only, and its bytes.

    A text that a spreadsheet would take for a formula gets an apostrophe before it; a number is none.
    """

    def as_no_formula(cell: str | None) -> str | None:
        return f"'{cell}" if cell and cell[0] in "=+-@\t\r" and not _NUMBER.fullmatch(cell) else cell

    file = io.StringIO(newline="")
    written: list[Sequence[str | None]] = [rows.columns, *rows.rows]
    csv.writer(file).writerows(map(as_no_formula, row) for row in written)
    data = file.getvalue().encode()
    return f"rows-{hashlib.sha256(data).hexdigest()[:8]}.csv", data


def _counted(rows: Rows) -> str:
    count = f"{len(rows.rows):,} row{'' if len(rows.rows) == 1 else 's'}"
    if not rows.more:
        return f"{count}, all there are."
    why = " (the result grew too large)" if rows.full else ""
    return f"{count} shown of more than {len(rows.rows):,}{why}."


def _cell(text: str | None) -> str:
    if text is None:
        return "NULL"
    return " ".join(text.replace("|", "\\|").splitlines())
