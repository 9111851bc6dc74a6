"""Aegra as docs/server.md has it, on one machine: PostgreSQL, Redis, a process for the API, and workers."""

import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values

from tests.conftest import PROJECT
from tests.fakes.http import free_port
from tests.fakes.postgres import PostgresServer
from tests.server.conftest import NOTES, USERS

AEGRA = PROJECT / ".venv-aegra"
PAPERS = ("kelvin-sounding-machine.md", "william-thomson-lord-kelvin.md", "arming-the-lead.md")
PATIENCE = 360
"""Seconds for a process to come up on a busy machine."""


class Cluster:
    """The processes, and where they keep what; the settings are those of `deploy/env.example`, save addresses and times."""

    def __init__(self, folder: Path, postgres: PostgresServer, endpoint: Mapping[str, str]) -> None:
        self.folder = folder
        self._postgres = postgres
        self._redis_port = free_port()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        documents = folder / "papers"
        documents.mkdir()
        for name in PAPERS:
            shutil.copy(PROJECT / "examples" / "deep-sea" / name, documents)
        for user, note in NOTES.items():
            (folder / "users" / user).mkdir(parents=True)
            (folder / "users" / user / "note.md").write_text(note)
        (folder / "threads").mkdir()
        example = {name: value or "" for name, value in dotenv_values(PROJECT / "deploy" / "env.example").items()}
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("OPENAI_", "TAVILY_", "LEADLINE_", "VIRTUAL_ENV"))
        }
        self._environment = {
            **kept,
            **example,
            "DATABASE_URL": postgres.url("owner"),
            "REDIS_URL": f"redis://127.0.0.1:{self._redis_port}/0",
            "AEGRA_CONFIG": str(PROJECT / "deploy" / "aegra.json"),
            "REAPER_INTERVAL_SECONDS": "2",
            "WORKER_DRAIN_TIMEOUT": "2",
            "LEADLINE_TOKENS": "",
            "LEADLINE_DOCS": str(documents),
            "LEADLINE_USER_DOCS": str(folder / "users"),
            "LEADLINE_EMBEDDINGS_MODEL": "none",
            **endpoint,
        }
        self.address = ""
        self.guarded = ""
        """Address of a process for the API that wants tokens."""

    def start(self, workers: int) -> None:
        """Start everything, and wait until it answers."""
        subprocess_log = (self.folder / "redis.log").open("ab")
        with subprocess_log:
            self._processes["redis"] = subprocess.Popen(
                ["redis-server", "--port", str(self._redis_port), "--bind", "127.0.0.1", "--save", "", "--dir", self.folder],
                stdout=subprocess_log,
            )  # fmt: skip
        self.address = self._serve("api", WORKER_COUNT="0")
        self.answers("api", self.address)  # the first makes the tables
        names = [f"worker-{number}" for number in range(1, workers + 1)]
        self.guarded = self._serve("guarded", WORKER_COUNT="0", LEADLINE_TOKENS=USERS)
        started = {name: self._serve(name, WORKER_COUNT="1") for name in names}
        for name, address in {"guarded": self.guarded, **started}.items():
            self.answers(name, address)

    def kill(self, name: str) -> None:
        """End a process as a machine that fails ends it."""
        process = self._processes[name]
        process.send_signal(signal.SIGKILL)
        process.wait()

    def pid(self, name: str) -> int:
        """Return a process's id, which Aegra makes part of the worker's name."""
        return self._processes[name].pid

    def log(self, name: str) -> str:
        """Return what a process said."""
        return (self.folder / f"{name}.log").read_text()

    def stop(self) -> None:
        """End all of it."""
        for process in reversed(self._processes.values()):
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Ask the cluster's database."""
        import psycopg

        with psycopg.connect(self._postgres.url("owner").replace("+psycopg", "")) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def _serve(self, name: str, **own: str) -> str:
        """Start a process, with a home of its own as it would have on a machine of its own; attachments are in a shared folder."""
        home = self.folder / name
        home.mkdir()
        (home / "threads").symlink_to(self.folder / "threads")
        port = free_port()
        command = [str(AEGRA / "bin" / "python"), "-m", "uvicorn", "aegra_api.main:app", "--host", "127.0.0.1"]
        with (self.folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [*command, "--port", str(port)],
                cwd=home,
                env={**self._environment, "LEADLINE_HOME": str(home), **own},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        return f"http://127.0.0.1:{port}"

    def answers(self, name: str, address: str) -> None:
        """Wait until a process answers.

        Raises:
            AssertionError: it ended, or did not come up.
        """
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self._processes[name].poll() is None, self.log(name)[-3000:]
            try:
                with urllib.request.urlopen(f"{address}/ready", timeout=5):  # noqa: S310 - the address is our own
                    return
            except OSError:
                time.sleep(0.2)
        raise AssertionError(f"{name} did not come up: {self.log(name)[-3000:]}")
