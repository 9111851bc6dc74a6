"""Brief schemas of the databases for prompts: tables, typed columns and approximate numbers of rows, without rows."""

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from schemas.databases import DatabaseView
from schemas.mcp import ToolView
from services.run.errors import DatabaseError, JournalMiss, SettingsError
from services.run.scope import Run
from services.run.settings import settings
from services.tools.databases.configuration import Database, databases
from services.tools.databases.query import ask_schema

MAX_TABLES, MAX_COLUMNS, MAX_NAME = 40, 40, 64
_SECONDS = 15.0
MAX_SHOWN = 2_000
"""Maximum characters of all schemas in a planner's prompt."""


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
    text = f"SQL over {' | '.join(lines)}"
    return [ToolView(name="query_database", description=text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")]


async def _view(database: Database) -> DatabaseView:
    view = DatabaseView(name=database.name, dialect=database.kind)
    try:
        schema = await ask_schema(database, MAX_TABLES, _SECONDS)
    except (DatabaseError, SettingsError) as error:
        return view.model_copy(update={"problem": str(error)})
    lines = [_described(table) for table in schema["tables"]]
    more = schema["count"] - len(lines)
    return view.model_copy(update={"tables": [*lines, *([f"… and {more} more tables"] if more > 0 else [])]})


def _described(table: dict[str, Any]) -> str:
    columns = [f"{_plain(name)} {_plain(kind)}".strip() for name, kind in table["columns"][:MAX_COLUMNS]]
    more = len(table["columns"]) - MAX_COLUMNS
    size = f" ({table['rows']})" if table["rows"] else ""
    rest = f", … and {more} more columns" if more > 0 else ""
    return f"{_plain(table['name'])}{size}: {', '.join(columns)}{rest}"


def _plain(name: str) -> str:
    """Return a name on one line: it is data, chosen by the author of the table."""
    return " ".join("".join(char if char.isprintable() else " " for char in str(name)).split())[:MAX_NAME]
