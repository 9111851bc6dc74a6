"""A pool of connections to an SQLite file that several threads and processes use at once."""

import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.run.private_files import make_private_file

WAIT = 60
"""Seconds to wait for another process's lock."""


class Connections:
    """A pool of connections to one file; opening a connection takes longer than most queries."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._idle: list[sqlite3.Connection] = []
        weakref.finalize(self, _close, self._idle)

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; it is not reused after an error."""
        try:
            db = self._idle.pop()
        except IndexError:
            make_private_file(self.file)
            db = sqlite3.connect(self.file, timeout=WAIT, check_same_thread=False)
            _use_wal(db)
            db.execute("PRAGMA synchronous=NORMAL")
        try:
            yield db
        except BaseException:
            db.close()
            raise
        self._idle.append(db)


def _close(connections: list[sqlite3.Connection]) -> None:
    for db in connections:
        db.close()


def _use_wal(db: sqlite3.Connection) -> None:
    """Turn on the write-ahead log. SQLite does not wait for locks here, so a second process that opens the file retries."""
    until = time.monotonic() + WAIT
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
