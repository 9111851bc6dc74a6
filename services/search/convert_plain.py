"""Converts plain text files to documents, and profiles CSV and TSV files, in a confined process (see `services/sandbox/workers.py`).

PDF, Word, Excel and HTML files have their own process, `convert_office.py`, whose libraries take a second to load.
"""

from collections.abc import Mapping
from typing import Any

from schemas.card import Card
from services.sandbox.jobs import serve
from services.search.conversion import converted
from services.search.table_views import table_views
from services.text.decoding import decode


def main() -> None:
    """Convert the files from standard input, or profile their tables."""
    serve(_answer)


def _answer(job: dict[str, Any], data: bytes) -> Mapping[str, object]:
    if job.get("tables"):
        return {"views": [view.model_dump() for view in table_views(job["name"], data)]}
    return converted(job["name"], data, lambda _, content: (decode(content)[0], Card()))
