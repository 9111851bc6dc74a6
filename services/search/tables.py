"""Profiles of the tables among the user's documents: columns with types and examples instead of rows.

A table file is read when it is used; of a table inside a document (`embedded_tables.py`) its rows are kept as CSV with the profile.

Profiles are kept between runs, one JSON file a folder beside the indexes: a table is opened again only when its file has changed.
"""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from schemas.coder import TableView
from schemas.regular_file import read_regular
from services.run.log import WARNING, log
from services.search.file_types import MAX_BYTES
from services.search.index import FileState, folder_key
from services.text.tokens import tokens

SUFFIXES = frozenset({".csv", ".tsv", ".xlsx"})
VERSION = 2
"""Part of the file's name; changes of the profiles need a new version."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table file (or one sheet of a workbook) below a documents folder."""

    path: Path
    view: TableView
    csv: str = ""
    """Its rows as CSV, if the table is inside a document."""

    def read(self) -> bytes:
        """Return the file for programs. Blocking."""
        return self.csv.encode() if self.csv else read_regular(self.path, MAX_BYTES)

    def describe(self) -> str:
        """Describe the table's content in one line."""
        sheet = f", sheet {self.view.sheet}" if self.view.sheet else ""
        return f"{self.view.file}{sheet}: {self.view.rows} rows; columns: {'; '.join(self.view.columns)}"

    def terms(self) -> set[str]:
        """Return the words by which a question may refer to this table."""
        return set(tokens(f"{self.view.title} {' '.join(self.view.columns)} {self.path.stem.replace('-', ' ')}"))


class Profiled(BaseModel):
    """One table of a file."""

    view: TableView
    csv: str = ""
    """Its rows, where it stands inside a document."""


Read = Callable[[str], Awaitable[list[Profiled]]]
"""Profiles the tables of the file at a path below the folder."""


class _Profile(BaseModel):
    """The tables of one file as it was when it was read."""

    size: int
    mtime: int
    """Nanoseconds."""
    tables: list[Profiled]


class _Profiles(BaseModel):
    """The files of one folder, by path below it."""

    files: dict[str, _Profile] = Field(default_factory=dict)


async def profile_tables(folder: Path, states: Sequence[FileState], home: Path, read: Read) -> list[Table]:
    """Return the tables of a folder's files; only new or changed files are read.

    Args:
        folder: the folder of the files.
        states: present states of the files that may hold tables.
        home: folder below which the profiles are stored.
        read: profiles the tables of one file.
    """
    file = home / "documents" / f"{await asyncio.to_thread(folder_key, folder)}.tables.v{VERSION}.json"
    known = await asyncio.to_thread(_load, file)
    present = _Profiles(files={state.path: await _current(known, state, read) for state in states})
    if present != known:
        await asyncio.to_thread(_save, file, present)
    return [
        Table(folder / path, table.view, table.csv) for path, kept in present.files.items() for table in kept.tables
    ]


async def _current(profiles: _Profiles, state: FileState, read: Read) -> _Profile:
    known = profiles.files.get(state.path)
    if known is not None and (known.size, known.mtime) == (state.size, state.mtime):
        return known
    return _Profile(size=state.size, mtime=state.mtime, tables=await read(state.path))


def _load(file: Path) -> _Profiles:
    """Read the stored profiles; missing or broken ones are rebuilt."""
    try:
        return _Profiles.model_validate_json(file.read_bytes())
    except OSError:
        return _Profiles()
    except ValidationError:
        log("tables_made_anew", WARNING, file=file.name)
        return _Profiles()


def _save(file: Path, profiles: _Profiles) -> None:
    """Write the profiles atomically: several processes may write the same content at once.

    They can be rebuilt, so an unwritable folder only costs time.
    """
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".writing-")
        with os.fdopen(handle, "w", encoding="utf-8") as output:
            output.write(profiles.model_dump_json())
        Path(temporary).replace(file)
