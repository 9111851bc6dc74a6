"""The parent side of a query: a child process queries the database, and is killed when the time is up; and schemas for prompts.

A hostile file or query can only crash that process. The request is one line of JSON on the child's standard input
(secrets are on no command line and in no file), the answer one on its standard output.
"""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from schemas.clean_text import beginning
from schemas.coder import DatabaseView
from schemas.mcp import ToolView
from services.run.errors import DatabaseError, JournalMiss, SettingsError
from services.run.installation import PROJECT_ROOT
from services.run.scope import Run
from services.run.settings import settings
from services.run.ui_text import told
from services.tools.databases.configuration import INSTALL, Database, databases
from services.tools.databases.rows import Rows

QUERY_SECONDS = 30.0
"""Maximum seconds of a query."""
MAX_ANSWER = 64_000_000
"""Maximum bytes of an answer."""
_OVERHEAD = 15.0
"""Seconds for starting the child and connecting, after which it is killed."""
_GRACE = 1.0
"""Seconds for the child to stop by itself, for example to cancel a query at a server."""
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "SYSTEMROOT")
"""Environment variables that the child inherits; keys are not among them."""
_OF_POSTGRES = ("PG", "SSL_CERT")
"""Prefixes of further inherited variables, for PostgreSQL."""

MAX_TABLES, MAX_COLUMNS, MAX_NAME = 40, 40, 64
SCHEMA_SECONDS = 15.0
MAX_SHOWN = 2_000
"""Maximum characters of all schemas in a planner's prompt."""


async def ask_rows(
    database: Database, sql: str, parameters: dict[str, Any], max_rows: int, seconds: float = QUERY_SECONDS
) -> Rows:
    """Run a checked query. The connection itself also refuses everything except reading.

    Raises:
        DatabaseError: the database cannot be reached, refused the query, or took too long; the message is for the
            model.
    """
    request = {"do": "query", "sql": sql, "params": parameters, "max_rows": max_rows}
    return Rows.model_validate(await _ask(database, request, seconds))


async def _ask(database: Database, request: dict[str, Any], seconds: float) -> dict[str, Any]:
    place = await asyncio.to_thread(database.place)
    request = {"dialect": database.dialect, "place": place, "seconds": seconds, **request}
    further = _OF_POSTGRES if database.dialect == "postgres" else ()
    environment = {name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith(further)}
    try:
        reply = json.loads(await _reply(request, environment, seconds + _OVERHEAD))
    except TimeoutError:
        raise DatabaseError(
            f"The query took longer than {seconds:g} seconds and was ended. Ask for less: filter, or aggregate."
        ) from None
    except ValueError:  # no answer, a truncated answer, or one that is too long
        raise DatabaseError("The query needed more memory or time than it may use. Ask for less at once.") from None
    if reply.get("missing"):
        raise SettingsError(**told("database_kind_packages", kind=database.kind, command=INSTALL))
    if "error" in reply:
        raise DatabaseError(f"{database.name}: {reply['error']}")
    answer: dict[str, Any] = reply["answer"]
    return answer


async def _reply(request: dict[str, Any], environment: dict[str, str], seconds: float) -> bytes:
    """Return the child's answer line; empty if it ends without an answer."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.tools.databases.query_child",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        cwd=PROJECT_ROOT, env=environment, limit=MAX_ANSWER,
    )  # fmt: skip
    assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - both are pipes, as asked for
    try:
        async with asyncio.timeout(seconds):
            child.stdin.write(json.dumps(request).encode() + b"\n")
            with contextlib.suppress(ConnectionError):
                await child.stdin.drain()
            return await child.stdout.readline()
    finally:
        child.stdin.close()  # asks the child to stop
        try:
            async with asyncio.timeout(_GRACE):
                await child.wait()
        except TimeoutError:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()


class _Views(BaseModel):
    views: list[DatabaseView]


async def schema_views(run: Run) -> list[DatabaseView]:
    """Describe the configured databases, or the error of an unreachable one; recorded schemas are not queried again."""

    async def work() -> _Views:
        known = await asyncio.to_thread(databases)
        views = await asyncio.gather(*(_view(database) for database in known.values()))
        return _Views(views=list(views))

    if not run.journal.replays and settings().leadline_databases is None:
        return []
    request = {"databases": True, "tables": MAX_TABLES, "columns": MAX_COLUMNS}
    try:
        return (await run.journal.once("tables", "databases", request, _Views, work)).answer.views
    except JournalMiss:  # the replayed run had no databases
        return []


def query_tool_view(views: Sequence[DatabaseView]) -> list[ToolView]:
    """Return the description of the database tool for a planner; empty if no database can be queried."""
    usable = [view for view in views if not view.problem]
    if not usable:
        return []
    lines = [f"{view.name} ({view.dialect}): {'; '.join(view.tables) or 'no tables'}" for view in usable]
    return [ToolView(name="query_database", description=beginning(f"SQL over {' | '.join(lines)}", MAX_SHOWN))]


async def _view(database: Database) -> DatabaseView:
    view = DatabaseView(name=database.name, dialect=database.kind)
    try:
        schema = await _ask(database, {"do": "schema", "max_tables": MAX_TABLES}, SCHEMA_SECONDS)
    except (DatabaseError, SettingsError) as error:
        return view.model_copy(update={"problem": str(error)})
    lines = [_described(table) for table in schema["tables"]]
    more = schema["count"] - len(lines)
    return view.model_copy(update={"tables": [*lines, *([f"… and {more} more tables"] if more > 0 else [])]})


def _described(table: dict[str, Any]) -> str:
    columns = [f"{_plain(name)} {_plain(kind)}".strip() for name, kind in table["columns"][:MAX_COLUMNS]]
    more = len(table["columns"]) - MAX_COLUMNS
    rest = f", … and {more} more columns" if more > 0 else ""
    return f"{_plain(table['name'])}: {', '.join(columns)}{rest}"


def _plain(name: str) -> str:
    """Return a name on one line: it is data, chosen by the author of the table."""
    return " ".join("".join(char if char.isprintable() else " " for char in str(name)).split())[:MAX_NAME]
