"""The tool `file_reader`: reads a file of the run's folders as quotable text, as the search of documents reads it."""

import asyncio
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath, PurePosixPath

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from schemas.card import Card
from services.run.errors import FileError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.ui_text import unsearched
from services.search.files.converters import CONVERSIONS, Converters
from services.search.files.file_types import MAX_BYTES, SUFFIXES, TABLES, Converted
from services.search.files.table_profile import Profiled
from services.search.folder_files import belongs_to_home
from services.search.providers import folders_of
from services.tools.output import ResponseFormat, ToolOutput, as_tool

_MAX_PATH = 1_000
_LIST = 20

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


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened file and its content."""

    name: str
    """Path below the folder."""
    url: str
    """Path as in search results: with the folder's name in front."""
    data: bytes
    modified: str
    """Time of modification, ISO 8601, UTC."""


def open_file(path: str, folders: Sequence[Path]) -> Opened:
    """Read a file below one of several folders, by its path with or without the folder's name in front. Blocking.

    Raises:
        FileError: the file cannot be read, or must not be read; the message is for the model.
    """
    if not folders:
        raise FileError("This run has no folders, so there are no files to read.")
    plain = _plain(path)
    refusal = FileError(f"There is no file {plain!r}. {_known(folders)}")
    for folder, relative in _places(plain, folders):
        try:
            return _opened(folder, relative)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            refusal = FileError(f"{plain!r} cannot be read: {error.strerror}.")
    raise refusal


def _plain(path: str) -> str:
    if not path.strip() or len(path) > _MAX_PATH or not path.isprintable():
        raise FileError(
            "The path is empty, too long, or holds control characters. Give a path below the run's folders."
        )
    parts = re.split(r"[/\\]", path)
    if ".." in parts:
        raise FileError("The path leads upwards (..). Give a path below the run's folders.")
    if "://" in path or path.startswith("~"):
        raise FileError("Addresses and home folders cannot be read. Give a path below the run's folders.")
    return path.strip()


def _places(path: str, folders: Sequence[Path]) -> list[tuple[Path, PurePosixPath]]:
    relative = PurePosixPath(path)
    places: list[tuple[Path, PurePosixPath]] = []
    for folder in folders:
        real = folder.resolve()
        bases = [PurePosixPath(base) for base in (folder, real, real.name) if str(base) != "."]
        inside = [base for base in bases if relative.is_relative_to(base) and relative != base]
        places += [(folder, relative.relative_to(base)) for base in inside]
        if not relative.is_absolute():
            places.append((folder, relative))
    if not places:
        raise FileError("The path leads out of the run's folders. Give a path below them.")
    return list(dict.fromkeys(places))


def _opened(folder: Path, relative: PurePosixPath) -> Opened:
    root = folder.resolve()
    if any(part.startswith(".") for part in relative.parts):
        raise FileError("Hidden files are not read.")
    try:
        real = (root / relative).resolve()
    except RuntimeError:  # Python up to 3.12 raises this for circular links
        raise FileError(f"{str(relative)!r} is a link that leads to itself.") from None
    if not real.is_relative_to(root):
        raise FileError(f"{str(relative)!r} is a link that leads out of the folder, so it is not read.")
    if belongs_to_home(real, root):
        raise FileNotFoundError(str(relative))
    inside = real.relative_to(root).parts
    if not inside or any(part.startswith(".") for part in inside):
        raise FileError(f"{str(relative)!r} is a folder, or leads to a hidden file. Name a file.")
    handle = _walk(root, inside)
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise FileError(f"{str(relative)!r} is a folder. {_known([folder])}")
        if not stat.S_ISREG(status.st_mode):
            raise FileError(
                f"{str(relative)!r} is not a regular file (a device, a pipe or a socket), so it is not read."
            )
        if status.st_size > MAX_BYTES:
            raise FileError(f"{str(relative)!r} has {status.st_size:,} bytes; at most {MAX_BYTES:,} are read.")
        with os.fdopen(os.dup(handle), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MAX_BYTES:
        raise FileError(f"{str(relative)!r} has more than {MAX_BYTES:,} bytes, which is too large.")
    return Opened(relative.as_posix(), f"{root.name}/{relative.as_posix()}", data, _time(status.st_mtime))


def _time(seconds: float) -> str:
    """Return a time in ISO 8601, UTC; empty for a time outside of the calendar, which a file may have."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _walk(root: Path, parts: Sequence[str]) -> int:
    """Open a file folder by folder without following links, so that none can be inserted meanwhile; returns its handle."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(root, flags | os.O_DIRECTORY)
    for place, part in enumerate(parts):
        outer = handle
        try:
            handle = os.open(part, flags | (os.O_DIRECTORY if place + 1 < len(parts) else 0), dir_fd=outer)
        finally:
            os.close(outer)
    return handle


def _known(folders: Sequence[Path]) -> str:
    names: list[str] = []
    for folder in folders:
        for parent, inner, files in os.walk(folder):
            inner[:] = sorted(
                name for name in inner if not name.startswith(".") and not belongs_to_home(Path(parent) / name, folder)
            )
            below = Path(parent).relative_to(folder)
            names += [(below / name).as_posix() for name in sorted(files) if not name.startswith(".")]
            if len(names) > _LIST:
                break
    more = " …" if len(names) > _LIST else ""
    return f"There is: {', '.join(names[:_LIST])}{more}" if names else "The folders are empty."


class FileReader(BaseModel):
    """Parameters of `file_reader`."""

    path: str = Field(description="Path of the file below the user's folders.")
    response_format: ResponseFormat = Field(
        default="standard", description="How much of the result to show: brief, standard or full."
    )


def file_reader(run: Run, evidence: EvidenceStore) -> BaseTool:
    """Build the tool for a run, whose folders may be read; files of data are stored for programs."""

    async def execute(request: FileReader) -> ToolOutput:
        opened = await asyncio.to_thread(lambda: open_file(request.path, folders_of(run.context)))
        converted = await _converted(opened)
        card = Card.model_validate(converted["card"])
        return ToolOutput(
            text=_text(opened, converted),
            response_format=request.response_format,
            kind="document",
            title=converted["title"],
            published=card.published or None,
            card=card,
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


async def _converted(opened: Opened) -> Converted:
    """Convert a file; one of an unknown kind, such as a program, is read as text, and its first lines say nothing about it."""
    name, known = PurePath(opened.name).name, PurePath(opened.name).suffix.lower() in SUFFIXES
    async with CONVERSIONS.held(), Converters() as converters:
        answer = await converters.convert_data(name if known else f"{name}.txt", opened.data)
    if "error" in answer:
        raise FileError(f"{opened.url} cannot be read: it {unsearched(answer['error'])}.")
    return answer if known else {**answer, "title": name, "card": {}}


def _text(opened: Opened, converted: Converted) -> str:
    """Return the text of a file: that of a document as the search has it, so that it is one source; that of a table below what is in it."""
    if PurePath(opened.name).suffix.lower() not in TABLES:
        return str(converted["text"])
    lines = [f"{opened.url}: {len(opened.data):,} bytes, changed {opened.modified}"]
    for table in converted["tables"]:
        view = Profiled.model_validate(table).view
        lines.append(f"{f'Sheet {view.sheet}: ' if view.sheet else ''}{view.rows:,} rows")
        lines += [f"- {column}" for column in view.columns]
    return "\n".join([*lines, converted["text"]])
