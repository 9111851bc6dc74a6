"""The child's side of a query: opens the database, asks it, and says in few words what went wrong.

Run as `python -m services.tools.databases.query_child`; see `services/tools/databases/child_process.py`.
"""

import contextlib
import difflib
import importlib
import re
import sys
from types import ModuleType
from typing import Any

from services.run.errors import DatabaseError
from services.tools.databases.child_process import serve

MEMORY = 2 << 30
"""Bytes of address space."""
_MAX_ERROR = 400
_UNKNOWN = re.compile(
    r"no such (?P<what>column|table): (?P<a>[^\n]+)|(?P<column>column) \"?(?P<b>[^\"\s]+)\"? does not exist|"
    r"(?P<table>relation) \"(?P<c>[^\"]+)\" does not exist"
)
_DRIVERS = {"sqlite": "sqlite_file", "duckdb": "duckdb_file", "postgres": "postgres_server"}


def main() -> None:
    """Answer one request: `dialect`, `place`, `do`, `seconds`, and what the query or the schema needs."""
    serve(_answer, memory=MEMORY, gone=_gone)


def _driver(dialect: str) -> ModuleType:

    return importlib.import_module(f"services.tools.databases.{_DRIVERS[dialect]}")


def _gone() -> None:
    """End a query under way at a server."""
    server = sys.modules.get("services.tools.databases.postgres_server")
    if server is not None:
        server.cancel()


def _answer(request: dict[str, Any], _: bytes) -> dict[str, Any]:
    try:
        driver = _driver(request["dialect"])
    except ImportError:
        return {"missing": True}
    try:
        return {"answer": _asked(driver, request)}
    except DatabaseError as error:
        return {"error": str(error)}
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - three drivers, each with its own tree of errors
        return {"error": _explained(error, driver, request)}


def _asked(driver: ModuleType, request: dict[str, Any]) -> dict[str, Any]:
    place, seconds = request["place"], request["seconds"]
    if request["do"] == "schema":
        found: dict[str, Any] = driver.schema(place, request["most"], seconds)
        return found
    rows = driver.query(place, request["sql"], request["params"], request["max_rows"], seconds)
    dumped: dict[str, Any] = rows.model_dump()
    return dumped


def _explained(error: Exception, driver: ModuleType, request: dict[str, Any]) -> str:
    """Say what went wrong, in the database's words where they are about the query, with names that come near."""
    name, message = type(error).__name__, _first_words(error)
    if name in {"InterruptException", "QueryCanceled", "QueryCanceledError"} or message == "interrupted":
        return f"The query took longer than {request['seconds']:g} seconds and was ended. Ask for less: filter, or aggregate."
    if "not authorized" in message or "prohibited" in message or "authorization denied" in message:
        return "The connection allows reading only, and the query does something else."
    return f"{message}{_near(message, driver, request)}"


def _first_words(error: Exception) -> str:
    """Return the message without the query that it repeats, and without any secret of the connection."""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    hint = getattr(getattr(error, "diag", None), "message_hint", None)
    message = f"{primary}{f' ({hint})' if hint else ''}" if primary else str(error).split("\n\nLINE ")[0]
    return " ".join(message.split())[:_MAX_ERROR]


def _near(message: str, driver: ModuleType, request: dict[str, Any]) -> str:
    found = _UNKNOWN.search(message)
    if found is None or any(sign in message for sign in ("Did you mean", "Candidate", "Perhaps")):
        return ""
    wanted = (found["a"] or found["b"] or found["c"]).split(".")[-1].strip()
    tables: list[str] = []
    columns: list[str] = []
    with contextlib.suppress(Exception):
        tables, columns = driver.names(request["place"], 5.0)
    known = columns if found["what"] == "column" or found["column"] else tables
    lower = {name.lower(): name for name in known}
    near = [lower[match] for match in difflib.get_close_matches(wanted.lower(), lower, n=3, cutoff=0.5)] or known[:10]
    return f". There is: {', '.join(near)}" if near else ""


if __name__ == "__main__":
    main()
