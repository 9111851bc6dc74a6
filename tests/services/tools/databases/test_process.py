"""The process of a query: it ends with the query, and takes nothing else with it."""

import asyncio
import contextlib
import time

import psutil
import pytest

from services.run.errors import DatabaseError
from services.tools.databases import query
from services.tools.databases.configuration import database
from tests.fakes.postgres import PostgresServer
from tests.services.tools.databases.conftest import PASSWORD, Configure, running

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


async def test_a_cancelled_query_ends_at_the_server_too(configure: Configure, postgres: PostgresServer) -> None:
    configure(f"primary={postgres.url('writer', PASSWORD)}")
    task = asyncio.create_task(query.ask_rows(database("primary"), "SELECT pg_sleep(60)", {}, 5, 50.0))
    await asyncio.to_thread(_wait_until, postgres, 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(_wait_until, postgres, 0)


def _wait_until(server: PostgresServer, count: int) -> None:
    while running(server) != count:
        time.sleep(0.05)


async def test_a_query_that_crashes_its_process_ends_nothing_else(configure: Configure, sqlite_url: str) -> None:
    configure(f"primary={sqlite_url}")
    hungry = "SELECT group_concat(hex(randomblob(9000000))) FROM soundings a, soundings b, soundings c"
    with pytest.raises(DatabaseError):
        await query.ask_rows(database("primary"), hungry, {}, 5, 20.0)
    rows = await query.ask_rows(database("primary"), "SELECT count(*) FROM soundings", {}, 5, 20.0)
    assert rows.rows == [["3"]]


async def test_a_query_beyond_its_time_is_killed_and_leaves_no_process(
    configure: Configure, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(f"primary={sqlite_url}")
    monkeypatch.setattr(query, "_OVERHEAD", -19.5)
    with pytest.raises(DatabaseError, match="longer than 20 seconds"):
        await query.ask_rows(database("primary"), ENDLESS, {}, 5, 20.0)
    assert _children() == []


async def test_a_cancelled_query_leaves_no_process(configure: Configure, sqlite_url: str) -> None:
    configure(f"primary={sqlite_url}")
    task = asyncio.create_task(query.ask_rows(database("primary"), ENDLESS, {}, 5, 50.0))
    while not _children():  # noqa: ASYNC110 - a process tells nobody that it began
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _children() == []


def _children() -> list[str]:
    """Return the processes that ask databases for this one."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found += [" ".join(child.cmdline())] if "services.tools.databases.query_child" in child.cmdline() else []
    return found
