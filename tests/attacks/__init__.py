"""Attacks at the real doors: the command as a process, and the dev server."""

import os
import subprocess
import sys
from pathlib import Path

SECONDS = 120.0


def command(*arguments: object, seconds: float = SECONDS, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Run `leadline` as a process of its own, in the test's world."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("leadline")), *map(str, arguments)],
        capture_output=True,
        check=False,
        timeout=seconds,
        env={**os.environ, **environment},
    )


def report_folder(out: Path) -> Path:
    """Return the only report below a folder."""
    [evidence] = out.glob("*/evidence.json")
    return evidence.parent
