"""Errors of a store that cannot write: a full disk, or a folder without permission."""

import sqlite3

_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}
"""SQLite error codes of faults of the disk or the folder, not of the file."""


def disk_error_of(error: BaseException) -> BaseException | None:
    """Return the error in a chain of causes that says that the disk is full or read-only, or None.

    A transaction that a full disk has ended cannot be committed either, and that is what a store raises in the end.
    """
    seen: BaseException | None = error
    while seen is not None:
        code = seen.sqlite_errorcode if isinstance(seen, sqlite3.Error) and hasattr(seen, "sqlite_errorcode") else 0
        if code & 0xFF in _CODES:
            return seen
        seen = seen.__cause__ or seen.__context__
    return None
