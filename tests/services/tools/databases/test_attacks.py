"""Hostile queries meet two doors, and each is tried alone: the check of the statement, and the connection without the check."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from services.run.errors import QueryRefused
from services.tools.databases import postgres_server, sqlite_file
from services.tools.databases.configuration import Dialect, database
from services.tools.databases.statement import checked
from tests.fakes.postgres import PostgresServer
from tests.services.tools.databases.attacks import POSTGRES, SQLITE, Attack
from tests.services.tools.databases.conftest import ROWS, Configure, running

pytestmark = pytest.mark.long

SECONDS = 1.0
DRIVERS: dict[Dialect, ModuleType] = {"sqlite": sqlite_file, "postgres": postgres_server}
ALL: list[tuple[Dialect, Attack]] = [
    *(("sqlite", attack) for attack in SQLITE),
    *(("postgres", attack) for attack in POSTGRES),
]
Target = Callable[[Dialect], tuple[dict[str, Any], Callable[[], object]]]


def _named(attacks: list[tuple[Dialect, Attack]]) -> list[Any]:
    return [pytest.param(dialect, attack, id=f"{dialect}: {attack.name}") for dialect, attack in attacks]


@pytest.fixture
def target(request: pytest.FixtureRequest, configure: Configure) -> Target:
    """Return what gives a database's place, and a function that tells whether it is as it was."""

    def make(dialect: Dialect) -> tuple[dict[str, Any], Callable[[], object]]:
        configure(f"primary={request.getfixturevalue(f'{dialect}_url')}")
        place = database("primary").place()
        if dialect == "postgres":
            server: PostgresServer = request.getfixturevalue("postgres")
            return place, lambda: _state_of_server(server)
        return place, lambda: _state_of_folder(Path(place["path"]).parent)

    return make


def _state_of_folder(folder: Path) -> object:
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def _state_of_server(server: PostgresServer) -> object:
    import psycopg

    with psycopg.connect(host="127.0.0.1", port=server.port, user="owner", dbname="postgres") as connection:
        return [
            connection.execute(query).fetchall()  # the queries are the tests' own
            for query in (
                "SELECT * FROM soundings ORDER BY year",
                "SELECT relname FROM pg_class WHERE relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'pg\\_%') ORDER BY 1",
                "SELECT last_value, is_called FROM numbers",
                "SELECT count(*) FROM pg_largeobject_metadata",
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
                "SELECT proname FROM pg_proc WHERE proowner > 16000 ORDER BY 1",
            )
        ]


@pytest.mark.parametrize(
    ("dialect", "attack"), _named([attack for attack in ALL if attack[1].stopped_by != "connection"])
)
def test_the_check_of_the_statement_stops(dialect: Dialect, attack: Attack) -> None:
    with pytest.raises(QueryRefused):
        checked(attack.sql, (), dialect)


@pytest.mark.parametrize(("dialect", "attack"), _named([attack for attack in ALL if attack[1].stopped_by != "parser"]))
def test_the_connection_alone_stops(dialect: Dialect, attack: Attack, target: Target) -> None:
    place, state = target(dialect)
    before = state()
    with pytest.raises(Exception):  # noqa: B017 - each driver has errors of its own; what counts is that nothing changed
        DRIVERS[dialect].query(place, attack.sql, {}, 5, SECONDS)
    assert _settled(state, before) == before


def _settled(state: Callable[[], object], before: object) -> object:
    """Return the state once it is as before, or what it still is after ten seconds: a server ends a session a moment after its client has left."""
    end = time.monotonic() + 10
    while (after := state()) != before and time.monotonic() < end:
        time.sleep(0.05)
    return after


@pytest.mark.parametrize(("dialect", "attack"), _named([attack for attack in ALL if attack[1].stopped_by == "parser"]))
def test_what_the_connection_lets_pass_leaves_nothing_behind(dialect: Dialect, attack: Attack, target: Target) -> None:
    place, state = target(dialect)
    before = state()
    DRIVERS[dialect].query(place, attack.sql, {}, 5, SECONDS)
    assert _settled(state, before) == before


def test_a_role_that_may_do_anything_is_not_used(postgres: PostgresServer, configure: Configure) -> None:
    configure(f"primary={postgres.url('owner')}")
    with pytest.raises(Exception, match="may do more than read"):
        postgres_server.query(database("primary").place(), "SELECT 1", {}, 5, SECONDS)


def test_the_server_itself_ends_a_query_whose_time_is_up(target: Target, postgres: PostgresServer) -> None:
    place, _ = target("postgres")
    with pytest.raises(Exception, match="statement timeout"):
        postgres_server.query(place, "SELECT pg_sleep(60)", {}, 5, 0.3)
    assert running(postgres) == 0


def test_the_rows_are_those_of_the_table(target: Target) -> None:
    place, _ = target("sqlite")
    rows = sqlite_file.query(place, "SELECT ship, year, depth FROM soundings", {}, 5, SECONDS).rows
    assert rows == [[ship, str(year), None if depth is None else str(depth)] for ship, year, depth in ROWS]
