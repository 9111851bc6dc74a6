"""The parent's side of a query: a child process asks the database, and is killed with the query when time is up."""

import asyncio
from typing import Any

from services.run.errors import DatabaseError, SettingsError
from services.tools.databases.child_process import ChildEnded, ask_child
from services.tools.databases.configuration import INSTALL, Database
from services.tools.rows import Rows

QUERY_SECONDS = 30.0
"""Seconds that a query may take."""
_OVERHEAD = 15.0
"""Seconds for starting the child and connecting, beyond which it is killed."""


async def ask_rows(
    database: Database, sql: str, parameters: dict[str, Any], max_rows: int, seconds: float = QUERY_SECONDS
) -> Rows:
    """Run a query that was checked before. The connection refuses what is not reading, whatever was checked.

    Args:
        database: which one.
        sql: the query, with parameters as its driver writes them.
        parameters: their values.
        max_rows: most rows.
        seconds: that the query may take.

    Raises:
        DatabaseError: it cannot be reached, refused the query, or took too long; the message is for the model.
    """
    request = {"do": "query", "sql": sql, "params": parameters, "max_rows": max_rows}
    return Rows.model_validate(await _asked(database, request, seconds))


async def ask_schema(database: Database, most: int, seconds: float = QUERY_SECONDS) -> dict[str, Any]:
    """Return the first tables of a database with their columns, and how many tables there are.

    Raises:
        DatabaseError: it cannot be reached.
    """
    return await _asked(database, {"do": "schema", "most": most}, seconds)


async def _asked(database: Database, request: dict[str, Any], seconds: float) -> dict[str, Any]:
    place = await asyncio.to_thread(database.place)
    whole = {"dialect": database.dialect, "place": place, "seconds": seconds, **request}
    environment = ("PG", "SSL_CERT") if database.dialect == "postgres" else ()
    try:
        told = await ask_child(
            "services.tools.databases.query_child", whole, seconds=seconds + _OVERHEAD, environment=environment
        )
    except TimeoutError:
        raise DatabaseError(
            f"The query took longer than {seconds:g} seconds and was ended. Ask for less: filter, or aggregate."
        ) from None
    except ChildEnded:
        raise DatabaseError("The query needed more memory or time than it may use. Ask for less at once.") from None
    if told.get("missing"):
        raise SettingsError(f"{database.kind} needs packages that are not installed. Run: {INSTALL}")
    if "error" in told:
        raise DatabaseError(f"{database.name}: {told['error']}")
    answer: dict[str, Any] = told["answer"]
    return answer
