"""Checkpoints in SQLite that forget what single runs wrote, as a server wants it when it rolls a run back."""

from collections.abc import Iterable

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_OF_RUN = "json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"


class Saver(AsyncSqliteSaver):
    """`AsyncSqliteSaver` with `adelete_for_runs`, without which a rollback fails after the run was cancelled."""

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints of runs, and what was written for them; those of other runs of the thread stay."""
        async with self.lock, self.conn.cursor() as cursor:
            for run_id in run_ids:
                await cursor.execute(
                    "DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN "  # noqa: S608 - a constant
                    f"(SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE {_OF_RUN})",
                    (str(run_id),),
                )
                await cursor.execute(f"DELETE FROM checkpoints WHERE {_OF_RUN}", (str(run_id),))  # noqa: S608 - a constant
            await self.conn.commit()
