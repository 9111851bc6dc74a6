"""Profiles of the tables among the user's documents: columns with types and examples instead of rows.

A table file is read when it is used; of a table inside a document (`table_profile.py`), and of one below titles or with heads of
several rows, the rows are kept as CSV with the profile.

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
from services.run.private_files import make_private_folder
from services.search.file_types import MAX_BYTES
from services.search.index import FileState, folder_key
from services.search.table_profile import Profiled
from services.text.tokens import tokens

SUFFIXES = frozenset({".csv", ".tsv", ".xls", ".xlsx"})
VERSION = 3
"""Part of the file's name; changes of the profiles need a new version."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table file (or one sheet of a workbook) below a documents folder."""

    path: Path
    view: TableView
    csv: str = ""
    """Its rows as CSV, if programs cannot read them from the file."""

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


Read = Callable[[Sequence[FileState]], Awaitable[dict[str, list[Profiled]]]]
"""Profiles the tables of files, by path; a file that was not read in time is missing."""


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
        read: profiles the tables of files.
    """
    file = home / "documents" / f"{await asyncio.to_thread(folder_key, folder)}.tables.v{VERSION}.json"
    known = await asyncio.to_thread(_load, file)
    kept = {state.path: profile for state in states if (profile := _known(known, state)) is not None}
    new = await read([state for state in states if state.path not in kept])
    kept |= {
        state.path: _Profile(size=state.size, mtime=state.mtime, tables=new[state.path])
        for state in states
        if state.path in new
    }
    present = _Profiles(files={state.path: kept[state.path] for state in states if state.path in kept})
    if present != known:
        await asyncio.to_thread(_save, file, present)
    return [
        Table(folder / path, table.view, table.csv)
        for path, profile in present.files.items()
        for table in profile.tables
    ]


def _known(profiles: _Profiles, state: FileState) -> _Profile | None:
    """Return the stored profile of a file that has not changed since."""
    known = profiles.files.get(state.path)
    return known if known is not None and (known.size, known.mtime) == (state.size, state.mtime) else None


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
        make_private_folder(file.parent.parent, file.parent.name)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".writing-")
        with os.fdopen(handle, "w", encoding="utf-8") as output:
            output.write(profiles.model_dump_json())
        Path(temporary).replace(file)
