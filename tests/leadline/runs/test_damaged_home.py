"""Damaged files of the home: caches are made anew, and files with users' work are named and left as they are."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from leadline import aresearch, research
from leadline.runs.persistence import checkpointer, store
from schemas.events import Event
from services.embedding.dictionary import dictionary_in
from services.run.errors import StoreDamaged
from services.run.evidence_store import EvidenceStore
from services.run.settings import settings
from services.search import index
from services.search.documents import open_documents
from tests.leadline.conftest import Leadline

pytestmark = pytest.mark.long
QUESTION = "Where was the designer of the wire sounding machine born?"
Damage = Callable[[Path], object]


@pytest.fixture
def home(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a finished run, which the first test makes and every other copies."""
    home, kept = settings().leadline_home, tmp_path_factory.getbasetemp() / "home-of-a-run"
    if kept.exists():
        shutil.copytree(kept, home, dirs_exist_ok=True)
    else:
        assert "Belfast" in research(QUESTION, docs=[docs]).markdown
        shutil.copytree(home, kept)
    return home


def flip(file: Path) -> None:
    """Change bytes of every page but the first."""
    data = bytearray(file.read_bytes())
    for place in range(5_000, len(data), 512):
        data[place] ^= 0xFF
    file.write_bytes(data)


def cut(file: Path) -> None:
    """Take away the second half."""
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def overwrite(file: Path) -> None:
    """Overwrite the beginning."""
    file.write_bytes(b"x" * 100 + file.read_bytes()[100:])


def empty(file: Path) -> None:
    """Take away all content."""
    file.write_bytes(b"")


def execute(statement: str) -> Damage:
    """Return a damage that keeps the file a whole database."""

    def damage(file: Path) -> None:
        with closing(sqlite3.connect(file)) as db, db:
            assert db.execute(statement).rowcount > 0

    return damage


@pytest.mark.parametrize(
    "damage",
    [flip, cut, overwrite, execute("UPDATE texts SET text = replace(text, '1824', '1825') WHERE text LIKE '%1824%'")],
    ids=["bytes changed", "cut off", "beginning overwritten", "a text changed"],
)
async def test_a_damaged_index_of_documents_is_made_anew(docs: Path, tmp_path: Path, damage: Damage) -> None:
    await open_documents(docs, tmp_path)
    [file] = (tmp_path / "documents").glob("*.sqlite")
    damage(file)
    forget_checked(file)
    opened = await open_documents(docs, tmp_path)
    hits = await opened.search("William Thomson was born in Belfast in 1824", 3)
    assert any("born in Belfast in 1824" in hit.text for hit in hits)
    assert not any("1825" in hit.text for hit in hits)


def forget_checked(file: Path) -> None:
    """Let this process check an index as a new one would."""
    index._checked.discard(str(file))


async def test_a_run_says_that_an_index_was_made_anew(docs: Path) -> None:
    await open_documents(docs, settings().leadline_home)
    [file] = (settings().leadline_home / "documents").glob("*.sqlite")
    overwrite(file)
    forget_checked(file)
    events: list[Event] = []
    report = await aresearch(QUESTION, docs=[docs], on_event=events.append)
    assert "Belfast" in report.markdown
    notices = " ".join(event.title for event in events if event.type == "notice")
    assert "The index of papers was damaged and has been rebuilt" in notices


def test_a_damaged_dictionary_is_made_anew(tmp_path: Path) -> None:
    text = tmp_path / "cedict.txt"
    text.write_text("船 船 [chuan2] /ship/boat/\n", "utf-8")
    for damage in (overwrite, empty):
        folder = tmp_path / damage.__name__
        file = dictionary_in(folder, text).file
        damage(file)
        moved = folder.rename(folder.with_name(f"{folder.name}-again"))  # a process checks a file once
        assert dictionary_in(moved, text).translations("船") == {"船": ["ship", "boat"]}


def misspell(file: Path) -> None:
    """Change one letter in the texts of the checkpoints, which are then read without an error."""
    with closing(sqlite3.connect(file)) as db, db:
        rows = list(db.execute("SELECT rowid, checkpoint FROM checkpoints"))
        changed = [(data.replace(b"Belfast", b"Bellast"), place) for place, data in rows if b"Belfast" in data]
        assert changed
        db.executemany("UPDATE checkpoints SET checkpoint = ? WHERE rowid = ?", changed)


