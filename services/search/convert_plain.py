"""Converts files of text to documents, and profiles CSV and TSV files and the tables of converted texts, in a confined process (see `services/sandbox/workers.py`).

Files that a library reads have their own process, `convert_office.py`, whose libraries take a second to load.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from striprtf.striprtf import rtf_to_text

from schemas.card import Card
from services.sandbox.jobs import serve
from services.search.conversion import Content, converted, with_passages
from services.search.embedded_tables import embedded_tables
from services.search.file_types import DATA
from services.search.restructured_text import as_markdown
from services.search.sheets import csv_sheet, delimiter_of, sheets_markdown, tables_of
from services.search.table_profile import Profiled, profiled
from services.text.decoding import CERTAIN, decode

_DECIMAL_COMMA = re.compile(r"^\s*([-+]?\d+),(\d+)\s*$")
TABLES = frozenset({".csv", ".tsv"})


def main() -> None:
    """Convert the files from standard input, or profile their tables."""
    serve(_answer)


def _answer(job: dict[str, Any], data: bytes) -> Mapping[str, object]:
    if job.get("embedded"):
        return {"tables": [table.model_dump() for table in embedded_tables(job["name"], data.decode())]}
    if job.get("tables"):
        return {"tables": [table.model_dump() for table in _tables(job["name"], data)]}
    name = job["name"]
    answer = converted(name, data, lambda suffix, content: _content(suffix, content, name))
    return with_passages(answer) if job.get("passages") else answer


def _tables(name: str, data: bytes) -> list[Profiled]:
    """Profile the table of a CSV or TSV file; an unreadable one is named with the documents, which read it, too."""
    try:
        text, encoding = decode(data)
    except ValueError:
        return []
    delimiter = delimiter_of(name, text)
    plain = encoding == "utf-8" and delimiter == ("\t" if name.lower().endswith(".tsv") else ",")
    sheet = csv_sheet(text, delimiter)
    if delimiter == ";":  # as spreadsheet programs write it where numbers have a decimal comma
        sheet = sheet._replace(rows=[[_DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in row] for row in sheet.rows])
    return profiled(name, tables_of([sheet]), plain=plain)


def _content(suffix: str, data: bytes, name: str) -> Content:
    text, encoding = decode(data)
    if suffix in TABLES:
        text, left_out = sheets_markdown([csv_sheet(text, delimiter_of(name, text))])
        if left_out:
            return Content(text, _card(suffix, name), "beginning")
    return Content(_text(suffix, text), _card(suffix, name), "" if encoding in CERTAIN else f"encoding:{encoding}")


def _text(suffix: str, text: str) -> str:
    """Return the text of a file, whose markup stays as it is but for what other parts of Leadline read as Markdown.

    Raises:
        ValueError: it is not of its kind.
    """
    if suffix == ".rst":
        return as_markdown(text)
    if suffix == ".rtf":
        return str(rtf_to_text(text, errors="replace"))  # type: ignore[no-untyped-call]  # striprtf has no types
    return "\n\n".join(_cells(json.loads(text))) if suffix == ".ipynb" else text


def _card(suffix: str, name: str) -> Card:
    return Card(title=PurePath(name).name) if suffix in DATA - {".ipynb"} else Card()


def _cells(notebook: dict[str, Any]) -> Iterator[str]:
    """Yield the cells of a notebook, with its code and what that printed as fenced code."""
    for cell in notebook["cells"]:
        source = _joined(cell["source"])
        if cell["cell_type"] != "code":
            yield source
            continue
        outputs = [
            _joined(output.get("text") or output.get("data", {}).get("text/plain", ""))
            for output in cell.get("outputs", [])
        ]
        yield from (f"```\n{text}\n```" for text in [source, *outputs] if text.strip())


def _joined(lines: str | list[str]) -> str:
    return "".join(lines).rstrip()
