"""What a run is compared with: one that nobody interrupted, and what must hold of any run in the end."""

import json
import re
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.reports.checking.bundle_check import verify_bundle
from tests.crash.killing import Crashing
from tests.crash.known import stored
from tests.crash.world import AFTER, World


@dataclass(frozen=True, slots=True)
class Whole:
    """A run that nobody interrupted."""

    printed: str
    files: dict[str, bytes]
    seconds: float
    """That it took, on this machine as it is loaded now."""

    @classmethod
    def of(cls, run: Crashing) -> "Whole":
        """Carry a run out and keep what it came to."""
        run.world.begin()
        started = time.monotonic()
        printed = run.finish()
        seconds = time.monotonic() - started
        calls = {label: run.world.asked(label) for label in AFTER}
        assert set(calls.values()) == {1}, calls
        return cls(printed, files_of(run.folder), seconds)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


_PROBE = re.compile(r"[a-z0-9_]{8}")
"""What `tempfile` itself makes, for a moment, to see whether it can write to a folder: nobody else can clear it away."""


def left_over(temporary: Path) -> list[str]:
    return [one.name for one in temporary.iterdir() if not _PROBE.fullmatch(one.name)]


def check(run: Crashing, whole: Whole, printed: str) -> None:
    """Check a run that came to its end after it was killed.

    The report is that of an uninterrupted run byte for byte, no call is made again that was followed by one that needs its
    answer, every file is whole and none is left over, here or among the temporary ones, no lock is held, and the databases are sound.
    """
    assert printed == whole.printed
    files = files_of(run.folder)
    assert sorted(files) == sorted(whole.files)
    for name, data in whole.files.items():
        if name == "evidence.json":
            wrong = {key for key, value in _comparable(data).items() if _comparable(files[name]).get(key) != value}
            assert not wrong, [(_comparable(files[name]).get(key), _comparable(data)[key]) for key in wrong]
        elif name.endswith(".html"):
            assert _undated(files[name]) == _undated(data), name
        elif not name.endswith((".pptx", ".docx", ".pdf")):
            assert files[name] == data, name
    assert sorted(one.name for one in run.out.iterdir()) == [run.folder.name]
    assert not verify_bundle(run.folder).problems
    assert not list((run.home / "locks").iterdir())
    assert left_over(run.world.temporary) == []
    nothing_completed_is_repeated(run.world)
    [record] = stored(run.home, "runs").values()
    assert record["status"] == "done"
    for name in ("store.sqlite", "checkpoints.sqlite"):
        with sqlite3.connect(run.home / name) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        db.close()


def nothing_completed_is_repeated(world: World) -> None:
    """Check at the far ends: a call is made again only in a later life, and only if nothing yet had needed its answer."""
    assert {one.label for one in world.seen} == set(AFTER), {one.label for one in world.seen} ^ set(AFTER)
    needing = {label: _needing(label) for label in AFTER}
    for label in AFTER:
        lives = [one.life for one in world.seen if one.label == label and one.phase == "asked"]
        assert lives, f"{label} was never called"
        assert len(lives) == len(set(lives)), f"{label} was called twice in one life: {lives}"
        for life in lives[:-1]:
            later = {one.label for one in world.seen if one.life <= life and one.phase == "asked"} & needing[label]
            assert not later, f"{label} was called again although {later} had its answer"


def _needing(label: str) -> set[str]:
    direct = {one for one, needs in AFTER.items() if label in needs}
    return direct.union(*(_needing(one) for one in direct)) if direct else set()


def _undated(data: bytes) -> bytes:
    return re.sub(rb"\d{4}-\d\d-\d\d", b"", data)


def _comparable(data: bytes) -> dict[str, Any]:
    """Return an evidence file without what is another in each run: its name, times of day and how long things took."""
    content: dict[str, Any] = _without(json.loads(data), {"run_id", "evidence_sha256", "fetched_at", "seconds"})
    return content


def _without(value: Any, keys: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(inner, keys) for key, inner in value.items() if key not in keys}
    return [_without(inner, keys) for inner in value] if isinstance(value, list) else value
