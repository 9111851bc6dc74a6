"""A SQLite checkpointer for servers: deletes single runs, and deletes threads without blocking."""

import asyncio
from collections.abc import Iterable

import aiosqlite
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_OF_RUN = "json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"


class Saver(AsyncSqliteSaver):
    """`AsyncSqliteSaver` with `adelete_for_runs`, and with an `adelete_thread` that returns at once."""

    def __init__(self, conn: aiosqlite.Connection, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(conn, serde=serde)
        self._deleting: set[asyncio.Task[None]] = set()

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
        """Schedule the deletion of a thread's checkpoints before all later requests, without waiting.

        The dev server looks up the place of a thread in its list, awaits this, and removes what is at that place then: had it
        to wait, two threads that are deleted at a time would take a third one, of anybody, with them.
        """
        task = asyncio.create_task(super().adelete_thread(thread_id))
        self._deleting.add(task)
        task.add_done_callback(self._deleting.discard)

    async def settle(self) -> None:
        """Wait for scheduled deletions."""
        while self._deleting:
            await asyncio.gather(*self._deleting, return_exceptions=True)
