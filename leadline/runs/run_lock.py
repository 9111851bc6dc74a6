"""A file lock that allows one process per run. The operating system releases it when the process ends, even after a crash."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from services.run.errors import BadInput, StoreUnwritable
from services.run.private_files import FILE_MODE, make_private_folder
from services.run.ui_text import say

_PATIENCE = 0.5
"""Seconds after which a lock counts as held: a sweeping process holds it only briefly."""


@contextmanager
def hold_run_lock(home: Path, run_id: str) -> Iterator[None]:
    """Hold a run's lock while the block runs.

    Raises:
        BadInput: another process or task holds it.
        StoreUnwritable: the lock file cannot be written.
    """
    folder = home / "locks"
    lock = FileLock(folder / f"{run_id}.lock", timeout=_PATIENCE, mode=FILE_MODE)
    try:
        make_private_folder(home, "locks")
        lock.acquire()
    except Timeout:
        raise BadInput(say("run_locked", run=run_id)) from None
    except OSError as error:
        raise StoreUnwritable(str(folder), error.strerror) from None
    try:
        yield
    finally:
        # Removed while locked: a process that has opened the file sees this, and does not lock a deleted file
        (folder / f"{run_id}.lock").unlink(missing_ok=True)
        lock.release()


def locked_runs(home: Path) -> set[str]:
    """Return the ids of the runs that processes work on, after a `sweep`. Blocking."""
    return {file.stem for file in (home / "locks").glob("*.lock")}


def sweep(home: Path) -> None:
    """Remove free locks of processes that were killed before their run was recorded, or after its end. Blocking."""
    for file in (home / "locks").glob("*.lock"):
        with suppress(Timeout, OSError), FileLock(file, timeout=0, blocking=False):
            file.unlink(missing_ok=True)
