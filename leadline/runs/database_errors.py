"""Errors of the databases in the home that hold users' work: which file it is, what it holds, and what to do."""

import sqlite3
from pathlib import Path

from services.run.disk_errors import disk_error_of
from services.run.errors import LeadlineError, StoreDamaged, StoreError, StoreUnwritable

CHECKPOINTS = "checkpoints.sqlite"
STORE = "store.sqlite"
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_HOLDS = {
    CHECKPOINTS: "It holds the state of unfinished runs and the reports of finished ones: without it these can neither be continued, shown, "
    "changed nor followed up.",
    STORE: "It holds the list of runs, their journals and versions, the texts of their sources, and what is remembered: without it no "
    "run can be listed, continued, replayed or shown.",
}


def database_error(file: Path, error: BaseException) -> LeadlineError:
    """Return the error for a database that cannot be read or written; one of ours is returned as it is."""
    if isinstance(error, LeadlineError):
        return error
    if (why := disk_error_of(error)) is not None:
        return StoreUnwritable(str(file), why)
    if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
        return StoreError(f"{file} is in use by another process ({error}). Wait for that, and try again.")
    return damaged(file, error)


def damaged(file: Path, why: object) -> StoreDamaged:
    """Return the error that names a damaged file, what is lost without it, and what to do."""
    return StoreDamaged(
        f"{file} is damaged ({why}), and was left as it is. {_HOLDS.get(file.name, '')} Restore it from a copy, or move it away to start "
        "without it, or set LEADLINE_HOME to another folder. Reports in their own folders are not touched by this.",
        page=f"What this server keeps of runs ({file.name}) is damaged. Ask the operator of this server.",
    )
