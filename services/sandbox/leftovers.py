"""Locks on work folders, so that those of a process that was killed are found and removed by the next one.

A folder is held by a lock on it, which the operating system releases when the process ends, even after a crash.
"""

import contextlib
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from services.sandbox.workfolder import remove

PREFIX = "leadline-work-"


@dataclass(frozen=True, slots=True)
class Held:
    """A folder that this process holds."""

    folder: Path
    handle: int
    """The lock; -1 where the system has none."""

    def release(self) -> None:
        """Remove the folder with all that is in it. Blocking."""
        remove(self.folder)
        if self.handle >= 0:
            os.close(self.handle)


def hold() -> Held:
    """Make a new folder and hold it. Blocking."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        handle = _locked(folder, wait=True)
        if handle is not None and folder.exists():  # nobody took it for a leftover before it was locked
            return Held(folder, handle)


def sweep() -> None:
    """Remove this user's folders that no process holds. Blocking."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if sys.platform == "win32" or folder.lstat().st_uid != os.getuid():
                continue
            handle = _locked(folder, wait=False)
            if handle is not None:
                Held(folder, handle).release()


def _locked(folder: Path, *, wait: bool) -> int | None:
    """Return the lock on a folder, -1 where the system has none; None where another process holds it, or it is gone."""
    if sys.platform == "win32":
        return -1
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        return -1 if wait else None
    return handle
