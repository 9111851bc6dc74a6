"""Reads a DuckDB file and nothing else. Runs in the child process.

The database is read-only, everything outside of it is switched off, and the configuration is locked
(duckdb.org, "Securing DuckDB"); of the kinds of statement only SELECT is run.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import duckdb

from services.tools.databases.failure import QueryFailure
from services.tools.databases.rows import Rows, collect

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


def schema(place: dict[str, Any], max_tables: int, seconds: float) -> dict[str, Any]:
    """Return the tables with their columns, and the number of tables."""
    with connect(place, seconds) as connection:
        sized = connection.execute(
            "SELECT schema_name, table_name, estimated_size FROM duckdb_tables() WHERE NOT internal UNION ALL "
            "SELECT schema_name, view_name, NULL FROM duckdb_views() WHERE NOT internal ORDER BY ALL"
        ).fetchall()
        tables = []
        for schema_name, table_name, size in sized[:max_tables]:
            columns = connection.execute(
                "SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = ? AND table_name = ? "
                "ORDER BY column_index",
                [schema_name, table_name],
            ).fetchall()
            name = table_name if schema_name == "main" else f"{schema_name}.{table_name}"
            tables.append({"name": name, "rows": "" if size is None else f"about {size:,} rows", "columns": columns})
        return {"tables": tables, "count": len(sized)}


def names(place: dict[str, Any], seconds: float) -> list[tuple[str, str]]:
    """Return the names of all columns, each after its table's name."""
    with connect(place, seconds) as connection:
        return connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
