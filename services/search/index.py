"""The index of one documents folder: SQLite full-text search over words and CJK bigrams, with vectors.

Several processes may use one index at once. Blocking; callers run it in a thread.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from schemas.card import Card
from schemas.clean_text import clean_line
from services.embedding.vectors import Cache
from services.run.errors import StoreUnwritable
from services.run.evidence_store import file_hash
from services.run.installation import ocr_installed
from services.run.private_files import make_private_folder
from services.search.files.file_types import BEYOND_LIMITS, Converted, FileState, PassageTerms, passage_terms
from services.search.files.table_profile import Profiled
from services.search.hit import Hit, HitPassage
from services.search.index_file import (
    INDEXES,
    SCHEMA,
    VERSION,
    Connections,
    check,
    count_change,
    folder_key,
    generation,
)
from services.search.index_vectors import PassageVectors
from services.search.index_words import PassageWords
from services.search.links import Titles, path_names
from services.text.normal_form import normalise_text

_titles = Cache[Titles]()
_path_names = Cache[dict[str, str]]()
_TABLES = TypeAdapter(list[Profiled])
_checked: set[str] = set()
"""Files of indexes that this process has found undamaged."""


class TimeOver(Exception):
    """A text was not taken in, since nobody waits for it any more."""


MOST_PASSAGES = 1 << 18
"""Ids that the passages of one text have for themselves."""
MAX_ID = 1 << 62


class FolderIndex:
    """Passages of one folder.

    Every method raises `IndexDamaged` if the file is damaged; it is then removed, and another instance makes it anew. Every
    method raises `StoreUnwritable` if the disk is full or read-only.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        try:
            self.home = make_private_folder(home, INDEXES)
            """Folder of indexes and their common files."""
        except OSError as error:
            raise StoreUnwritable(str(home / INDEXES), error.strerror) from error
        read = "-ocr" if ocr_installed() else ""  # indexes built without image text are separate
        connections = Connections(self.home / f"{folder_key(folder)}.v{VERSION}{read}.sqlite")
        self._file = str(connections.file)
        self._open, self._rows = connections.open, connections.rows
        self.words = PassageWords(connections)
        self.vectors = PassageVectors(connections)
        self._removed = connections.removed
        with self._open() as db, db:
            db.executescript(SCHEMA)
            if self._file not in _checked:
                check(db, connections.file.stat().st_size)
                _checked.add(self._file)

    def stale(self, present: Iterable[FileState], valid_reasons: Container[str]) -> list[FileState]:
        """Remove deleted files from the index, and return new or changed ones.

        Files that other limits than today's ruled out are new, too.
        """
        with self._open() as db, db:
            rows = db.execute("SELECT path, size, mtime, error FROM files").fetchall()
            known = {
                path: (size, mtime)
                for path, size, mtime, error in rows
                if not (error or "").startswith(BEYOND_LIMITS) or error in valid_reasons
            }
            here = {state.path: state for state in present}
            gone = [(path,) for path, *_ in rows if path not in here]
            if gone:
                db.executemany("DELETE FROM files WHERE path = ?", gone)
                self._forget_orphans(db)
        return [state for state in here.values() if known.get(state.path) != (state.size, state.mtime)]

    def add(self, state: FileState, converted: Converted, is_over: Callable[[], bool] = lambda: False) -> None:
        """Add one converted file, or record the reason of its failure.

        `is_over` tells that nobody waits any more: a text of 50 MB takes a minute, and a thread cannot be ended from
        outside.

        Raises:
            TimeOver: nobody waits any more; the index is as before.
        """
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")
            row: tuple[object, ...]
            if "error" in converted:
                row = (state.path, state.size, state.mtime, None, "", "", "", "[]", converted["error"])
            else:
                text = normalise_text(converted["text"])
                key = self._add_text(db, converted["title"], text, converted.get("passages"), is_over)
                card = Card.model_validate(converted.get("card", {})).model_dump_json(exclude_defaults=True)
                about = (converted["title"], card, converted.get("note", ""))
                tables = json.dumps(converted.get("tables", []))
                row = (state.path, state.size, state.mtime, key, *about, tables, None)
            known = db.execute("SELECT hash FROM files WHERE path = ?", (state.path,)).fetchone()
            db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            if known is not None and known[0] is not None:
                self._forget_orphans(db)
            count_change(db)

    def kinds(self) -> dict[FileState, bool]:
        """Return the files whose names do not tell their kind, with whether they begin as text."""
        rows = self._rows("SELECT path, size, mtime, is_text FROM kinds")
        return {FileState(*state): bool(is_text) for *state, is_text in rows}

    def remember(self, kinds: Mapping[FileState, bool]) -> None:
        """Remember what `kinds` returns from now on."""
        rows = [(state.path, state.size, state.mtime, is_text) for state, is_text in kinds.items()]
        with self._open() as db, db:
            db.execute("DELETE FROM kinds")
            db.executemany("INSERT INTO kinds VALUES (?, ?, ?, ?)", rows)

    def skipped(self) -> list[tuple[str, str]]:
        """Return the unreadable files with the reason."""
        return self._rows("SELECT path, error FROM files WHERE error IS NOT NULL ORDER BY path")

    def notes(self) -> dict[str, list[str]]:
        """Return the paths of files by the note on how they were read (see `Converted.note`), sorted."""
        by_note: dict[str, list[str]] = {}
        for path, note in self._rows("SELECT path, note FROM files WHERE note != '' ORDER BY path"):
            by_note.setdefault(note, []).append(path)
        return by_note

    def tables(self) -> dict[str, list[Profiled]]:
        """Return the profiled tables of files, by path."""
        rows = self._rows("SELECT path, tables FROM files WHERE tables != '[]'")
        return {path: _TABLES.validate_json(tables) for path, tables in rows}

    def listing(self) -> list[tuple[str, str]]:
        """Return path and title of each searchable file, by path."""
        return self._rows("SELECT path, title FROM files WHERE error IS NULL ORDER BY path")

    def characters(self) -> int:
        """Return the number of characters of all texts together."""
        [(characters,)] = self._rows("SELECT sum(length) FROM (SELECT max(last) AS length FROM passages GROUP BY hash)")
        return characters or 0

    def documents(self, characters: int) -> list[tuple[str, str, str, str]]:
        """Return path, title, card as JSON, and first characters of each searchable file, by path."""
        statement = "SELECT path, title, card, substr(text, 1, ?) FROM files JOIN texts USING (hash) ORDER BY path"
        return self._rows(statement, characters)

    def count(self) -> int:
        """Return the number of searchable files."""
        return int(self._rows("SELECT count(*) FROM files WHERE hash IS NOT NULL")[0][0])

    def beginnings(self, limit: int) -> dict[int, float]:
        """Return the first passage of each document, by path, with falling scores."""
        statement = (
            "SELECT min(passages.id) FROM passages JOIN files ON files.hash = passages.hash "
            "GROUP BY passages.hash ORDER BY min(files.path) LIMIT ?"
        )
        rows = self._rows(statement, limit)
        return {passage: 1 / (1 + place) for place, (passage,) in enumerate(rows)}

    def texts(self, passages: Sequence[int]) -> dict[int, str]:
        """Return the texts of passages in the given order, without deleted passages."""
        statement = "SELECT substr(text, first + 1, last - first) FROM passages JOIN texts ON texts.hash = passages.hash WHERE id = ?"
        with self._open() as db:
            rows = ((passage, db.execute(statement, (passage,)).fetchone()) for passage in passages)
            return {passage: row[0] for passage, row in rows if row is not None}

    def passages(self) -> int:
        """Return the number of passages that have a meaning: all but further rows of long tables, which only words find."""
        return int(self._rows("SELECT count(*) FROM passages WHERE NOT by_words")[0][0])

    def hits(self, passages: Mapping[int, float]) -> list[Hit]:
        """Return the sources of passages with their scores, by their first passage, with their passages in order."""
        with self._open() as db:
            by_source: dict[str, list[HitPassage]] = {}
            best: dict[str, float] = {}
            for passage, score in passages.items():  # another process may have deleted one
                for key, first, last in db.execute("SELECT hash, first, last FROM passages WHERE id = ?", (passage,)):
                    by_source.setdefault(key, []).append(HitPassage(start=first, end=last))
                    best.setdefault(key, score)
            hits = ((key, self._hit(db, key, places)) for key, places in by_source.items())
            return [hit.model_copy(update={"score": best[key]}) for key, hit in hits if hit is not None]

    def titles(self) -> Titles:
        """Return the titles of all sources, to find the sources that a text names."""
        with self._open() as db:
            current, names = generation(db), self._names(db)

        def load() -> Titles:
            rows = self._rows(
                "SELECT hash, title, min(path), card FROM files WHERE hash IS NOT NULL GROUP BY hash ORDER BY hash"
            )
            cards = [(key, title, path, Card.model_validate_json(card)) for key, title, path, card in rows]
            by_path = [(key, names[path]) for key, _, path, card in cards if path in names and not card.name]
            return Titles(
                [*((key, card.title or title) for key, title, _, card in cards), *by_path],
                ((key, card.name) for key, _, _, card in cards if card.name),
            )

        return _titles.get((self._file,), current, load)

    def _names(self, db: sqlite3.Connection) -> dict[str, str]:
        """Return names for the first paths of the texts whose titles others have, too."""

        def load() -> dict[str, str]:
            by_title: dict[str, list[str]] = {}
            for title, path in db.execute(
                "SELECT title, min(path) FROM files WHERE hash IS NOT NULL GROUP BY hash ORDER BY hash"
            ):
                by_title.setdefault(title, []).append(path)
            named = (path_names(paths) for paths in by_title.values() if len(paths) > 1)
            return {path: name for names in named for path, name in names.items()}

        return _path_names.get((self._file,), generation(db), load)

    def hit(self, key: str) -> Hit | None:
        """Return a source with all of its passages, in the order of the text."""
        with self._open() as db:
            rows = db.execute("SELECT first, last FROM passages WHERE hash = ? ORDER BY first", (key,)).fetchall()
            return self._hit(db, key, [HitPassage(start=first, end=last) for first, last in rows])

    def at(self, path: str) -> Hit | None:
        """Return the present source of a file below the folder."""
        with self._open() as db:
            row = db.execute("SELECT hash FROM files WHERE path = ?", (path,)).fetchone()
            if row is None:  # an address holds a path without its control characters
                everything = db.execute("SELECT hash, path FROM files ORDER BY path")
                row = next((file for file in everything if clean_line(file[1]) == path), None)
            return self._hit(db, row[0], []) if row is not None and row[0] else None

    def _hit(self, db: sqlite3.Connection, key: str, places: list[HitPassage]) -> Hit | None:
        row = db.execute(
            "SELECT text, path, title, card FROM texts JOIN files ON files.hash = texts.hash "
            "WHERE texts.hash = ? ORDER BY path LIMIT 1",
            (key,),
        ).fetchone()
        if row is None:
            return None
        text, path, title, card = row
        copies = db.execute("SELECT path FROM files WHERE hash = ? ORDER BY path LIMIT 50 OFFSET 1", (key,))
        if hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() != key:
            raise self._removed()
        about = Card.model_validate_json(card)
        if not about.name and (name := self._names(db).get(path)):  # `Minutes` in a hundred files
            about = about.model_copy(update={"name": name})
            title = about.heading or title
        return Hit(
            url=f"{self.folder.name}/{path}",
            also_at=[f"{self.folder.name}/{other}" for (other,) in copies],
            title=title,
            kind="document",
            text=text,
            card=about,
            passages=places,
        )

    def _add_text(
        self,
        db: sqlite3.Connection,
        title: str,
        text: str,
        passages: Iterable[PassageTerms] | None,
        is_over: Callable[[], bool],
    ) -> str:
        key = file_hash(text.encode())
        if db.execute("SELECT 1 FROM texts WHERE hash = ?", (key,)).fetchone() is None:
            db.execute("INSERT INTO texts VALUES (?, ?)", (key, text))
            first = _first_id(db, key)
            for number, passage in enumerate(passage_terms(title, text) if passages is None else passages, first):
                if is_over():
                    raise TimeOver
                db.execute("INSERT INTO passages VALUES (?, ?, ?, ?, ?)", (number, key, *passage[:3]))
                db.execute("INSERT INTO terms (rowid, title, body) VALUES (?, ?, ?)", (number, *passage[3:]))
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
        count_change(db)


def _first_id(db: sqlite3.Connection, key: str) -> int:
    """Return the id of a text's first passage, by its hash: the same however many files were read before it, as equal scores go by ids."""
    first = int(key[:11], 16) * MOST_PASSAGES
    while db.execute("SELECT 1 FROM passages WHERE id BETWEEN ? AND ?", (first, first + MOST_PASSAGES - 1)).fetchone():
        first = (first + MOST_PASSAGES) % MAX_ID
    return first
