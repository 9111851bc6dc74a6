"""The tables of a folder's index, and the number that counts its changes."""

import sqlite3
from contextlib import closing
from functools import cache

VERSION = 11
"""Part of the index's file name; changes of schema, splitting or tokens need a new version."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, hash TEXT, title TEXT, published TEXT, card TEXT, note TEXT, error TEXT);
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT, first INTEGER, last INTEGER, by_words INTEGER);
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


def check(db: sqlite3.Connection, size: int) -> None:
    """Check that an index is not damaged.

    Args:
        db: the index.
        size: bytes of its file.

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
    """Return the tables of a new index with their definitions."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        return dict(db.execute(_TABLES))


def generation(db: sqlite3.Connection) -> int:
    """Return the number of changes of the index; cached values are valid as long as it stays the same."""
    return int(db.execute("SELECT number FROM generation").fetchone()[0])


def count_change(db: sqlite3.Connection) -> None:
    """Count a change, which invalidates earlier cached values."""
    db.execute("UPDATE generation SET number = number + 1")
