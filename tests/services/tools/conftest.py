"""Databases that the tests ask: files that are made anew, and a private PostgreSQL server where one is installed."""

import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from services.evidence.store import EvidenceStore
from services.runs import Run
from services.settings import forget_settings

PASSWORD = "s3cret-of-the-reader"
ROWS = [("Challenger", 1875, 8184.5), ("Vema", 1957, 9000.0), ("Kaikō", 1995, None)]


@pytest.fixture
def run() -> Run:
    return Run()


@pytest.fixture
def evidence() -> EvidenceStore:
    return EvidenceStore(InMemoryStore())


Configure = Callable[[str], None]


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Return a function that sets LEADLINE_DATABASES."""

    def set_databases(value: str) -> None:
        monkeypatch.setenv("LEADLINE_DATABASES", value)
        forget_settings()

    return set_databases


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


@pytest.fixture
def duckdb_url(tmp_path: Path) -> str:
    import duckdb

    path = tmp_path / "soundings.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE soundings (ship TEXT, year INTEGER, depth DOUBLE)")
        connection.executemany("INSERT INTO soundings VALUES (?, ?, ?)", ROWS)
        connection.execute("CREATE TABLE 销售 (年份 INTEGER, 地区 TEXT, 金额 DOUBLE)")
        connection.execute("INSERT INTO 销售 VALUES (2023, '华东', 120.5), (2024, '华东', 150.0)")
        connection.execute("CREATE SEQUENCE numbers")
    return f"duckdb:///{path}"


def _binaries() -> Path | None:
    """Find PostgreSQL's programs: Debian keeps them off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    beside = shutil.which("initdb")
    return found[-1].parent if found else Path(beside).parent if beside else None


class PostgresServer:
    """A private server in a folder of its own, on loopback."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries, self._folder = binaries, folder
        self._as: list[str] = []
        if os.geteuid() == 0:  # the server refuses to run as root
            account = next((one.pw_name for one in pwd.getpwall() if one.pw_name in {"postgres", "nobody"}), "nobody")
            shutil.chown(folder, account)
            self._as = ["setpriv", "--reuid", account, "--regid", str(pwd.getpwnam(account).pw_gid), "--clear-groups"]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def start(self) -> None:
        """Make a cluster and serve it."""
        data = self._folder / "data"
        self._run(
            "initdb", "-D", str(data), "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"
        )
        (data / "pg_hba.conf").write_text(
            "local all owner trust\nhost all owner 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder} -c fsync=off"
        self._run("pg_ctl", "-D", str(data), "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        """End it at once."""
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "stop")

    def url(self, user: str, password: str = "", database: str = "postgres") -> str:
        """Return its address for a role."""
        return f"postgresql+psycopg://{user}{':' if password else ''}{password}@127.0.0.1:{self.port}/{database}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self._binaries / program), *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=60, cwd=self._folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Serve PostgreSQL with a table, a role that only reads and one that may do anything."""
    binaries = _binaries()
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
