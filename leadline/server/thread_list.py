"""A copy of the dev server's list of threads and runs, which takes the place of a list that cannot be read.

The server writes the list down every ten seconds. A list that it cannot read it deletes without a word, and begins with an
empty one; of one that it can read in spite of a changed byte it takes whatever stands there. So `leadline serve` reads the list before it
starts the server, copies it while the server works and when it has stopped, and compares.
"""

import contextlib
import hashlib
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from services.run.private_files import make_private_file

FOLDER, NAME = ".langgraph_api", ".langgraph_ops.pckl"
_LAST = b" last"
"""Mark of a copy that was made when the server had stopped."""
_READING = 120
"""Maximum seconds of reading a list."""
_READ = (
    "import pickle, sys; "
    "kept = pickle.load(open(sys.argv[1], 'rb')); "
    "sys.exit(not all(isinstance(kept.get(name), list) for name in ('threads', 'runs', 'assistants')))"
)
"""Reads a list as the server does, in a process of its own: a damaged one can do there what it will."""
_NEEDED = {
    "DATABASE_URI": ":memory:",
    "REDIS_URI": "fake",
    "MIGRATIONS_PATH": "__inmem",
    "LANGGRAPH_RUNTIME_EDITION": "inmem",
}
"""What the server's modules want to be told before they can be imported, as `langgraph dev` tells them."""


class ThreadList:
    """The list in the folder of a server, and its copy beside it: a line with the list's SHA-256 and whether it is the last, and the list."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        """Take the server's folder and its environment."""
        self._list = folder / FOLDER / NAME
        self._copy = folder / FOLDER / f"{NAME}.copy"
        self._environment = {**environment, **_NEEDED}
        self._copied = 0

    def checked(self) -> str:
        """Restore a list that cannot be read, is gone, or was changed after its server had stopped; return what happened, or nothing. Blocking.

        Raises:
            OSError: the folder cannot be written.
        """
        kept, is_last = self._kept()
        if self._list.exists():
            if self._list.read_bytes() == kept or (not is_last and self._readable(self._list)):
                self.copy()
                return ""
            now = datetime.now().astimezone()
            aside = self._list.with_name(f"{NAME}.damaged-{now:%Y%m%d-%H%M%S}")
            self._list.replace(aside)
            what = f"The server's list of threads and runs is damaged; it is kept as {aside}."
        elif kept is None:
            return ""
        else:
            what = f"The server's list of threads and runs ({self._list}) is gone."
        if kept is not None:
            _written(self._list, kept)
            if self._readable(self._list):
                made = datetime.fromtimestamp(self._copy.stat().st_mtime).astimezone()
                return f"{what} Its copy of {made:%Y-%m-%d %H:%M:%S} has taken its place; runs started after that are not listed."
            self._list.unlink()
        return f"{what} There is no copy that can be read: the list is rebuilt from the stored threads, without their runs."

    def copy(self, *, is_last: bool = False) -> None:
        """Copy the list, if it has changed. Blocking.

        Args:
            is_last: whether the server has stopped, so that the list stays as it is until the next one starts.
        """
        with contextlib.suppress(OSError):  # the last copy stays
            changed = self._list.stat().st_mtime_ns
            if is_last or changed != self._copied:
                content = self._list.read_bytes()
                _written(self._copy, hashlib.sha256(content).hexdigest().encode() + _LAST * is_last + b"\n" + content)
                self._copied = changed

    def _kept(self) -> tuple[bytes | None, bool]:
        """Return the list of the copy, or None if there is no whole one, and whether it is the last that the server wrote."""
        try:
            head, _, content = self._copy.read_bytes().partition(b"\n")
        except OSError:
            return None, False
        is_whole = hashlib.sha256(content).hexdigest().encode() == head.removesuffix(_LAST)
        return (content, head.endswith(_LAST)) if is_whole else (None, False)

    def _readable(self, file: Path) -> bool:
        try:
            ended = subprocess.run(
                [sys.executable, "-c", _READ, str(file)], cwd=self._list.parent.parent, env=self._environment,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=_READING, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 0


def _written(file: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    half = file.with_name(f"{file.name}.half")
    make_private_file(half)
    with half.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
    half.replace(file)
