"""Queries PostgreSQL in a read-only transaction that is rolled back. Runs in the child process.

A cursor of the server takes one SELECT and nothing else; the transaction is read-only before the query begins, when it can
no longer be made anything else; the server ends it after some seconds; and a role that could reach beyond the data
(a superuser, or one that may run programs or read files there) is not used at all.
"""

import contextlib
import time
from collections.abc import Iterator
from typing import Any, LiteralString

import psycopg
from psycopg import Connection, ServerCursor
from psycopg.errors import QueryCanceled
from psycopg.types.string import TextLoader

from services.tools.databases.rows import QueryFailure, Rows, collect

MAX_CONNECT = 10
"""Maximum seconds for connecting."""
_POWERS = "pg_read_server_files pg_write_server_files pg_execute_server_program pg_signal_backend pg_checkpoint".split()
"""Roles with access beyond the data."""
_AT_ONCE = 100
"""Rows fetched at a time."""
COLUMNS = """
    SELECT CASE n.nspname WHEN 'public' THEN '' ELSE n.nspname || '.' END || c.relname,
    quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attname, format_type(a.atttypid, a.atttypmod)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND n.nspname NOT LIKE 'pg\\_toast%' AND NOT c.relispartition AND has_table_privilege(c.oid, 'SELECT')
    AND a.attnum > 0 AND NOT a.attisdropped ORDER BY n.nspname, c.relname, a.attnum
"""
"""As in `sqlite_file.py`."""
_current: list[Connection[Any]] = []


def cancel() -> None:
    """Cancel the current query at the server; called from another thread."""
    for connection in _current:
        connection.cancel_safe(timeout=2.0)


@contextlib.contextmanager
def connect(place: dict[str, Any], seconds: float) -> Iterator[Connection[Any]]:
    """Open a read-only transaction for some seconds.

    Raises:
        QueryFailure: the server cannot be reached, or the role may do more than is safe.
    """
    wait = {"connect_timeout": MAX_CONNECT, "application_name": "leadline"}
    try:
        connection = psycopg.connect(**{**wait, **place})
    except psycopg.Error as error:
        raise QueryFailure(f"The server cannot be used: {_reason(str(error))}. Its operator can help.") from None
    try:
        connection.read_only = True
        _current.append(connection)
        _restrict(connection, seconds)
        yield connection
    finally:
        _current.clear()
        with contextlib.suppress(psycopg.Error):
            connection.rollback()
        connection.close()


def _reason(message: str) -> str:
    """Return the reason for a failed connection without the driver's message, which may name hosts and users."""
    for sign, reason in (
        ("authentication failed", "it refused user or password"),
        ("no password supplied", "it wants a password"),
        ("does not exist", "it has no such database or role"),
        ("timeout", "it did not answer in time"),
        ("too many", "it has too many connections"),
    ):
        if sign in message:
            return reason
    return "it cannot be reached"


def _restrict(connection: Connection[Any], seconds: float) -> None:
    milliseconds = str(int(seconds * 1000))
    settings = {
        "statement_timeout": milliseconds,
        "lock_timeout": "5000",
        "idle_in_transaction_session_timeout": milliseconds,
        "standard_conforming_strings": "on",
        "default_transaction_read_only": "on",
    }
    if connection.info.server_version >= 140_000:
        settings["client_connection_check_interval"] = "500"
    for name, value in settings.items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    powerful = connection.execute(
        "SELECT bool_or(r.rolsuper OR r.rolreplication OR EXISTS (SELECT 1 FROM pg_roles g WHERE g.rolname = ANY(%s) "
        "AND pg_has_role(r.oid, g.oid, 'MEMBER'))) FROM pg_roles r WHERE r.rolname IN (current_user, session_user)",
        (_POWERS,),
    ).fetchone()
    if powerful is None or powerful[0] is not False:
        raise QueryFailure(
            "The role of this database may do more than read, so it is not used. "
            "docs/tools.md shows its operator how to make one that only reads."
        )


def query(place: dict[str, Any], sql: LiteralString, parameters: dict[str, Any], max_rows: int, seconds: float) -> Rows:
    """Run a query through a server cursor, which accepts only a SELECT or VALUES."""
    with connect(place, seconds) as connection:
        cursor = connection.cursor(name="answer")
        try:
            return _rows(cursor, sql, parameters, max_rows, seconds)
        finally:
            with contextlib.suppress(psycopg.Error):
                connection.rollback()
            cursor.close()


def _rows(
    cursor: ServerCursor[Any], sql: LiteralString, parameters: dict[str, Any], max_rows: int, seconds: float
) -> Rows:
    kinds = {type_.oid: type_.name for type_ in cursor.adapters.types}
    for type_ in cursor.connection.adapters.types:  # the server's text form of every value
        cursor.adapters.register_loader(type_.oid, TextLoader)
        cursor.adapters.register_loader(type_.array_oid, TextLoader)
    cursor.execute(sql, parameters or None)
    columns = cursor.description or []
    types = [kinds.get(column.type_code, "").upper() for column in columns]
    return collect([column.name for column in columns], types, _fetched(cursor, seconds), max_rows)


def _fetched(cursor: ServerCursor[Any], seconds: float) -> Iterator[Any]:
    """Yield the rows; the server's time limit restarts with each batch, this one does not."""
    deadline = time.monotonic() + seconds
    while rows := cursor.fetchmany(_AT_ONCE):
        yield from rows
        if time.monotonic() > deadline:
            raise QueryCanceled
