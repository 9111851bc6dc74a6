"""The tables of a folder's index, and the number that counts its changes."""

import sqlite3

VERSION = 8
"""Part of the index's file name; changes of schema, splitting or tokens need a new version."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, hash TEXT, title TEXT, published TEXT, card TEXT, error TEXT);
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


def generation(db: sqlite3.Connection) -> int:
    """Return the number of changes of the index; cached values are valid as long as it stays the same."""
    return int(db.execute("SELECT number FROM generation").fetchone()[0])


def count_change(db: sqlite3.Connection) -> None:
    """Count a change, which invalidates earlier cached values."""
    db.execute("UPDATE generation SET number = number + 1")
