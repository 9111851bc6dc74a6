"""Checkpoints and store on disk, below `LEADLINE_HOME`: for local runs, and for the server by `langgraph.json`."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore

from leadline.runs.checkpoint_saver import Saver
from leadline.runs.sqlite_store import SharedSqliteStore
from services.run.disk_errors import disk_error_of
from services.run.errors import StoreError, StoreUnwritable
from services.run.settings import settings

_CHECKPOINTS = "checkpoints.sqlite"
_STORE = "store.sqlite"
_BUSY_MS = 60_000
"""Milliseconds for which a run waits for another run's write."""
_SETUP_TRIES = 60
_DUPLICATE = re.compile(r"duplicate column name: (\w+)")
ALLOWED_TYPES = [
    ("schemas." + module, name)
    for module, names in {
        "background_investigator": ["Background"],
        "card": ["Card"],
        "conversation": ["Former"],
        "coordinator": ["Triage"],
        "deck": ["DeckCard", "DeckPage"],
        "evidence": ["Artifact", "Claim", "Contradiction", "Excerpt", "Judgement", "Source"],
        "outline": ["NodeDraft", "NodeView", "OutlineNode", "ThinNode"],
        "planner": ["Plan", "Step"],
        "publication": ["Publication"],
        "reflector": ["Reflection", "StepVerdict"],
        "reporter": ["Report"],
        "results": ["StepResult"],
        "revision": ["Revision"],
        "steering": ["Steering"],
        "usage": ["Allowance", "CallUsage", "Usage"],
    }.items()
    for name in names
]
"""Types permitted in a checkpoint; others are refused when it is read."""


def serializer() -> JsonPlusSerializer:
    """Return the serializer of checkpoints."""
    return JsonPlusSerializer(allowed_msgpack_modules=ALLOWED_TYPES)


@asynccontextmanager
async def checkpointer(folder: Path | None = None) -> AsyncIterator[AsyncSqliteSaver]:
    """Open the checkpoints below a folder, by default `LEADLINE_HOME`.

    Raises:
        StoreError: the folder cannot be written, or the file is broken; the message says which and what to do.
    """
    async with _opened(Saver, folder, _CHECKPOINTS) as saver:
        saver.serde = serializer()
        try:
            yield saver
        finally:
            await saver.settle()


@asynccontextmanager
async def store(folder: Path | None = None) -> AsyncIterator[AsyncSqliteStore]:
    """Open the store below a folder, by default `LEADLINE_HOME`.

    Raises:
        StoreError: the folder cannot be written, or the file is broken; the message says which and what to do.
    """
    async with _opened(SharedSqliteStore, folder, _STORE) as opened:
        try:
            yield opened
        finally:
            await _stop_batching(opened)


@asynccontextmanager
async def _opened(
    database: type[Saver] | type[SharedSqliteStore], folder: Path | None, name: str
) -> AsyncIterator[Any]:
    """Open a database in a file below a folder, with its tables."""
    home = folder or settings().leadline_home
    try:
        await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnwritable(str(home), error.strerror) from None
    file = home / name
    opening: AbstractAsyncContextManager[Any] = database.from_conn_string(str(file))
    try:
        opened = await opening.__aenter__()
    except sqlite3.DatabaseError as error:
        raise store_error(file, error) from None
    try:
        try:
            await opened.conn.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            await _set_up(opened)
        except sqlite3.DatabaseError as error:
            raise store_error(file, error) from None
        yield opened
    finally:
        await opening.__aexit__(None, None, None)


async def _set_up(opened: Any) -> None:
    """Create the tables; if another run creates them at the same time, check again."""
    for _ in range(_SETUP_TRIES):
        try:
            await opened.setup()
        except (sqlite3.IntegrityError, sqlite3.OperationalError) as error:
            if disk_error_of(error):
                raise
            await _note_column(opened, str(error))
            await asyncio.sleep(0.05)  # already exists, or is locked during its creation
        else:
            return
    await opened.setup()


async def _note_column(opened: Any, problem: str) -> None:
    """Record that a column was added, if that is the problem.

    The store adds one, and then notes that it has, each on its own: a process that is killed between the two leaves a column
    that every later one would try to add again.
    """
    if (found := _DUPLICATE.fullmatch(problem)) is None:
        return
    for version, change in enumerate(opened.MIGRATIONS):
        if re.search(rf"ADD COLUMN {found[1]}\b", change):
            await opened.conn.execute("INSERT OR IGNORE INTO store_migrations (v) VALUES (?)", (version,))


async def _stop_batching(opened: AsyncSqliteStore) -> None:
    """Stop the store's background task, which the store leaves to the garbage collector."""
    task = opened._task
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def store_error(place: Path, error: sqlite3.DatabaseError) -> StoreError:
    """Return the error that names the unusable file, with advice."""
    why = disk_error_of(error)
    if why is not None:
        return StoreUnwritable(str(place), why)
    return StoreError(
        f"{place} cannot be used ({error}). Move it away to start afresh (runs that are not finished are then lost), "
        "or set LEADLINE_HOME to another folder."
    )
