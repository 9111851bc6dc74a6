"""Addresses and passwords of databases appear in no error, view, journal or environment."""

import json

import pytest
from langchain_core.tools import BaseTool
from langgraph.store.memory import InMemoryStore

from services.run.errors import DatabaseError, SettingsError
from services.run.journal import Journal
from services.run.scope import Run
from services.tools.databases.configuration import databases
from services.tools.databases.query import schema_views
from tests.fakes.postgres import PostgresServer
from tests.services.tools.databases.conftest import PASSWORD, Configure

SECRET = "hunter2%40secret"
BROKEN = [
    f"primary=postgresql://reader:{SECRET}@127.0.0.1:1/nothing",
    f"primary=postgresql+psycopg://reader:{SECRET}@127.0.0.1:9x/nothing",
    f"postgresql://reader:{SECRET}@127.0.0.1/nothing",
    f"primary=mysql://reader:{SECRET}@127.0.0.1/nothing",
    f"a b=postgresql://reader:{SECRET}@127.0.0.1/nothing",
    f"primary=postgresql://reader:{SECRET}@127.0.0.1:1/a;primary=postgresql://reader:{SECRET}@127.0.0.1:1/b",
    f"primary=sqlite:///{SECRET}.db?key={SECRET}",
    f"primary=sqlite:///{SECRET}.db",
]


@pytest.mark.parametrize("value", BROKEN)
async def test_no_error_tells_an_address_or_a_password(
    value: str, tool: BaseTool, run: Run, configure: Configure
) -> None:
    configure(value)
    with pytest.raises((DatabaseError, SettingsError)) as caught:
        await tool.ainvoke({"query": "SELECT 1"})
    told = f"{caught.value!r} {caught.value.__cause__!r}"
    assert "hunter2" not in told
    assert "127.0.0.1" not in told
    try:
        views = str(await schema_views(run))
    except SettingsError as error:
        views = str(error)
    assert "hunter2" not in views


async def test_a_wrong_password_is_said_without_telling_it(
    tool: BaseTool, configure: Configure, postgres: PostgresServer
) -> None:
    configure(f"primary={postgres.url('reader', 'wrong-pass')}")
    with pytest.raises(DatabaseError, match="refused user or password") as caught:
        await tool.ainvoke({"query": "SELECT 1"})
    assert "wrong-pass" not in str(caught.value)


async def test_neither_views_nor_the_journal_hold_an_address(configure: Configure, postgres_url: str) -> None:
    configure(f"primary={postgres_url}")
    store = InMemoryStore()
    views = await schema_views(Run(journal=Journal(store, "run", "task")))
    kept = json.dumps([item.value for item in store.search(("journal",))]) + str(views) + repr(databases())
    assert PASSWORD not in kept
    assert "127.0.0.1" not in kept
