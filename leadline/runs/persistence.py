"""Checkpoints and store on disk, below `LEADLINE_HOME`: for local runs, and for the server by `langgraph.json`."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore
from pydantic import BaseModel

from leadline.runs.databases import (
    CHECKPOINTS,
    STORE,
    ChecksumSerializer,
    Saver,
    SharedSqliteStore,
    damaged,
    naming,
)
from schemas.state import ResearchState, StepTask
from services.run.choices import FIRST_TURN, turn_at
from services.run.errors import StoreError, StoreUnwritable, disk_error_of
from services.run.private_files import make_private_file, make_private_folder
from services.run.settings import settings
from services.run.ui_text import say, told
from services.run.users import claim_of, write_claim
from services.turn.thread_data import delete_thread_data

_BUSY_MS = 60_000
"""Milliseconds for which a run waits for another run's write."""
_SETUP_TRIES = 60
_MAKING = 0.5
"""Seconds in which another process makes a new database."""
_DUPLICATE = re.compile(r"duplicate column name: (\w+)")


def _models_of_the_state() -> set[type[BaseModel]]:
    """Return our models in the state and in the tasks of workers, those of their fields included."""
    models: set[type[BaseModel]] = set()
    hints: list[object] = [*get_type_hints(ResearchState).values(), *get_type_hints(StepTask).values()]
    while hints:
        hint = hints.pop()
        if not (isinstance(hint, type) and issubclass(hint, BaseModel)):
            hints += get_args(hint)
        elif hint not in models and hint.__module__.startswith("schemas."):
            models.add(hint)
            hints += [field.annotation for field in hint.model_fields.values()]
    return models


ALLOWED_TYPES = sorted((model.__module__, model.__name__) for model in _models_of_the_state())
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
    async with _opened(Saver, folder, CHECKPOINTS) as saver:
        saver.serde = ChecksumSerializer(allowed_msgpack_modules=ALLOWED_TYPES)
        saver.before_deletion = partial(_delete_beside, saver)
        try:
            yield saver
        finally:
            await saver.settle()


async def _delete_beside(saver: Saver, thread: str) -> None:
    """Delete the data of a thread that the server itself deletes, such as that of a stateless run."""
    async with store(saver.file.parent) as opened:
        claim = await claim_of(opened, thread)
        if claim is not None and not claim.deleted:
            await write_claim(opened, thread, claim.model_copy(update={"deleted": True}))
        if claim is None or not claim.deleted:
            beginnings = saver.alist({"configurable": {"thread_id": thread}}, filter={"source": "input"})
            turns = [turn_at({"__start__"}, {}, checkpoint.metadata) async for checkpoint in beginnings]
            await delete_thread_data(opened, thread, {FIRST_TURN, *turns})


@asynccontextmanager
async def store(folder: Path | None = None) -> AsyncIterator[AsyncSqliteStore]:
    """Open the store below a folder, by default `LEADLINE_HOME`.

    Raises:
        StoreError: the folder cannot be written, or the file is broken; the message says which and what to do.
    """
    async with _opened(SharedSqliteStore, folder, STORE) as opened:
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
    file = home / name
    await _check_not_emptied(home, name)
    try:
        await asyncio.to_thread(make_private_folder, home)
        await asyncio.to_thread(make_private_file, file)
    except (FileExistsError, NotADirectoryError):
        raise StoreError(**told("store_file", home=home)) from None
    except OSError as error:
        raise StoreUnwritable(str(home), error.strerror) from None
    async with AsyncExitStack() as opening:
        with naming(file, sqlite3.DatabaseError, UnicodeDecodeError):  # the latter: SQLite's message has its bytes
            opened: Any = await opening.enter_async_context(database.from_conn_string(str(file)))
            opened.file = file
            await opened.conn.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            await _set_up(opened)
        yield opened


async def _check_not_emptied(home: Path, name: str) -> None:
    """Check that a database without content is new, and not one that was emptied."""
    if await asyncio.to_thread(_is_empty, home / name) and await asyncio.to_thread(_was_used, home, name):
        await asyncio.sleep(_MAKING)  # another process may be making it at this moment
        if await asyncio.to_thread(_is_empty, home / name):
            raise damaged(home / name, say("store_emptied"))


def _is_empty(file: Path) -> bool:
    """Tell whether a database exists without content, in its file or in its log."""
    log = file.with_name(f"{file.name}-wal")
    return file.is_file() and not file.stat().st_size and not (log.is_file() and log.stat().st_size)


def _was_used(home: Path, name: str) -> bool:
    """Tell whether the home holds the other database with content, or indexes beside two empty databases."""
    other, table = (STORE, "store") if name == CHECKPOINTS else (CHECKPOINTS, "checkpoints")
    file = (home / other).absolute()
    if _is_empty(file):
        return any((home / "documents").glob("*.sqlite"))
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db:
        return db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None  # noqa: S608 - a constant
    return False


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
    if (match := _DUPLICATE.fullmatch(problem)) is None:
        return
    for version, change in enumerate(opened.MIGRATIONS):
        if re.search(rf"ADD COLUMN {match[1]}\b", change):
            await opened.conn.execute("INSERT OR IGNORE INTO store_migrations (v) VALUES (?)", (version,))


async def _stop_batching(opened: AsyncSqliteStore) -> None:
    """Stop the store's background task, which the store leaves to the garbage collector."""
    task = opened._task
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
