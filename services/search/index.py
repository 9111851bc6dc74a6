"""The index of one documents folder: SQLite with full-text search over words and CJK bigrams.

Several processes may use one index at once. Blocking; callers run it in a thread.
"""

import hashlib
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from services.evidence.passages import split
from services.evidence.store import content_hash, normalise_text
from services.search.convert import Converted
from services.search.hit import Found, Hit
from services.search.tokens import tokens

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, hash TEXT, title TEXT, published TEXT, error TEXT);
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY, hash TEXT, first INTEGER, last INTEGER);
CREATE INDEX IF NOT EXISTS passages_by_hash ON passages (hash);
CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5 (title, body, tokenize = "unicode61 remove_diacritics 0");
"""
VERSION = 2
"""Part of the index's file name: a change of the schema, the splitting or the tokens needs a new one."""
_SEARCH = (
    "SELECT passages.hash, first, last FROM terms JOIN passages ON passages.id = terms.rowid "
    "WHERE terms MATCH ? ORDER BY bm25(terms, 2.0, 1.0), passages.hash, first LIMIT ?"
)
"""Words of titles and headings count twice."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What is known of a file before it is read."""

    path: str
    """Relative to the folder, with forward slashes."""
    size: int
    mtime: int
    """Nanoseconds."""


class FolderIndex:
    """Passages of one folder."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
        self._file = home / "documents" / f"{name}.v{VERSION}.sqlite"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as db, db:
            db.executescript(_SCHEMA)

    def stale(self, present: Iterable[FileState]) -> list[FileState]:
        """Forget files that are gone, and return those that are new or changed."""
        with closing(self._open()) as db, db:
            known = {path: (size, mtime) for path, size, mtime in db.execute("SELECT path, size, mtime FROM files")}
            here = {one.path: one for one in present}
            gone = [(path,) for path in known if path not in here]
            if gone:
                db.executemany("DELETE FROM files WHERE path = ?", gone)
                self._forget_orphans(db)
        return [one for one in here.values() if known.get(one.path) != (one.size, one.mtime)]

    def add(self, state: FileState, converted: Converted) -> None:
        """Take in one converted file, or remember why it could not be."""
        with closing(self._open()) as db, db:
            db.execute("BEGIN IMMEDIATE")
            row: tuple[object, ...]
            if "error" in converted:
                row = (state.path, state.size, state.mtime, None, "", None, converted["error"])
            else:
                key = self._add_text(db, converted["title"], normalise_text(converted["text"]))
                row = (state.path, state.size, state.mtime, key, converted["title"], converted["published"], None)
            db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            self._forget_orphans(db)

    def skipped(self) -> list[tuple[str, str]]:
        """Return the files that could not be read, with the reason."""
        with closing(self._open()) as db:
            return list(db.execute("SELECT path, error FROM files WHERE error IS NOT NULL ORDER BY path"))

    def count(self) -> int:
        """Return how many files can be searched."""
        with closing(self._open()) as db:
            return int(db.execute("SELECT count(*) FROM files WHERE hash IS NOT NULL").fetchone()[0])

    def search(self, query: str, limit: int) -> list[Hit]:
        """Return the sources of the best passages by BM25, best first."""
        terms = list(dict.fromkeys(tokens(query)))
        if not terms:
            return []
        match = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        with closing(self._open()) as db:
            rows = db.execute(_SEARCH, (match, limit)).fetchall()
            found: dict[str, list[Found]] = {}
            for key, first, last in rows:
                found.setdefault(key, []).append(Found(start=first, end=last))
            return [self._hit(db, key, places) for key, places in found.items()]

    def titles(self) -> list[tuple[str, str]]:
        """Return (hash, title) of every source, for finding sources that a text names."""
        with closing(self._open()) as db:
            return list(
                db.execute("SELECT hash, min(title) FROM files WHERE hash IS NOT NULL GROUP BY hash ORDER BY hash")
            )

    def hit(self, key: str) -> Hit:
        """Return a source with its first passage."""
        with closing(self._open()) as db:
            first = db.execute(
                "SELECT first, last FROM passages WHERE hash = ? ORDER BY first LIMIT 1", (key,)
            ).fetchone()
            return self._hit(db, key, [Found(start=first[0], end=first[1])])

    def _hit(self, db: sqlite3.Connection, key: str, places: list[Found]) -> Hit:
        (text,) = db.execute("SELECT text FROM texts WHERE hash = ?", (key,)).fetchone()
        path, title, published = db.execute(
            "SELECT path, title, published FROM files WHERE hash = ? ORDER BY path LIMIT 1", (key,)
        ).fetchone()
        return Hit(
            url=f"{self.folder.name}/{path}",
            title=title,
            kind="document",
            text=text,
            published=published,
            passages=places,
        )

    def _add_text(self, db: sqlite3.Connection, title: str, text: str) -> str:
        key = content_hash(text)
        if db.execute("SELECT 1 FROM texts WHERE hash = ?", (key,)).fetchone() is None:
            db.execute("INSERT INTO texts VALUES (?, ?)", (key, text))
            for span in split(text):
                place = db.execute(
                    "INSERT INTO passages (hash, first, last) VALUES (?, ?, ?)", (key, span.start, span.end)
                )
                body = " ".join(tokens(text[span.start : span.end]))
                heading = " ".join(tokens(f"{title} {span.heading}"))
                db.execute("INSERT INTO terms (rowid, title, body) VALUES (?, ?, ?)", (place.lastrowid, heading, body))
        return key

    @staticmethod
    def _forget_orphans(db: sqlite3.Connection) -> None:
        orphans = "SELECT hash FROM texts WHERE hash NOT IN (SELECT hash FROM files WHERE hash IS NOT NULL)"
        db.execute(f"DELETE FROM terms WHERE rowid IN (SELECT id FROM passages WHERE hash IN ({orphans}))")  # noqa: S608 - constant text
        db.execute(f"DELETE FROM passages WHERE hash IN ({orphans})")  # noqa: S608 - constant text
        db.execute(f"DELETE FROM texts WHERE hash IN ({orphans})")  # noqa: S608 - constant text

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._file, timeout=60)
        _use_wal(db)
        db.execute("PRAGMA synchronous=NORMAL")
        return db


def _use_wal(db: sqlite3.Connection) -> None:
    """Turn the write-ahead log on. SQLite does not wait for locks here, so a second process opening at once tries again."""
    until = time.monotonic() + 60
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
