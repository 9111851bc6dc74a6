"""The file of a folder's index: its tables, and connections that several threads and processes use. Blocking."""

import hashlib
import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from services.run.errors import IndexDamaged, StoreUnwritable, disk_error_of
from services.run.log import WARNING, log
from services.run.private_files import make_private_file

INDEXES = "documents"
"""Name of the home's folder of indexes."""
VERSION = 50
"""Part of the index's file name; changes of schema, of what texts are read as, of splitting or tokens need a new version."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, hash TEXT, title TEXT, card TEXT, note TEXT, tables TEXT, error TEXT);
CREATE TABLE IF NOT EXISTS kinds (path TEXT, size INTEGER, mtime INTEGER, is_text INTEGER);
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY, hash TEXT, first INTEGER, last INTEGER, by_words INTEGER);
CREATE INDEX IF NOT EXISTS passages_by_hash ON passages (hash);
CREATE INDEX IF NOT EXISTS files_by_hash ON files (hash);
CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5 (title, body, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (terms, row);
CREATE TABLE IF NOT EXISTS vectors (model TEXT, passage INTEGER, vector BLOB, PRIMARY KEY (model, passage)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sentence_vectors (passage INTEGER, model TEXT, vectors BLOB, PRIMARY KEY (passage, model));
CREATE TABLE IF NOT EXISTS generation (number INTEGER);
INSERT INTO generation SELECT abs(random() % 1000000000) WHERE NOT EXISTS (SELECT 1 FROM generation);
"""


MAX_SEARCHED = 100_000_000
"""Bytes up to which the full-text part of an index is checked when it is opened; a larger one takes seconds."""
_TABLES = (
    r"SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'terms\_%' ESCAPE '\' AND sql IS NOT NULL ORDER BY name"
)

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""SQLite error codes of a file that holds what SQLite has not written."""
WAIT = 60
"""Seconds to wait for another process's lock."""


def check(db: sqlite3.Connection, size: int) -> None:
    """Check that an index is not damaged.

    Raises:
        sqlite3.DatabaseError: it is, with SQLite's code of a damaged file.
    """
    whole = db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    if not whole or dict(db.execute(_TABLES)) != _expected():
        error = sqlite3.DatabaseError("the index is damaged")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    if size <= MAX_SEARCHED:
        db.execute("INSERT INTO terms (terms) VALUES ('integrity-check')")


@cache
def _expected() -> dict[str, str]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        return dict(db.execute(_TABLES))


def folder_key(folder: Path) -> str:
    """Return the key in the names of a folder's stored files. Blocking."""
    return hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]


def remove_index(folder: Path, home: Path) -> None:
    """Remove what is stored of a folder's texts, by this version and by others. Blocking."""
    for file in (home / INDEXES).glob(f"{folder_key(folder)}.*"):
        file.unlink(missing_ok=True)


def generation(db: sqlite3.Connection) -> int:
    """Return the number of changes of the index; cached values are valid as long as it stays the same."""
    return int(db.execute("SELECT number FROM generation").fetchone()[0])


def count_change(db: sqlite3.Connection) -> None:
    """Count a change, which invalidates earlier cached values."""
    db.execute("UPDATE generation SET number = number + 1")


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
            StoreUnwritable: the disk is full or read-only.
        """
        try:
            db, is_new = self._idle.pop(), False
        except IndexError:
            try:
                make_private_file(self.file)
            except OSError as error:
                raise StoreUnwritable(str(self.file), error.strerror) from error
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
            if disk_error_of(error) is not None:
                raise StoreUnwritable(str(self.file), error) from error
            raise
        self._idle.append(db)

    def rows(self, statement: str, *values: object) -> list[Any]:
        """Return what a statement selects."""
        with self.open() as db:
            return db.execute(statement, values).fetchall()

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
        except sqlite3.OperationalError as error:
            if time.monotonic() > until or disk_error_of(error) is not None:
                raise
            time.sleep(0.02)
        else:
            return