def blank(table: str) -> Damage:
    """Return a damage that overwrites the pages of a table."""

    def damage(file: Path) -> None:
        with closing(sqlite3.connect(file)) as db, db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (size,) = db.execute("PRAGMA page_size").fetchone()
            (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        data = bytearray(file.read_bytes())
        data[(root - 1) * size : root * size] = bytes(size)
        file.write_bytes(data)

    return damage


def misname(file: Path) -> None:
    """Put a byte that is no UTF-8 into the definition of a table, which SQLite's message repeats."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = file.read_bytes()
    assert b"CREATE TABLE store (" in data
    file.write_bytes(data.replace(b"CREATE TABLE store (", b"CREATE TAB\x9dE store (", 1))


LIST, SHOW, REPLAY, RESEARCH = ["runs"], ["runs", "show"], ["runs", "replay"], ["research", QUESTION]
OF_CHECKPOINTS: dict[str, tuple[Damage, list[list[str]]]] = {
    "cut off": (cut, [SHOW]),
    "overwritten": (overwrite, [LIST, RESEARCH]),
    "emptied": (empty, [LIST, ["resume"], RESEARCH]),
    "a letter changed": (misspell, [SHOW, REPLAY, ["runs", "export"]]),
    "what is told of a checkpoint changed": (execute("UPDATE checkpoints SET metadata = x'ff'"), [SHOW]),
    "those of a run gone": (execute("DELETE FROM checkpoints"), [SHOW, REPLAY]),
    "a page of writes overwritten": (blank("writes"), [SHOW, REPLAY]),
}
OF_STORE: dict[str, tuple[Damage, list[list[str]]]] = {
    "cut off": (cut, [LIST]),
    "overwritten": (overwrite, [LIST, ["runs", "forget"]]),
    "emptied": (empty, [LIST, RESEARCH]),
    "a name that is no text": (misname, [LIST, SHOW, RESEARCH]),
    "a record that is no JSON": (execute("UPDATE store SET value = '{' WHERE prefix = 'runs'"), [LIST, SHOW]),
    "a record of another form": (execute("UPDATE store SET value = '{}' WHERE prefix = 'runs'"), [LIST]),
    "a journal of another form": (
        execute("""UPDATE store SET value = '{"entry": "{"}' WHERE prefix LIKE 'journal.%'"""),
        [REPLAY, [*SHOW, "--calls"]],
    ),
    "a text of a source changed": (
        execute("UPDATE store SET value = replace(value, 'Belfast', 'Dublin') WHERE prefix = 'evidence.texts'"),
        [["runs", "export", "--format", "md", "--out", "elsewhere"]],
    ),
}


@pytest.mark.parametrize(
    ("name", "damage", "commands"),
    [
        pytest.param(name, *case, id=f"{name}: {about}")
        for name, cases in (("checkpoints.sqlite", OF_CHECKPOINTS), ("store.sqlite", OF_STORE))
        for about, case in cases.items()
    ],
)
def test_a_damaged_file_with_work_is_named_and_left_as_it_is(
    home: Path, leadline: Leadline, name: str, damage: Damage, commands: list[list[str]]
) -> None:
    file = home / name
    damage(file)
    before = file.read_bytes()
    for command in commands:
        ran = leadline(*command)
        assert ran.code == 1, (command, ran)
        assert name in ran.err
        assert "damaged" in ran.err
        assert "Restore" in ran.err
        assert "leadline: unexpected" not in ran.err
    assert file.read_bytes() == before


def test_two_emptied_databases_beside_indexes_are_named(home: Path, leadline: Leadline) -> None:
    for name in ("checkpoints.sqlite", "store.sqlite"):
        empty(home / name)
    ran = leadline("runs", code=1)
    assert "is empty, and other files of this home hold runs" in ran.err


async def test_a_home_whose_making_was_ended_is_new(tmp_path: Path) -> None:
    async with checkpointer(tmp_path):
        pass
    (tmp_path / "store.sqlite").touch()
    async with store(tmp_path) as opened:
        key = await EvidenceStore(opened).put_text("A text.")
        assert await EvidenceStore(opened).get_text(key) == "A text."


async def test_a_damaged_text_is_stored_anew_where_it_is_found_again(tmp_path: Path) -> None:
    async with store(tmp_path) as opened:
        evidence = EvidenceStore(opened)
        key, file = await evidence.put_text("A text."), await evidence.put_bytes(b"a file")
        await opened.aput(("evidence", "texts"), key, {"text": "Another text."}, index=False)
        await opened.aput(("evidence", "files"), file, {"base64": "?"}, index=False)
        for reading in (evidence.get_text(key), evidence.get_bytes(file)):
            with pytest.raises(StoreDamaged, match="is damaged"):
                await reading
        await evidence.put_text("A text.")
        await evidence.put_bytes(b"a file")
        assert (await evidence.get_text(key), await evidence.get_bytes(file)) == ("A text.", b"a file")
