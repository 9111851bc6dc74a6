"""The work folder of a run, handled from outside: its lock, its size, its files, and its removal in any state.

A folder is held by a lock on it, which the operating system releases when the process ends, even after a crash; so the next process finds
and removes the folders of a killed process.
"""

import contextlib
import fcntl
import os
import re
import stat
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from schemas.clean_text import clean_file_name
from schemas.regular_file import read_regular
from services.run.errors import SettingsError

MAX_DISK = 200_000_000
"""Maximum bytes of all files of a run together."""
MAX_FILE = 64 << 20
"""Maximum bytes of a single file."""
MAX_FILES = 500
"""Maximum number of files and folders together."""
MAX_THREADS = 64
MAX_ARTIFACTS, MAX_ARTIFACT_BYTES = 20, 20_000_000
_IGNORED = re.compile(r"\.|__pycache__$|fontlist-.*\.json$")

PREFIX = "leadline-work-"


def prepare(work: Path, code: str, files: Mapping[str, bytes]) -> None:
    """Write the program and its files into the folder.

    Raises:
        SettingsError: a file name is not plain.
    """
    for name, data in files.items():
        if Path(name).name != name or "\0" in name or name in {"", ".", "..", "main.py"}:
            raise SettingsError(f"{name!r} is not a plain file name for a program's work folder. Give it another name.")
        (work / name).write_bytes(data)
    (work / "main.py").write_bytes(code.encode("utf-8", "replace"))


def exceeded_limit(work: Path, process: int) -> str:
    """Return the limit that a running program exceeds: `disk`, `files` or `threads`; empty if none."""
    count = size = 0
    folders = [os.fspath(work)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        size += _taken(entry.stat(follow_symlinks=False))
                    if count > MAX_FILES:
                        return "files"
        except FileNotFoundError:
            continue
        except OSError:  # too deep for a path, or unreadable: only a program that hides its files does that
            return "files"
    if size + _unlinked(process, work) > MAX_DISK:
        return "disk"
    with contextlib.suppress(OSError):  # no /proc on this system, or the process has ended
        if Path(f"/proc/{process}/task").stat().st_nlink - 2 > MAX_THREADS:
            return "threads"
    return ""


def _taken(about: os.stat_result) -> int:
    """Return the bytes that a file takes: allocated blocks may lie past its end, and a sparse file may be filled later."""
    return max(about.st_size, about.st_blocks * 512)


def _unlinked(process: int, work: Path) -> int:
    """Return the bytes of deleted files that a process still holds open or mapped."""
    held: dict[tuple[int, int], int] = {}
    with contextlib.suppress(OSError):
        for handle in Path(f"/proc/{process}/fd").iterdir():
            about = handle.stat()
            if stat.S_ISREG(about.st_mode) and about.st_nlink == 0:
                held[about.st_dev, about.st_ino] = _taken(about)
    mapped = 0
    with contextlib.suppress(OSError):
        own = work.stat().st_dev
        for line in Path(f"/proc/{process}/maps").read_text("utf-8", "replace").splitlines():
            if line.endswith("(deleted)"):
                span, _, _, device, number, _ = line.split(maxsplit=5)
                place = os.makedev(*(int(part, 16) for part in device.split(":"))), int(number)
                if place[0] == own:  # one mapped page may stand for the whole file, whose size is no longer known
                    held.setdefault(place, MAX_FILE)
                else:
                    start, end = span.split("-")
                    mapped += int(end, 16) - int(start, 16)
    return mapped + sum(held.values())


def artifacts(work: Path, inputs: set[str]) -> dict[str, bytes]:
    """Return the regular files that the program made. Symbolic links are ignored, nothing is interpreted.

    Call it when no process of the run is left. Names are relative, with `/` between folders, and clean: a program may call a
    file what no other system can write down.
    """
    collected: dict[str, bytes] = {}
    room, folders = MAX_ARTIFACT_BYTES, [""]
    while folders:
        folder = folders.pop(0)
        try:
            names = sorted(os.listdir(work / folder))  # noqa: PTH208 - names alone are wanted
        except OSError:
            continue
        for name in names:
            path = f"{folder}/{name}" if folder else name
            if path in inputs or _IGNORED.match(name):
                continue
            if _is_folder(work / path):
                if len(folders) < MAX_FILES and path.count("/") < 3:
                    folders.append(path)
                continue
            data = content_of(work / path, room)
            if data is not None and len(collected) < MAX_ARTIFACTS:
                collected[_clean_path(path, collected)] = data
                room -= len(data)
    return collected


def _clean_path(path: str, taken: Collection[str]) -> str:
    folder, _, name = "/".join(map(clean_file_name, path.split("/"))).rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    stem, suffix = (stem, dot + suffix) if stem else (name, "")
    names = (f"{stem}{f'-{number}' if number else ''}{suffix}" for number in range(len(taken) + 1))
    return next(path for name in names if (path := f"{folder}/{name}" if folder else name) not in taken)


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return True


def content_of(path: Path, max_bytes: int) -> bytes | None:
    """Return the content of a regular file; None for links and other files, and above `max_bytes`."""
    try:
        return read_regular(path, max_bytes, follow=False)
    except OSError:
        return None


def remove(work: Path) -> None:
    """Remove the folder, even if it is too deep for a path or holds unreadable folders.

    Subfolders are moved up to the top before they are emptied, so that no path grows long and nothing recurses.
    """
    waiting, moved = [work], 0
    top = work.parent
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):
            folder.chmod(0o700)
            with os.scandir(folder) as entries:
                for entry in list(entries):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)  # noqa: PTH108 - as it stands in the folder
                        continue
                    with contextlib.suppress(OSError):
                        os.chmod(entry.path, 0o700)  # noqa: PTH101 - a folder cannot be moved while it is closed
                    moved += 1
                    place = top / f"{work.name}-{moved}"
                    os.rename(entry.path, place)  # noqa: PTH104 - likewise
                    waiting.append(place)
            folder.rmdir()


@dataclass(frozen=True, slots=True)
class Held:
    """A work folder locked by this process."""

    folder: Path
    handle: int
    """Handle of the lock; -1 on disks without locks."""

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
            if folder.lstat().st_uid != os.getuid():
                continue
            handle = _locked(folder, wait=False)
            if handle is not None:
                Held(folder, handle).release()


def _locked(folder: Path, *, wait: bool) -> int | None:
    """Return the lock on a folder, -1 on disks without locks; None if another process holds it, or if the folder is gone."""
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
