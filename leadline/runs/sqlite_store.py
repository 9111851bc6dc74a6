"""The SQLite store, shared by parallel runs in one or several processes."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from langgraph.store.base import Op, PutOp, Result
from langgraph.store.sqlite.aio import AsyncSqliteStore

from leadline.runs.database_errors import database_error


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
                try:
                    answers = await super().abatch([operations[place] for place in places])
                except (sqlite3.Error, ValueError) as error:  # ValueError: a value that is no JSON
                    raise database_error(self.file, error) from error
                for place, result in zip(places, answers, strict=True):
                    results[place] = result
        return results
