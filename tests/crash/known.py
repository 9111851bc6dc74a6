"""What a run knew when it was killed, and which calls it made again."""

import json
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from services.run.journal import Entry
from tests.crash.world import AFTER, TOOL, WITH_TOOLS, World

ROUND = "researcher without a schema"


def repeated(world: World) -> dict[str, int]:
    """Return how often each call was made beyond the first time: those that were under way when the process was killed."""
    return {label: world.asked(label) - 1 for label in AFTER if world.asked(label) > 1}


def stored(home: Path, prefix: str) -> dict[tuple[str, str], dict[str, object]]:
    """Return what the store below a home holds under a prefix, by namespace and key."""
    with tempfile.TemporaryDirectory() as folder:  # to open the file itself would mend what a kill has left there
        for file in (home / f"store.sqlite{part}" for part in ("", "-journal", "-wal")):  # half a write is undone by it
            if file.exists():
                shutil.copy(file, folder)
        with closing(sqlite3.connect(Path(folder) / "store.sqlite")) as db:
            try:
                found = db.execute(
                    "SELECT prefix, key, value FROM store WHERE prefix = ? OR prefix LIKE ?", (prefix, f"{prefix}.%")
                ).fetchall()
            except sqlite3.OperationalError:  # there is no table yet
                return {}
    return {(place, key): json.loads(value) for place, key, value in found}


def completed(home: Path) -> set[str]:
    """Return the calls whose answers the journal below a home holds: none of them may be made again."""
    entries = sorted(map(Entry.read, stored(home, "journal").values()), key=lambda one: one.at)
    found = [_call(one) for one in entries if one.answer is not None]
    return set(found) & set(AFTER) | set(WITH_TOOLS[: found.count(ROUND)])


def _call(entry: Entry) -> str:
    """Return what the far ends call what an entry answers; the rounds of the step that has tools are told apart by their order."""
    match entry.kind:
        case "model":
            return ROUND if entry.name == "researcher" else entry.name.split(" (")[0]
        case "page":
            return f"page {urlsplit(entry.name).path}"
        case "search":
            return f"search {entry.name}"
        case "code":
            return "code"
    return "tool" if entry.name == TOOL else ""


def unchanged(before: dict[tuple[str, str], dict[str, object]], now: dict[tuple[str, str], dict[str, object]]) -> None:
    """Check that what the journal knew before a life stands there unchanged: nothing of it was asked and written again."""
    for place, kept in before.items():
        entry = _entry(kept)
        if entry["answer"]:  # without an answer: a failure, or a mark, which is set again
            assert _entry(now[place]) == entry, f"asked again: {entry['kind']} {entry['name']}"


def _entry(kept: dict[str, object]) -> dict[str, object]:
    """Return an entry of the journal without how often its answer was used again, which is counted in it."""
    return Entry.read(kept).model_dump(mode="json", exclude={"reused"})
