"""Finds tables inside Markdown, HTML, PDF and office documents, in the converted Markdown text."""

import re
from collections.abc import Iterator
from pathlib import PurePath

from services.search.table_profile import Profiled, as_csv, profile
from services.text.passages import plain_heading
from services.text.quotable import without_markup

SUFFIXES = frozenset(".docx .epub .htm .html .markdown .md .odp .ods .odt .pdf .pptx .rst".split())
MAX_TABLES = 20
"""Maximum tables of one document to compute with."""
MIN_ROWS = 2
"""Minimum rows below the header of a table to compute with."""
_RULE_CHARACTERS = frozenset(" :|-")
"""Characters of the line below a table's header."""
_CELL_END = re.compile(r"(?<!\\)\|")


def embedded_tables(path: str, text: str) -> list[Profiled]:
    """Return the tables of a document with a column of numbers: their profiles, and their content as CSV.

    Args:
        path: path of the document, which names a table together with the table's number.
        text: converted text of the document.
    """
    found: list[Profiled] = []
    stem = PurePath(path).stem
    for number, (heading, rows) in enumerate(_tables(text), 1):
        view = profile(PurePath(f"{stem}-table-{number}.csv"), "", rows)
        if view is not None and len(rows) > MIN_ROWS and any(": number," in column for column in view.columns):
            title = f"{stem}: {heading}" if heading else stem
            found.append(
                Profiled(view=view.model_copy(update={"title": re.sub(r"[-_]+", " ", title)}), csv=as_csv(rows))
            )
        if len(found) == MAX_TABLES:
            break
    return found


def _tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the tables of a text in order, each with the heading above it: a row, a rule, and further rows."""
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
