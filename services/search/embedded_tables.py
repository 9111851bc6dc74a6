"""Tables inside Markdown, HTML and Word documents, found in the converted text, where each is a table of Markdown."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import PurePath

from schemas.coder import TableView
from services.search.table_profile import profile
from services.text.passages import plain_heading
from services.text.quotable import without_markup

SUFFIXES = frozenset({".md", ".markdown", ".html", ".htm", ".docx"})
MAX_TABLES = 20
"""Tables of one document that can be computed with."""
MIN_ROWS = 2
"""Rows below the head from which on a table can be computed with."""
_RULE_CHARACTERS = frozenset(" :|-")
"""Of the line below the head of a table."""
_CELL_END = re.compile(r"(?<!\\)\|")


def embedded_tables(path: str, text: str) -> list[tuple[TableView, str]]:
    """Return the tables of a document with a column of numbers: their profiles, and what they hold as CSV.

    Args:
        path: of the document; a table is called after it, with its place among the document's tables.
        text: of the document, converted.
    """
    found: list[tuple[TableView, str]] = []
    stem = PurePath(path).stem
    for number, (heading, rows) in enumerate(_tables(text), 1):
        view = profile(PurePath(f"{stem}-table-{number}.csv"), "", rows)
        if view is not None and len(rows) > MIN_ROWS and any(": number," in column for column in view.columns):
            title = f"{stem}: {heading}" if heading else stem
            found.append((view.model_copy(update={"title": re.sub(r"[-_]+", " ", title)}), _as_csv(rows)))
        if len(found) == MAX_TABLES:
            break
    return found


def _tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Give the tables of a text in order, each with the heading above it; a table is a row, a rule below it, and rows."""
    heading, rows = "", list[str]()
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        if stripped.startswith("|"):
            rows.append(stripped)
            continue
        if len(rows) > 1 and "-" in rows[1] and _RULE_CHARACTERS.issuperset(rows[1]):
            yield heading, [_cells(row) for row in (rows[0], *rows[2:])]
        rows = []
        heading = plain_heading(stripped) if stripped.startswith("#") else heading


def _cells(row: str) -> list[str]:
    inner = row[1:-1] if row.endswith("|") and not row.endswith("\\|") and len(row) > 1 else row[1:]
    return [without_markup(cell.replace("\\|", "|")).strip() for cell in _CELL_END.split(inner)]


def _as_csv(rows: list[list[str]]) -> str:
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows(rows)
    return output.getvalue()
