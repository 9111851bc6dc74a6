"""Databases that the tests ask: files that are made anew, and a private PostgreSQL server where one is installed."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.tools.builtin_tools import query_database
from tests.conftest import SetEnvironment
from tests.fakes.postgres import PostgresServer, binaries_of_postgres

PASSWORD = "s3cret-of-the-reader"
ROWS = [("Challenger", 1875, 8184.5), ("Vema", 1957, 9000.0), ("Kaikō", 1995, None)]
DIALECTS = ["sqlite", "postgres"]

Configure = Callable[[str], None]


@pytest.fixture
def configure(environment: SetEnvironment) -> Configure:
    return lambda value: environment(LEADLINE_DATABASES=value)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    path = tmp_path / "soundings.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE soundings (ship TEXT, year INTEGER, depth REAL)")
    connection.executemany("INSERT INTO soundings VALUES (?, ?, ?)", ROWS)
    connection.execute("CREATE TABLE 销售 (年份 INTEGER, 地区 TEXT, 金额 REAL)")
    connection.executemany("INSERT INTO 销售 VALUES (?, ?, ?)", [(2023, "华东", 120.5), (2024, "华东", 150.0)])
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Serve PostgreSQL with a table, a role that only reads and one that may do anything."""
    binaries = binaries_of_postgres()
    if binaries is None:
        missing = pytest.fail if os.environ.get("REQUIRE_SERVICES") else pytest.skip
        missing("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="leadline-pg-"))
    folder.chmod(0o755)
    server = PostgresServer(binaries, folder)
    server.start()
    try:
        _fill(server)
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _fill(server: PostgresServer) -> None:
    import psycopg

    with psycopg.connect(host="127.0.0.1", port=server.port, user="owner", dbname="postgres") as connection:
        connection.execute("CREATE TABLE soundings (ship TEXT, year INTEGER, depth DOUBLE PRECISION)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO soundings VALUES (%s, %s, %s)", ROWS)
        connection.execute("CREATE TABLE 销售 (年份 INTEGER, 地区 TEXT, 金额 NUMERIC(12, 2))")
        connection.execute("INSERT INTO 销售 VALUES (2023, '华东', 120.50), (2024, '华东', 150.00)")
        connection.execute("CREATE SEQUENCE numbers")
        connection.execute(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
        connection.execute(f"CREATE ROLE writer LOGIN PASSWORD '{PASSWORD}'")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        connection.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO writer")
        connection.execute("GRANT ALL ON SEQUENCE numbers TO writer")
        connection.execute("GRANT ALL ON SCHEMA public TO writer")


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    """Return the address of the server for a role that could write, so that the connection has something to stop."""
    return postgres.url("writer", PASSWORD)


@pytest.fixture
def tool(run: Run, evidence: EvidenceStore) -> BaseTool:
    return query_database(run, evidence)


@pytest.fixture(params=DIALECTS)
def any_database(request: pytest.FixtureRequest, configure: Configure) -> str:
    """Configure one database after the other as `primary`."""
    configure(f"primary={request.getfixturevalue(f'{request.param}_url')}")
    return str(request.param)


def running(server: PostgresServer) -> int:
    """Return how many queries of the reading role are under way."""
    import psycopg

    with psycopg.connect(host="127.0.0.1", port=server.port, user="owner", dbname="postgres") as connection:
        active = "SELECT 1 FROM pg_stat_activity WHERE usename = 'writer' AND state = 'active'"
        return len(connection.execute(active).fetchall())
