"""Locks on work folders, so that the next process finds and removes the folders of a killed process.

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
    """A work folder locked by this process."""

    folder: Path
    handle: int
    """Handle of the lock; -1 on systems without locks."""

    def release(self) -> None:
        """Remove the folder and its content. Blocking."""
        remove(self.folder)
        if self.handle >= 0:
            os.close(self.handle)


def hold() -> Held:
    """Create a new folder and lock it. Blocking."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        handle = _locked(folder, wait=True)
        if handle is not None and folder.exists():
            return Held(folder, handle)
        if handle is not None and handle >= 0:  # another process removed the folder before it was locked
            os.close(handle)


def sweep() -> None:
    """Remove this user's folders that no process has locked. Blocking."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if sys.platform == "win32" or folder.lstat().st_uid != os.getuid():
                continue
            handle = _locked(folder, wait=False)
            if handle is not None:
                Held(folder, handle).release()


def _locked(folder: Path, *, wait: bool) -> int | None:
    """Return the lock on a folder, -1 on systems without locks; None if another process holds it, or if the folder is gone."""
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
