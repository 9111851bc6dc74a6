"""What browsers hold in memory that this process has started, watched while something runs."""

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from services.sandbox.rendering import memory_of

LOOKED = 0.05
"""Seconds between two looks."""
_PARENT = 1
"""Place in /proc/PID/stat behind the name: the parent (see proc(5))."""


class BrowserMemory:
    """Watches until its block ends; one browser at a time counts by all processes of its group."""

    def __init__(self) -> None:
        self.peak = 0
        """Most bytes that were seen, what processes share counted each time; 0: there was no browser."""
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(LOOKED):
            for process in browsers():
                self.peak = max(self.peak, memory_of(process))


def browsers() -> list[int]:
    """Return the browsers among the child processes of this one."""
    own = Path("/proc/self").resolve().name
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            name, _, behind = (folder / "stat").read_text("utf-8", "replace").rpartition(")")
        except OSError:  # it ended meanwhile
            continue
        if behind.split()[_PARENT] == own and "chrom" in name.partition("(")[2]:
            found.append(int(folder.name))
    return found
