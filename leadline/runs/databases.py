"""The SQLite checkpointer and store in the home, which hold users' work, and their errors: which file it is, what it holds, and what to do.

The checkpointer finds damage, and for servers deletes single runs, and deletes threads without blocking. The store is shared by parallel runs
in one or several processes.
"""

import asyncio
import sqlite3
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, DeltaChannelHistory
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.base import Op, PutOp, Result
from langgraph.store.sqlite.aio import AsyncSqliteStore

from services.run.errors import LeadlineError, StoreDamaged, StoreError, StoreUnwritable, disk_error_of
from services.run.ui_text import say, told

_CHECKED = "+crc32"
"""Ending of the kinds of data that have a checksum."""
_OF_RUN = "json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"

CHECKPOINTS = "checkpoints.sqlite"
STORE = "store.sqlite"
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class ChecksumSerializer(JsonPlusSerializer):
    """Stores a CRC-32 before the data: most changed bytes would be read as another state, not as an error."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialize an object."""
        kind, data = super().dumps_typed(obj)
        return f"{kind}{_CHECKED}", zlib.crc32(data).to_bytes(4, "big") + data

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Read an object; those of earlier versions have no checksum.

        Raises:
            ValueError: the data is not what was written.
        """
        kind, stored = data
        if kind.endswith(_CHECKED):
            kind, checksum, stored = kind.removesuffix(_CHECKED), stored[:4], stored[4:]
            if zlib.crc32(stored).to_bytes(4, "big") != checksum:
                raise ValueError("a checkpoint does not have its checksum")
        return super().loads_typed((kind, stored))


class Saver(AsyncSqliteSaver):
    """`AsyncSqliteSaver` that names a damaged file, with `adelete_for_runs`, and with an `adelete_thread` that returns at once."""

    file = Path()
    """File of the database, for messages."""

    def __init__(self, conn: aiosqlite.Connection, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(conn, serde=serde)
        self.before_deletion: Callable[[str], Awaitable[None]] | None = None
        """Deletes what lies beside a thread, before its checkpoints go."""
        self._deleting: set[asyncio.Task[None]] = set()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint.

        Raises:
            StoreError: it cannot be read.
        """
        with naming(self.file, Exception):
            return await super().aget_tuple(config)

    async def aget_delta_channel_history(self, **named: Any) -> Mapping[str, DeltaChannelHistory]:
        """Return what was written to channels that store differences.

        Raises:
            StoreError: it cannot be read.
        """
        with naming(self.file, Exception):
            return await super().aget_delta_channel_history(**named)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the name in the original
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, the newest first.

        Raises:
            StoreError: one cannot be read.
        """
        with naming(self.file, sqlite3.Error, ValueError, TypeError, NotImplementedError):
            async for checkpoint in super().alist(config, filter=filter, before=before, limit=limit):
                yield checkpoint

    async def aput(self, *arguments: Any) -> RunnableConfig:
        """Store a checkpoint.

        Raises:
            StoreError: the file cannot be written.
        """
        with naming(self.file, sqlite3.Error):
            return await super().aput(*arguments)

    async def aput_writes(self, *arguments: Any, **named: Any) -> None:
        """Store the writes of a task.

        Raises:
            StoreError: the file cannot be written.
        """
        with naming(self.file, sqlite3.Error):
            await super().aput_writes(*arguments, **named)

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints and writes of runs; those of the thread's other runs stay.

        Without it a server's rollback fails after the run was cancelled.
        """
        async with self.lock, self.conn.cursor() as cursor:
            for run_id in run_ids:
                await cursor.execute(
                    "DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN "  # noqa: S608 - a constant
                    f"(SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE {_OF_RUN})",
                    (str(run_id),),
                )
                await cursor.execute(f"DELETE FROM checkpoints WHERE {_OF_RUN}", (str(run_id),))  # noqa: S608 - a constant
            await self.conn.commit()

    async def adelete_thread(self, thread_id: str) -> None:
        """Schedule the deletion of a thread's checkpoints and other data, without waiting.

        The dev server looks up the place of a thread in its list, awaits this, and removes what is at that place then: had it
        to wait, two threads that are deleted at a time would take a third one, of anybody, with them.
        """
        task = asyncio.create_task(self._delete(thread_id))
        self._deleting.add(task)
        task.add_done_callback(self._deleting.discard)

    async def _delete(self, thread_id: str) -> None:
        try:
            if self.before_deletion is not None:
                await self.before_deletion(thread_id)
        finally:
            await super().adelete_thread(thread_id)

    async def settle(self) -> None:
        """Wait for scheduled deletions."""
        while self._deleting:
            await asyncio.gather(*self._deleting, return_exceptions=True)


class SharedSqliteStore(AsyncSqliteStore):
    """LangGraph's store, with a transaction for the reads of a batch and another for its writes.

    SQLite refuses at once, whatever the busy timeout, that a transaction which has read goes on to write after another
    connection has written ("database is locked", SQLITE_BUSY_SNAPSHOT: https://sqlite.org/rescode.html#busy_snapshot).
    """

    file = Path()
    """File of the database, for messages."""

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute reads, then writes; the results are in the order of the operations.

        Raises:
            StoreError: the file cannot be read or written.
        """
        operations = list(ops)
        writes = [place for place, op in enumerate(operations) if isinstance(op, PutOp)]
        reads = [place for place, op in enumerate(operations) if not isinstance(op, PutOp)]
        results: list[Result] = [None] * len(operations)
        for places in (reads, writes):
            if places:
                with naming(self.file, sqlite3.Error, ValueError):  # ValueError: a value that is no JSON
                    answers = await super().abatch([operations[place] for place in places])
                for place, result in zip(places, answers, strict=True):
                    results[place] = result
        return results


@contextmanager
def naming(file: Path, *errors: type[Exception]) -> Iterator[None]:
    """Raise these errors of a database as ours, which name its file."""
    try:
        yield
    except errors as error:
        raise _database_error(file, error) from error


def _database_error(file: Path, error: Exception) -> LeadlineError:
    """Return the error for a database that cannot be read or written; one of ours is returned as it is."""
    if isinstance(error, LeadlineError):
        return error
    if (why := disk_error_of(error)) is not None:
        return StoreUnwritable(str(file), why)
    if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
        return StoreError(**told("store_busy", file=file, error=error))
    return damaged(file, error)


def damaged(file: Path, why: object) -> StoreDamaged:
    """Return the error that names a damaged file, what is lost without it, and what to do."""
    holds = say(f"store_holds_{file.stem}") if file.name in {CHECKPOINTS, STORE} else ""
    return StoreDamaged(**told("store_damaged", home=file.parent, name=file.name, why=why, holds=holds))
