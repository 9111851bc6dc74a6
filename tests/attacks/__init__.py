"""Attacks at the real doors: the command as a process, and the dev server."""

import os
from pathlib import Path

from tests.fakes.forked import Command
from tests.leadline.conftest import Ran

SECONDS = 120.0


def command(*arguments: object, seconds: float = SECONDS, **environment: str) -> Ran:
    """Run `leadline` as a process of its own, in the test's world."""
    process = Command([*map(str, arguments)], env={**os.environ, **environment})
    try:
        printed = process.communicate(seconds)
    finally:
        process.kill()
    return Ran(process.wait(), *printed)


def report_folder(out: Path) -> Path:
    """Return the only report below a folder."""
    [evidence] = out.glob("*/evidence.json")
    return evidence.parent
