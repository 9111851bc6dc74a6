"""Tables among the user's documents, as profiles: columns with types and examples instead of raw rows.

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
from services.search.index import FileState, folder_key
from services.text.tokens import tokens

SUFFIXES = frozenset({".csv", ".tsv", ".xlsx"})
VERSION = 1
"""Part of the file's name: a change of what a profile holds needs a new one."""
Read = Callable[[Path], Awaitable[list[TableView]]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table file (or one sheet of a workbook) below a documents folder."""

    path: Path
    view: TableView

    def describe(self) -> str:
        """Say in one line what the table holds."""
        sheet = f", sheet {self.view.sheet}" if self.view.sheet else ""
        return f"{self.view.file}{sheet}: {self.view.rows} rows; columns: {'; '.join(self.view.columns)}"

    def terms(self) -> set[str]:
        """Return the words by which a question may mean this table."""
        return set(tokens(f"{self.view.title} {' '.join(self.view.columns)} {self.path.stem.replace('-', ' ')}"))


class _Profile(BaseModel):
    """The tables of one file as it was when it was read."""

    size: int
    mtime: int
    """Nanoseconds."""
    views: list[TableView]


class _Profiles(BaseModel):
    """The files of one folder, by path below it."""

    files: dict[str, _Profile] = Field(default_factory=dict)


async def profile_tables(folder: Path, states: Sequence[FileState], home: Path, read: Read) -> list[Table]:
    """Return the tables of these files of a folder; those that are new or changed are read.

    Args:
        folder: what the files' paths are relative to.
        states: files that may hold tables, as they are now.
        home: folder below which the profiles are kept.
        read: profiles the tables of one file.
    """
    file = home / "documents" / f"{await asyncio.to_thread(folder_key, folder)}.tables.v{VERSION}.json"
    known = await asyncio.to_thread(_load, file)
    present = _Profiles(files={state.path: await _current(known, folder, state, read) for state in states})
    if present != known:
        await asyncio.to_thread(_save, file, present)
    return [Table(folder / path, view) for path, profile in present.files.items() for view in profile.views]


async def _current(profiles: _Profiles, folder: Path, state: FileState, read: Read) -> _Profile:
    known = profiles.files.get(state.path)
    if known is not None and (known.size, known.mtime) == (state.size, state.mtime):
        return known
    return _Profile(size=state.size, mtime=state.mtime, views=await read(folder / state.path))


def _load(file: Path) -> _Profiles:
    """Read what was kept; what is missing or broken is made anew."""
    try:
        return _Profiles.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return _Profiles()


def _save(file: Path, profiles: _Profiles) -> None:
    """Write the profiles whole or not at all: several processes may do so at once, and each has the same to say.

    They can be made again, so a folder that cannot be written costs time and nothing else.
    """
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".writing-")
        with os.fdopen(handle, "w", encoding="utf-8") as output:
            output.write(profiles.model_dump_json())
        Path(temporary).replace(file)
