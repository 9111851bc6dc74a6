"""Resources of a running browser, seen from outside: memory of all its processes, and room on the disk."""

import contextlib
import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_GROUP, _RESIDENT = 2, 21
"""Places in /proc/PID/stat behind the name: the group of processes, and the pages in memory (see proc(5))."""


def memory_of(group: int) -> int:
    """Return the bytes that the processes of a group hold in memory, what they share counted each time. Blocking."""
    pages = 0
    with contextlib.suppress(OSError), os.scandir("/proc") as entries:
        for entry in entries:
            if not entry.name.isdecimal():
                continue
            with contextlib.suppress(OSError, ValueError, IndexError):  # it ended meanwhile
                fields = Path(entry.path, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                if int(fields[_GROUP]) == group:
                    pages += int(fields[_RESIDENT])
    return pages * _PAGE


def disk_of(work: Path, process: int) -> int:
    """Return the bytes of the files in a folder, and of those that a process removed and still holds open. Blocking."""
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
