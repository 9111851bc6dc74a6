"""The tool `file_reader`: reads a file of the run's folders as quotable text."""

import asyncio
import re
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field, TypeAdapter

from services.run.errors import FileError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.settings import settings
from services.sandbox.workers import Workers
from services.search.converters import CONVERSIONS, MEGABYTE
from services.search.providers import folders_of
from services.tools.files.access import Opened, open_file
from services.tools.output import ResponseFormat, ToolOutput, as_tool

READ_SECONDS = 45.0
"""Maximum seconds for reading a file."""
DATA = frozenset({".csv", ".tsv", ".xlsx", ".xlsm", ".json", ".jsonl", ".ndjson"})
"""Suffixes of data files for programs."""
MAX_FOR_PROGRAMS = 20_000_000
"""Maximum bytes of a file for programs."""
_DESCRIPTION = (
    "Read a file of the user's folders: a table (CSV, Excel) with its columns and number of rows, JSON with its shape, a text, "
    "a program, or a document (PDF, DOCX, HTML). Large tables come with their first rows and the true number of rows; "
    "programs that run later find files of data whole in their work folder."
)


class FileReader(BaseModel):
    """Parameters of `file_reader`."""

    path: str = Field(description="Path of the file below the user's folders.")
    format: Literal["csv", "excel", "json", "text", "python", "sql"] | None = Field(
        default=None, description="What it is; left out, it is told from the file."
    )
    encoding: str | None = Field(default=None, description="Encoding of its text; left out, it is found out.")
    sheet_name: str | None = Field(default=None, description="Sheet of a workbook; left out, the first one.")
    nrows: int | None = Field(
        default=None, ge=1, le=10_000, description="Most rows, lines or items; left out, 1000 rows or the whole text."
    )
    parse_metadata: bool = Field(
        default=True, description="Say size, time of change, encoding, and what each column holds, too."
    )
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
        text = await _read(request, opened)
        if request.parse_metadata:
            text = f"{opened.url}: {len(opened.data):,} bytes, changed {opened.modified}\n{text}"
        return ToolOutput(
            text=text,
            response_format=request.response_format,
            kind="document",
            title=re.sub(r"[-_]+", " ", PurePath(opened.name).stem).strip() or opened.name,
            url=opened.url,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            artifacts=await _for_programs(opened, evidence),
        )

    return as_tool("file_reader", _DESCRIPTION, FileReader, execute)


async def _for_programs(opened: Opened, evidence: EvidenceStore) -> dict[str, str]:
    """Store a data file for later programs, so that they can read all of it, not only the shown part."""
    path = PurePath(opened.name)
    if path.suffix.lower() not in DATA or len(opened.data) > MAX_FOR_PROGRAMS:
        return {}
    return {path.name: await evidence.put_bytes(opened.data)}


async def _read(request: FileReader, opened: Opened) -> str:
    job = {**request.model_dump(exclude={"path", "response_format"}), "name": opened.name}
    memory = settings().leadline_file_memory * MEGABYTE
    async with (
        CONVERSIONS.held(),
        Workers("services.tools.files.contents", TypeAdapter(dict[str, str]), memory=memory) as workers,
    ):
        answer = await workers.run(job, opened.data, READ_SECONDS)
    if answer is None:
        raise FileError(
            f"{opened.url} cannot be read: it took longer than {READ_SECONDS:g} seconds, or more memory than a file may."
        )
    if "error" in answer:
        raise FileError(f"{opened.url} cannot be read: {answer['error']}.")
    return answer["text"]
