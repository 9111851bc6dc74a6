"""The child side of a query: opens the database, runs the query, and reports errors briefly.

Run as `python -m services.tools.databases.query_child` with an environment without secrets and hard limits; see `query.py`.
"""

import contextlib
import importlib
import json
import os
import resource
import sys
import threading
from types import ModuleType
from typing import Any

from services.run.secrecy import register_named_secrets, without_secrets
from services.tools.databases.rows import QueryFailure, Rows

MEMORY = 2 << 30
"""Maximum bytes of address space."""
FILE_SIZE = 1 << 20
"""Maximum bytes that it may write to a file: enough for SQLite's shared memory only."""
_MAX_ERROR = 400
_DRIVERS = {"sqlite": "sqlite_file", "postgres": "postgres_server"}


def main() -> None:
    """Answer one request on standard input: `dialect`, `place`, `do`, `seconds`, and what the query or the schema needs.

    The process ends when its standard input closes: then its parent is gone, or needs no answer.
    """
    request = json.loads(sys.stdin.buffer.readline())
    answers, sys.stdout = sys.stdout, sys.stderr
    _limit(int(request["seconds"]) + 5)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        answer = _answer(request)
    except MemoryError:
        answer = {"error": "It needs more memory than it may use. Ask for less at once."}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
    os._exit(0)  # at once: the answer is written


def _limit(seconds: int) -> None:
    for what, value in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS does not support limits of address space
            resource.setrlimit(what, (limit, limit))


def _end_with_parent() -> None:
    """Wait until standard input closes; then cancel a running query at the server, and exit."""
    while os.read(0, 1024):
        pass
    server = sys.modules.get("services.tools.databases.postgres_server")
    if server is not None:
        with contextlib.suppress(Exception):
            server.cancel()
    os._exit(1)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        driver = importlib.import_module(f"services.tools.databases.{_DRIVERS[request['dialect']]}")
    except ImportError:
        return {"missing": True}
    try:
        return {"answer": _result(driver, request)}
    except QueryFailure as error:
        return {"error": str(error)}
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - two drivers, each with its own tree of errors
        return {"error": _explained(error, request["seconds"])}


def _result(driver: ModuleType, request: dict[str, Any]) -> dict[str, Any]:
    place, seconds = request["place"], request["seconds"]
    register_named_secrets(place)
    if request["do"] == "schema":
        with driver.connect(place, seconds) as connection:
            return _schema(connection, driver.COLUMNS, request["max_tables"])
    rows: Rows = driver.query(place, request["sql"], request["params"], request["max_rows"], seconds)
    return rows.model_dump()


def _schema(connection: Any, columns: str, max_tables: int) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {}
    for name, quoted, *column in connection.execute(columns).fetchall():
        tables.setdefault(quoted, {"name": name, "columns": []})["columns"].append(column)
    return {"tables": list(tables.values())[:max_tables], "count": len(tables)}


def _explained(error: Exception, seconds: float) -> str:
    """Describe an error with the database's message, if it is about the query."""
    name, message = type(error).__name__, _message(error)
    if name in {"QueryCanceled", "QueryCanceledError"} or message == "interrupted":
        return f"The query took longer than {seconds:g} seconds and was ended. Ask for less: filter, or aggregate."
    if "not authorized" in message or "prohibited" in message or "authorization denied" in message:
        return "The connection allows reading only, and the query does something else."
    return message


def _message(error: Exception) -> str:
    """Return the error message without the repeated query and without any secret of the connection."""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    hint = getattr(getattr(error, "diag", None), "message_hint", None)
    message = f"{primary}{f' ({hint})' if hint else ''}" if primary else str(error).split("\n\nLINE ")[0]
    return without_secrets(" ".join(message.split()))[:_MAX_ERROR]


if __name__ == "__main__":
    main()
