"""Reads an SQLite file and nothing else. Runs in the child process.

Each of these protections would suffice alone: the file is opened for reading, `query_only` is set, and an authorizer
refuses every action that is not reading (sqlite3_set_authorizer(3)), among them ATTACH, PRAGMA, temporary tables and
loading extensions.
"""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from services.tools.databases.rows import QueryFailure, Rows, collect

_HEAP = 256 << 20
"""Maximum bytes of SQLite's memory."""
_STEPS = 50_000
"""Virtual machine instructions between two checks of the time limit."""
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_PRAGMAS = {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list", "data_version"}
_FUNCTIONS = frozenset("load_extension readfile writefile edit fts3_tokenizer fsdir zipfile sqlar_uncompress".split())
"""Refused functions, which access more than the data."""
COLUMNS = """
    SELECT m.name, '"' || replace(m.name, '"', '""') || '"', c.name, c.type
    FROM sqlite_master m, pragma_table_xinfo(m.name) c
    WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND c.hidden <> 1 ORDER BY m.type, m.name, c.cid
"""
"""Query of all columns: their table's name, its name in a query; their names and types."""


@contextlib.contextmanager
def connect(place: dict[str, Any], seconds: float) -> Iterator[sqlite3.Connection]:
    """Open a file read-only for some seconds.

    Raises:
        QueryFailure: the file cannot be opened.
    """
    path = quote(place["path"])
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None, timeout=min(seconds, 5.0))
    try:
        try:
            _restrict(connection, time.monotonic() + seconds)
        except sqlite3.Error as error:
            raise QueryFailure(f"The file cannot be opened as an SQLite database ({error}).") from None
        yield connection
    finally:
        connection.close()


def _restrict(connection: sqlite3.Connection, deadline: float) -> None:
    heap = f"hard_heap_limit={_HEAP}"
    for pragma in ("query_only=ON", "trusted_schema=OFF", "temp_store=MEMORY", heap, "mmap_size=0"):
        connection.execute(f"PRAGMA {pragma}")
    for limit, value in (
        (sqlite3.SQLITE_LIMIT_LENGTH, 20_000_000),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200),
        (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        connection.setlimit(limit, value)
    connection.execute("SELECT count(*) FROM sqlite_master")
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.set_progress_handler(lambda: int(time.monotonic() > deadline), _STEPS)
    connection.set_authorizer(_authorize)


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    allowed = (
        action in _READS
        or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _FUNCTIONS)
        or (action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _PRAGMAS)
        or (action == sqlite3.SQLITE_UPDATE and first == "sqlite_master")  # the action for a virtual table that is read
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def query(place: dict[str, Any], sql: str, parameters: dict[str, Any], max_rows: int, seconds: float) -> Rows:
    """Run a query.

    Raises:
        QueryFailure: the statement returns no rows.
    """
    with connect(place, seconds) as connection:
        cursor = connection.execute(sql, parameters)
        if cursor.description is None:
            raise QueryFailure("Only one statement is run, and it must be a SELECT.")
        columns = [column[0] for column in cursor.description]
        return collect(columns, [""] * len(columns), cursor, max_rows)
