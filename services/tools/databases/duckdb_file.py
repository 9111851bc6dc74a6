"""Reads a DuckDB file and nothing else. Runs in the child process.

The database is read-only, everything outside of it is switched off, and the configuration is locked
(duckdb.org, "Securing DuckDB"); of the kinds of statement only SELECT is run.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import duckdb

from services.tools.databases.rows import QueryFailure, Rows, collect

_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "memory_limit": "512MB",
    "temp_directory": "",
    "threads": "2",
    "lock_configuration": "true",
}
_AT_ONCE = 100
"""Rows fetched at a time."""
COLUMNS = """
    SELECT if(schema_name = 'main', '', schema_name || '.') || table_name,
    '"' || replace(schema_name, '"', '""') || '"."' || replace(table_name, '"', '""') || '"',
    table_oid IN (SELECT table_oid FROM duckdb_tables()), column_name, data_type
    FROM duckdb_columns() WHERE NOT internal ORDER BY schema_name, table_name, column_index
"""
"""As in `sqlite_file.py`."""


@contextlib.contextmanager
def connect(place: dict[str, Any], seconds: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a file read-only for some seconds.

    Raises:
        QueryFailure: the file cannot be opened.
    """
    try:
        connection = duckdb.connect(place["path"], read_only=True, config=_CLOSED)
    except duckdb.Error as error:
        why = "another program is writing to it" if "lock" in str(error) else "it is no DuckDB file of a known version"
        raise QueryFailure(f"The database cannot be opened: {why}.") from None
    clock = threading.Timer(seconds, connection.interrupt)
    clock.daemon = True
    clock.start()
    try:
        yield connection
    finally:
        clock.cancel()
        connection.close()


def query(place: dict[str, Any], sql: str, parameters: dict[str, Any], max_rows: int, seconds: float) -> Rows:
    """Run a query.

    Raises:
        QueryFailure: the query is not a single SELECT.
    """
    with connect(place, seconds) as connection:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise QueryFailure("Only one statement is run, and it must be a SELECT.")
        result = connection.execute(statements[0], parameters or None)
        columns = result.description or []
        return collect(
            [column[0] for column in columns], [str(column[1]) for column in columns], _streamed(result), max_rows
        )


def _streamed(result: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := result.fetchmany(_AT_ONCE):
        yield from rows
