"""Profiles of tables, kept between runs: a table is opened again only when its file has changed.

One JSON file a folder, beside the indexes.
"""

import asyncio
import contextlib
import hashlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from schemas.coder import TableView
from services.search.index import FileState
from services.search.tables import Table

VERSION = 1
"""Part of the file's name: a change of what a profile holds needs a new one."""
Read = Callable[[Path], Awaitable[list[TableView]]]


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
    place = await asyncio.to_thread(_place, folder, home)
    known = await asyncio.to_thread(_load, place)
    present = _Profiles(files={state.path: await _current(known, folder, state, read) for state in states})
    if present != known:
        await asyncio.to_thread(_save, place, present)
    return [Table(folder / path, view) for path, profile in present.files.items() for view in profile.views]


async def _current(profiles: _Profiles, folder: Path, state: FileState, read: Read) -> _Profile:
    known = profiles.files.get(state.path)
    if known is not None and (known.size, known.mtime) == (state.size, state.mtime):
        return known
    return _Profile(size=state.size, mtime=state.mtime, views=await read(folder / state.path))


def _place(folder: Path, home: Path) -> Path:
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return home / "documents" / f"{name}.tables.v{VERSION}.json"


def _load(place: Path) -> _Profiles:
    """Read what was kept; what is missing or broken is made anew."""
    try:
        return _Profiles.model_validate_json(place.read_bytes())
    except (OSError, ValidationError):
        return _Profiles()


def _save(place: Path, profiles: _Profiles) -> None:
    """Write the profiles whole or not at all: several processes may do so at once, and each has the same to say.

    They can be made again, so a folder that cannot be written costs time and nothing else.
    """
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=".writing-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(profiles.model_dump_json())
        Path(temporary).replace(place)
