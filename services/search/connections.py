"""A pool of connections to an SQLite file that several threads and processes use at once."""

import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.run.errors import IndexDamaged
from services.run.log import WARNING, log
from services.run.private_files import make_private_file

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""SQLite error codes of a file that holds what SQLite has not written."""
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
        """Lend a connection; it is not reused after an error.

        Raises:
            IndexDamaged: the file is damaged; it is removed.
        """
        try:
            db, is_new = self._idle.pop(), False
        except IndexError:
            make_private_file(self.file)
            db, is_new = sqlite3.connect(self.file, timeout=WAIT, check_same_thread=False), True
        try:
            if is_new:
                _use_wal(db)
                db.execute("PRAGMA synchronous=NORMAL")
            yield db
        except BaseException as error:
            db.close()
            if isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE:
                raise self.removed() from error
            raise
        self._idle.append(db)

    def removed(self) -> IndexDamaged:
        """Remove the damaged file, and return the error that says so. Other processes keep the file that they have open."""
        _close(self._idle)
        self._idle.clear()
        for ending in ("", "-wal", "-shm"):
            self.file.with_name(f"{self.file.name}{ending}").unlink(missing_ok=True)
        log("index_removed", WARNING, file=self.file.name)
        return IndexDamaged("The index of the documents was damaged and has been removed. Ask again to rebuild it.")


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
