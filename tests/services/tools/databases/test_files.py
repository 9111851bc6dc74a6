"""Files that are broken, in use by another program, or hold tables of a special kind."""

from pathlib import Path

import pytest

from services.run.errors import DatabaseError
from services.tools.databases import query, statement
from services.tools.databases.configuration import database
from tests.services.tools.databases.conftest import Configure


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4000, b""])
async def test_a_file_that_is_no_database_is_an_error_and_no_crash(
    content: bytes, tmp_path: Path, configure: Configure
) -> None:
    path = tmp_path / "broken.db"
    path.write_bytes(content)
    configure(f"primary=sqlite:///{path}")
    with pytest.raises(DatabaseError):
        await query.ask_rows(database("primary"), "SELECT * FROM soundings", {}, 5, 10.0)
    assert path.read_bytes() == content


async def test_a_file_that_another_program_writes_to_is_read_as_it_was_last_committed(
    configure: Configure, sqlite_url: str
) -> None:
    import sqlite3

    configure(f"primary={sqlite_url}")
    writer = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    try:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO soundings VALUES ('Meteor', 1925, 1)")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM soundings")
        rows = await query.ask_rows(database("primary"), "SELECT count(*) FROM soundings", {}, 5, 10.0)
    finally:
        writer.close()
    assert rows.rows == [["4"]]


async def test_full_text_and_json_tables_of_sqlite_can_be_read(configure: Configure, sqlite_url: str) -> None:
    import sqlite3

    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        connection.execute("CREATE VIRTUAL TABLE notes USING fts5(body)")
        connection.execute("INSERT INTO notes VALUES ('tallow on the lead')")
    connection.close()
    configure(f"primary={sqlite_url}")
    for text in (
        "SELECT body FROM notes WHERE notes MATCH 'tallow'",
        "SELECT value FROM json_each('[\"tallow on the lead\"]')",
    ):
        sql = statement.checked(text, (), "sqlite").sql
        rows = await query.ask_rows(database("primary"), sql, {}, 5, 10.0)
        assert rows.rows == [["tallow on the lead"]]
