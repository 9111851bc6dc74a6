"""The index of one documents folder: SQLite with full-text search over words and CJK bigrams, and vectors beside it.

Several processes may use one index at once. Blocking; callers run it in a thread.
"""

import hashlib
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schemas.clean import clean_line
from services.embedding.vectors import Cache, Matrix
from services.run.evidence_store import content_hash
from services.search.connections import Connections
from services.search.file_types import Converted
from services.search.hit import Found, Hit
from services.search.links import Titles
from services.text.normal_form import normalise_text
from services.text.passages import split
from services.text.tokens import tokens

if TYPE_CHECKING:
    Vectors = NDArray[np.float32]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, hash TEXT, title TEXT, published TEXT, error TEXT);
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT, first INTEGER, last INTEGER);
CREATE INDEX IF NOT EXISTS passages_by_hash ON passages (hash);
CREATE INDEX IF NOT EXISTS files_by_hash ON files (hash);
CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5 (title, body, tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (terms, row);
CREATE TABLE IF NOT EXISTS vectors (model TEXT, passage INTEGER, vector BLOB, PRIMARY KEY (model, passage)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sentence_vectors (passage INTEGER, model TEXT, vectors BLOB, PRIMARY KEY (passage, model));
CREATE TABLE IF NOT EXISTS generation (number INTEGER);
INSERT INTO generation SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM generation);
"""
VERSION = 4
"""Part of the index's file name: a change of the schema, the splitting or the tokens needs a new one."""
_SEARCH = (
    "SELECT terms.rowid, -bm25(terms, 2.0, 1.0) AS score FROM terms JOIN passages ON passages.id = terms.rowid "
    "WHERE terms MATCH ? ORDER BY score DESC, passages.hash, first LIMIT ?"
)
"""Words of titles and headings count twice."""
_K1 = 1.2
"""Of FTS5's BM25."""
_MANY = 500
"""Values that one statement takes."""
_FEW = 50
"""Different words of a language; a folder that holds fewer is not in that language."""
_cache = Cache()


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage that has no vector of a model yet."""

    passage: int
    title: str
    text: str


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
        self.home = home / "documents"
        """Where indexes, and what several of them use, are kept."""
        self._file = self.home / f"{name}.v{VERSION}.sqlite"
        self.home.mkdir(parents=True, exist_ok=True)
        self._open = Connections(self._file).open
        with self._open() as db, db:
            db.executescript(_SCHEMA)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Write much: the log is merged into the file at the end, not after each change."""
        with self._open():
            yield

    def stale(self, present: Iterable[FileState]) -> list[FileState]:
        """Forget files that are gone, and return those that are new or changed."""
        with self._open() as db, db:
            known = {path: (size, mtime) for path, size, mtime in db.execute("SELECT path, size, mtime FROM files")}
            here = {one.path: one for one in present}
            gone = [(path,) for path in known if path not in here]
            if gone:
                db.executemany("DELETE FROM files WHERE path = ?", gone)
                self._forget_orphans(db)
        return [one for one in here.values() if known.get(one.path) != (one.size, one.mtime)]

    def add(self, state: FileState, converted: Converted) -> None:
        """Take in one converted file, or remember why it could not be."""
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")
            row: tuple[object, ...]
            if "error" in converted:
                row = (state.path, state.size, state.mtime, None, "", None, converted["error"])
            else:
                key = self._add_text(db, converted["title"], normalise_text(converted["text"]))
                row = (state.path, state.size, state.mtime, key, converted["title"], converted["published"], None)
            known = db.execute("SELECT hash FROM files WHERE path = ?", (state.path,)).fetchone()
            db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            if known is not None and known[0] is not None:
                self._forget_orphans(db)
            db.execute("UPDATE generation SET number = number + 1")

    def skipped(self) -> list[tuple[str, str]]:
        """Return the files that could not be read, with the reason."""
        with self._open() as db:
            return list(db.execute("SELECT path, error FROM files WHERE error IS NOT NULL ORDER BY path"))

    def count(self) -> int:
        """Return how many files can be searched."""
        with self._open() as db:
            return int(db.execute("SELECT count(*) FROM files WHERE hash IS NOT NULL").fetchone()[0])

    def lexical(self, query: str, limit: int) -> dict[int, float]:
        """Return passages that hold words of a query, best first.

        Returns:
            BM25 by passage id, as a share of what a passage of average length would score that held every word of the query once.
        """
        terms = list(dict.fromkeys(tokens(query)))
        if not terms:
            return {}
        with self._open() as db:
            most = (_K1 + 1) * sum(self._weights(db, terms).values())
            rows = db.execute(_SEARCH, (" OR ".join(map(_quoted, terms)), limit)).fetchall()
        return {passage: score / most for passage, score in rows}

    def weights(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the weight of search terms: the rarer in the folder, the higher."""
        with self._open() as db:
            return self._weights(db, terms)

    @staticmethod
    def _weights(db: sqlite3.Connection, terms: Sequence[str]) -> dict[str, float]:
        holding: dict[str, int] = {}
        for start in range(0, len(terms), _MANY):
            some = terms[start : start + _MANY]
            marks = ",".join("?" * len(some))
            holding |= dict(db.execute(f"SELECT term, doc FROM vocabulary WHERE term IN ({marks})", some))  # noqa: S608 - marks only
        (count,) = db.execute("SELECT count(*) FROM passages").fetchone()
        return {
            term: max(math.log((count - holding.get(term, 0) + 0.5) / (holding.get(term, 0) + 0.5)), 1e-6)
            for term in terms
        }

    def naming(self, title: str) -> int:
        """Return how many passages hold the words of a title one after another."""
        words = tokens(title)
        if not words:
            return 0
        with self._open() as db:
            match = 'body : "' + " ".join(word.replace('"', '""') for word in words) + '"'
            return int(db.execute("SELECT count(*) FROM terms WHERE terms MATCH ?", (match,)).fetchone()[0])

    def holding(self, name: str, terms: Sequence[str], limit: int) -> dict[int, float]:
        """Return passages that hold the words of a name one after another and some of the terms, with BM25, best first.

        Without terms, passages that hold the name.
        """
        words = tokens(name)
        if not words:
            return {}
        phrase = _quoted(" ".join(words))
        match = f"{phrase} AND ({' OR '.join(map(_quoted, terms))})" if terms else phrase
        with self._open() as db:
            return dict(db.execute(_SEARCH, (match, limit)).fetchall())

    def holding_any(self, concepts: Sequence[Sequence[str]], limit: int) -> list[list[int]]:
        """Return for each concept passages that hold one of its phrases, which are search terms with spaces between."""
        with self._open() as db:
            statement = "SELECT rowid FROM terms WHERE terms MATCH ? LIMIT ?"
            matches = [" OR ".join(map(_quoted, phrases)) for phrases in concepts]
            return [[passage for (passage,) in db.execute(statement, (match, limit))] for match in matches]

    def in_another_language(self, chinese: bool) -> bool:
        """Tell whether passages hold English words, for a query that is Chinese, or Chinese ones for another query."""
        first, last = ("a", "zzzz") if chinese else ("\u3400", "\u9fff\u9fff")
        with self._open() as db:
            statement = "SELECT 1 FROM vocabulary WHERE term BETWEEN ? AND ? LIMIT ?"
            return len(db.execute(statement, (first, last, _FEW)).fetchall()) == _FEW

    def cosines(self, model: str, query: "Vectors") -> tuple["NDArray[np.int64]", "Vectors"]:
        """Return the ids of all passages that have a vector of a model, and their cosines with a query's vector."""

        def load() -> Matrix:
            with self._open() as db:
                rows = db.execute("SELECT passage, vector FROM vectors WHERE model = ? ORDER BY passage", (model,))
                return Matrix(rows.fetchall(), len(query))

        matrix: Matrix = _cache.get((str(self._file), model), self._generation(), load)
        return matrix.ids, matrix.cosines(query)

    def sentence_vectors(self, model: str, passages: Sequence[int]) -> dict[int, bytes]:
        """Return the packed vectors of the sentences of passages."""
        with self._open() as db:
            found: dict[int, bytes] = {}
            for start in range(0, len(passages), _MANY):
                some = passages[start : start + _MANY]
                statement = f"SELECT passage, vectors FROM sentence_vectors WHERE model = ? AND passage IN ({','.join('?' * len(some))})"  # noqa: S608 - marks only
                found |= dict(db.execute(statement, (model, *some)))
        return found

    def texts(self, passages: Sequence[int]) -> dict[int, str]:
        """Return the texts of passages, in the order asked for; of those that are gone by now none."""
        statement = "SELECT substr(text, first + 1, last - first) FROM passages JOIN texts ON texts.hash = passages.hash WHERE id = ?"
        with self._open() as db:
            rows = ((passage, db.execute(statement, (passage,)).fetchone()) for passage in passages)
            return {passage: row[0] for passage, row in rows if row is not None}

    def passages(self) -> int:
        """Return how many passages there are."""
        with self._open() as db:
            return int(db.execute("SELECT count(*) FROM passages").fetchone()[0])

    def unembedded(self, model: str, batch: int) -> Iterator[list[Unembedded]]:
        """Return the passages that have no vector of a model, in batches."""
        last = 0
        while True:
            with self._open() as db:
                rows = db.execute(
                    "SELECT id, (SELECT title FROM files WHERE files.hash = passages.hash ORDER BY path LIMIT 1), "
                    "substr(text, first + 1, last - first) FROM passages JOIN texts ON texts.hash = passages.hash "
                    "WHERE id > ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE model = ? AND passage = id) "
                    "ORDER BY id LIMIT ?",
                    (last, model, batch),
                ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield [Unembedded(passage, title or "", text) for passage, title, text in rows]

    def add_vectors(self, model: str, vectors: Mapping[int, bytes], sentences: Mapping[int, bytes]) -> None:
        """Take in packed vectors of passages and of their sentences; passages that are gone by now are left out.

        Vectors of other versions of the model are forgotten.
        """
        family = model.rpartition(" ")[0] + " "
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")
            older = (len(family), family, model)
            db.execute("DELETE FROM vectors WHERE substr(model, 1, ?) = ? AND model != ?", older)
            db.execute("DELETE FROM sentence_vectors WHERE substr(model, 1, ?) = ? AND model != ?", older)
            here = "SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM passages WHERE id = ?)"
            db.executemany(
                f"INSERT OR REPLACE INTO vectors (model, passage, vector) {here}",
                [(model, passage, data, passage) for passage, data in vectors.items()],
            )
            db.executemany(
                f"INSERT OR REPLACE INTO sentence_vectors (model, passage, vectors) {here}",
                [(model, passage, data, passage) for passage, data in sentences.items()],
            )
            db.execute("UPDATE generation SET number = number + 1")

    def hits(self, passages: Mapping[int, float]) -> list[Hit]:
        """Return the sources of passages with their scores, in the order of their first passage, with their passages in order."""
        with self._open() as db:
            found: dict[str, list[Found]] = {}
            best: dict[str, float] = {}
            for passage, score in passages.items():
                row = db.execute("SELECT hash, first, last FROM passages WHERE id = ?", (passage,)).fetchone()
                if row is not None:  # another process may have forgotten it
                    found.setdefault(row[0], []).append(Found(start=row[1], end=row[2]))
                    best.setdefault(row[0], score)
            hits = ((key, self._hit(db, key, places)) for key, places in found.items())
            return [hit.model_copy(update={"score": best[key]}) for key, hit in hits if hit is not None]

    def titles(self) -> Titles:
        """Return the titles of all sources, for finding sources that a text names."""

        def load() -> Titles:
            with self._open() as db:
                return Titles(
                    db.execute("SELECT hash, min(title) FROM files WHERE hash IS NOT NULL GROUP BY hash ORDER BY hash")
                )

        titles: Titles = _cache.get((str(self._file), ""), self._generation(), load)
        return titles

    def hit(self, key: str) -> Hit | None:
        """Return a source with all of its passages, in the order of the text."""
        with self._open() as db:
            rows = db.execute("SELECT first, last FROM passages WHERE hash = ? ORDER BY first", (key,)).fetchall()
            return self._hit(db, key, [Found(start=first, end=last) for first, last in rows])

    def at(self, path: str) -> Hit | None:
        """Return the source that a file below the folder holds now."""
        with self._open() as db:
            row = db.execute("SELECT hash FROM files WHERE path = ?", (path,)).fetchone()
            if row is None:  # an address shows a path without its control characters
                everything = db.execute("SELECT hash, path FROM files ORDER BY path")
                row = next((file for file in everything if clean_line(file[1]) == path), None)
            return self._hit(db, row[0], []) if row is not None and row[0] else None

    def _generation(self) -> int:
        with self._open() as db:
            return int(db.execute("SELECT number FROM generation").fetchone()[0])

    def _hit(self, db: sqlite3.Connection, key: str, places: list[Found]) -> Hit | None:
        row = db.execute(
            "SELECT text, path, title, published FROM texts JOIN files ON files.hash = texts.hash "
            "WHERE texts.hash = ? ORDER BY path LIMIT 1",
            (key,),
        ).fetchone()
        if row is None:
            return None
        text, path, title, published = row
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
        gone = f"SELECT id FROM passages WHERE hash IN ({orphans})"  # noqa: S608 - constant text
        db.execute(f"DELETE FROM terms WHERE rowid IN ({gone})")  # noqa: S608 - constant text
        db.execute(f"DELETE FROM vectors WHERE passage IN ({gone})")  # noqa: S608 - constant text
        db.execute(f"DELETE FROM sentence_vectors WHERE passage IN ({gone})")  # noqa: S608 - constant text
        db.execute(f"DELETE FROM passages WHERE hash IN ({orphans})")  # noqa: S608 - constant text
        db.execute(f"DELETE FROM texts WHERE hash IN ({orphans})")  # noqa: S608 - constant text
        db.execute("UPDATE generation SET number = number + 1")


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
