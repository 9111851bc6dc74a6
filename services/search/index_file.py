"""The file of a folder's index: its tables, connections that several threads and processes use, and the vectors of passages. Blocking."""

import json
import sqlite3
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from services.embedding.vectors import Cache, Matrix, Vectors
from services.run.errors import IndexDamaged
from services.run.log import WARNING, log
from services.run.private_files import make_private_file

VERSION = 47
"""Part of the index's file name; changes of schema, of what texts are read as, of splitting or tokens need a new version."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, hash TEXT, title TEXT, published TEXT, card TEXT, note TEXT, tables TEXT, error TEXT);
CREATE TABLE IF NOT EXISTS kinds (path TEXT, size INTEGER, mtime INTEGER, is_text INTEGER);
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY, hash TEXT, first INTEGER, last INTEGER, by_words INTEGER);
CREATE INDEX IF NOT EXISTS passages_by_hash ON passages (hash);
CREATE INDEX IF NOT EXISTS files_by_hash ON files (hash);
CREATE INDEX IF NOT EXISTS files_by_title ON files (title);
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


_matrices = Cache[Matrix]()
_ALL = "SELECT passage, vector FROM vectors WHERE model = ? ORDER BY passage"
_SOME = (
    "SELECT passage, vector FROM vectors "
    "WHERE model = ? AND passage IN (SELECT value FROM json_each(?)) ORDER BY passage"
)
_UNEMBEDDED = (
    "SELECT id, coalesce((SELECT title FROM files WHERE files.hash = passages.hash ORDER BY path LIMIT 1), ''), "
    "substr(text, first + 1, last - first) FROM passages JOIN texts ON texts.hash = passages.hash "
    "WHERE NOT by_words AND NOT EXISTS (SELECT 1 FROM vectors WHERE model = ? AND passage = id) AND "
)
_FURTHER = _UNEMBEDDED + "id > ? ORDER BY id LIMIT ?"
_CHOSEN = _UNEMBEDDED + "id IN (SELECT value FROM json_each(?)) ORDER BY id"  # noqa: S608 - constant text


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage without a vector of a model."""

    passage: int
    title: str
    text: str


class PassageVectors:
    """Vectors stored in an index's file."""

    def __init__(self, connections: Connections) -> None:
        self._file = str(connections.file)
        self._open = connections.open

    def cosines(
        self, model: str, query: Vectors, among: Sequence[int] | None = None
    ) -> tuple[NDArray[np.int64], Vectors]:
        """Return the ids of passages with a vector of a model, all or those `among` them, and their cosines with a query's vector."""

        def load() -> Matrix:
            with self._open() as db:
                return Matrix(db.execute(_ALL, (model,)).fetchall(), len(query))

        with self._open() as db:
            if among is None:
                matrix = _matrices.get((self._file, model), generation(db), load)
            else:
                matrix = Matrix(db.execute(_SOME, (model, json.dumps(among))).fetchall(), len(query))
        return matrix.ids, matrix.cosines(query)

    def of_sentences(self, model: str, passages: Sequence[int]) -> dict[int, bytes]:
        """Return the packed vectors of the passages' sentences."""
        statement = (
            "SELECT passage, vectors FROM sentence_vectors "
            "WHERE model = ? AND passage IN (SELECT value FROM json_each(?))"
        )
        with self._open() as db:
            return dict(db.execute(statement, (model, json.dumps(passages))))

    def count(self, model: str) -> int:
        """Return the number of passages with a vector of a model."""
        with self._open() as db:
            return int(db.execute("SELECT count(*) FROM vectors WHERE model = ?", (model,)).fetchone()[0])

    def missing_among(self, model: str, passages: Sequence[int]) -> list[Unembedded]:
        """Return those of some passages that have no vector of a model."""
        with self._open() as db:
            return [Unembedded(*row) for row in db.execute(_CHOSEN, (model, json.dumps(passages)))]

    def missing(self, model: str, batch: int) -> Iterator[list[Unembedded]]:
        """Return the passages without a vector of a model, in batches."""
        last = 0
        while True:
            with self._open() as db:
                rows = db.execute(_FURTHER, (model, last, batch)).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield [Unembedded(*row) for row in rows]

    def add(self, model: str, vectors: Mapping[int, bytes], sentences: Mapping[int, bytes]) -> None:
        """Take in packed vectors of passages and of their sentences; passages that are gone by now are left out.

        Vectors of other versions of the model are forgotten.
        """
        family = model.rpartition(" ")[0] + " "
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")
            older = (len(family), family, model)
            db.execute("DELETE FROM vectors WHERE substr(model, 1, ?) = ? AND model != ?", older)
            db.execute("DELETE FROM sentence_vectors WHERE substr(model, 1, ?) = ? AND model != ?", older)
            if_present = "SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM passages WHERE id = ?)"
            db.executemany(
                f"INSERT OR REPLACE INTO vectors (model, passage, vector) {if_present}",
                [(model, passage, data, passage) for passage, data in vectors.items()],
            )
            db.executemany(
                f"INSERT OR REPLACE INTO sentence_vectors (model, passage, vectors) {if_present}",
                [(model, passage, data, passage) for passage, data in sentences.items()],
            )
            count_change(db)
