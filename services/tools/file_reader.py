"""The tool `file_reader`: reads a file of the run's folders as quotable text, as the search of documents reads it."""

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePath

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from schemas.coder import TableView
from services.run.errors import FileError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.converters import CONVERSIONS, Converters
from services.search.file_types import SUFFIXES
from services.search.providers import folders_of
from services.search.tables import SUFFIXES as TABLES
from services.tools.file_access import Opened, open_file
from services.tools.output import ResponseFormat, ToolOutput, as_tool

SECONDS = 180.0
"""Maximum seconds of a call; converting has lower limits of its own (`LEADLINE_FILE_SECONDS`, `LEADLINE_OCR_SECONDS`)."""
DATA = frozenset({".csv", ".tsv", ".xlsx", ".xlsm", ".json", ".jsonl", ".ndjson"})
"""Suffixes of data files for programs."""
MAX_FOR_PROGRAMS = 20_000_000
"""Maximum bytes of a file for programs."""
_DESCRIPTION = (
    "Read a file of the user's folders: a table (CSV, Excel) with its columns and number of rows, JSON, a text, a program, or a "
    "document (PDF, DOCX, HTML and others). Programs that run later find files of data whole in their work folder."
)


class FileReader(BaseModel):
    """Parameters of `file_reader`."""

    path: str = Field(description="Path of the file below the user's folders.")
    response_format: ResponseFormat = Field(
        default="standard", description="How much of the result to show: brief, standard or full."
    )


def file_reader(run: Run, evidence: EvidenceStore) -> BaseTool:
    """Build the tool for a run.

    Args:
        run: the run whose folders may be read.
        evidence: the store for data files for programs.
    """

    async def execute(request: FileReader) -> ToolOutput:
        opened = await asyncio.to_thread(lambda: open_file(request.path, folders_of(run.context)))
        return ToolOutput(
            text=f"{opened.url}: {len(opened.data):,} bytes, changed {opened.modified}\n{await _read(opened)}",
            response_format=request.response_format,
            kind="document",
            title=re.sub(r"[-_]+", " ", PurePath(opened.name).stem).strip() or opened.name,
            url=opened.url,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            artifacts=await _for_programs(opened, evidence),
        )

    return as_tool("file_reader", _DESCRIPTION, FileReader, execute, seconds=SECONDS)


async def _for_programs(opened: Opened, evidence: EvidenceStore) -> dict[str, str]:
    """Store a data file for later programs, so that they can read all of it, not only the shown part."""
    path = PurePath(opened.name)
    if path.suffix.lower() not in DATA or len(opened.data) > MAX_FOR_PROGRAMS:
        return {}
    return {path.name: await evidence.put_bytes(opened.data)}


async def _read(opened: Opened) -> str:
    """Return the text of a file below what is in its tables; a file of an unknown kind is read as text."""
    name, suffix = PurePath(opened.name).name, PurePath(opened.name).suffix.lower()
    if suffix not in SUFFIXES:
        name = f"{name}.txt"
    async with CONVERSIONS.held(), Converters() as converters:
        answer = await converters.convert_data(name, opened.data)
        tables = await converters.tables_of(name, opened.data) if suffix in TABLES else None
    if "error" in answer:
        raise FileError(f"{opened.url} cannot be read: it {answer['error']}.")
    return "\n".join([*_described([table.view for table in tables or []]), answer["text"]])


def _described(views: Sequence[TableView]) -> list[str]:
    """Return the number of rows and the columns of each table."""
    heads = [f"{f'Sheet {view.sheet}: ' if view.sheet else ''}{view.rows:,} rows" for view in views]
    return [
        line
        for head, view in zip(heads, views, strict=True)
        for line in (head, *(f"- {each}" for each in view.columns))
    ]
