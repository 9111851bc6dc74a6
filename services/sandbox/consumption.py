"""Memory and disk use of a running browser, measured from outside."""

import contextlib
import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_GROUP, _RESIDENT = 2, 21
"""Indexes in /proc/PID/stat after the name: the process group, and the resident pages (see proc(5))."""


def memory_of(group: int) -> int:
    """Return the resident bytes of a process group; shared memory counts for each process. Blocking."""
    pages = 0
    with contextlib.suppress(OSError), os.scandir("/proc") as entries:
        for entry in entries:
            if not entry.name.isdecimal():
                continue
            with contextlib.suppress(OSError, ValueError, IndexError):  # the process ended meanwhile
                fields = Path(entry.path, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                if int(fields[_GROUP]) == group:
                    pages += int(fields[_RESIDENT])
    return pages * _PAGE


def disk_of(work: Path, process: int) -> int:
    """Return the bytes of the files in a folder, and of deleted files that a process holds open. Blocking."""
    size = 0
    for folder, _, names in os.walk(work):
        for name in names:
            with contextlib.suppress(OSError):
                size += _taken(os.lstat(os.path.join(folder, name)))  # noqa: PTH118 - thousands of files, often
    with contextlib.suppress(OSError):
        for handle in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                about = handle.stat()
                size += _taken(about) if about.st_nlink == 0 else 0
    return size


def _taken(about: os.stat_result) -> int:
    return getattr(about, "st_blocks", 0) * 512
