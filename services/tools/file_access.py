"""Access to the files of a run: only regular files below its folders, whatever their path claims."""

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from services.run.errors import FileError
from services.search.file_types import MAX_BYTES
from services.search.thread_documents import kept_from_runs

_MAX_PATH = 1_000
_LIST = 20


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened file and its content."""

    name: str
    """Path below the folder."""
    url: str
    """Path as in search results: with the folder's name in front."""
    data: bytes
    modified: str
    """Time of modification, ISO 8601, UTC."""


def open_file(path: str, folders: Sequence[Path]) -> Opened:
    """Read a file below one of several folders. Blocking.

    Args:
        path: path below a folder, with or without the folder's name in front.
        folders: folders of the run.

    Raises:
        FileError: the file cannot be read, or must not be read; the message is for the model.
    """
    if not folders:
        raise FileError("This run has no folders, so there are no files to read.")
    plain = _plain(path)
    refusal = FileError(f"There is no file {plain!r}. {_known(folders)}")
    for folder, relative in _places(plain, folders):
        try:
            return _opened(folder, relative)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            refusal = FileError(f"{plain!r} cannot be read: {error.strerror}.")
    raise refusal


def _plain(path: str) -> str:
    """Check and normalise a relative path.

    Raises:
        FileError: the text is not a valid relative path.
    """
    if not path.strip() or len(path) > _MAX_PATH or not path.isprintable():
        raise FileError(
            "The path is empty, too long, or holds control characters. Give a path below the run's folders."
        )
    parts = re.split(r"[/\\]", path)
    if ".." in parts:
        raise FileError("The path leads upwards (..). Give a path below the run's folders.")
    if "://" in path or path.startswith("~"):
        raise FileError("Addresses and home folders cannot be read. Give a path below the run's folders.")
    return path.strip()


def _places(path: str, folders: Sequence[Path]) -> list[tuple[Path, PurePosixPath]]:
    """Return the possible locations of a path: below each folder, and below the folder that it names."""
    relative = PurePosixPath(path)
    places: list[tuple[Path, PurePosixPath]] = []
    for folder in folders:
        real = folder.resolve()
        bases = [PurePosixPath(base) for base in (folder, real, real.name) if str(base) != "."]
        places += [
            (folder, relative.relative_to(base)) for base in bases if relative.is_relative_to(base) and relative != base
        ]
        if not relative.is_absolute():
            places.append((folder, relative))
    if not places:
        raise FileError("The path leads out of the run's folders. Give a path below them.")
    return list(dict.fromkeys(places))


def _opened(folder: Path, relative: PurePosixPath) -> Opened:
    root = folder.resolve()
    if any(part.startswith(".") for part in relative.parts):
        raise FileError("Hidden files are not read.")
    try:
        real = (root / relative).resolve()
    except RuntimeError:  # Python up to 3.12 raises this for circular links
        raise FileError(f"{str(relative)!r} is a link that leads to itself.") from None
    if not real.is_relative_to(root):
        raise FileError(f"{str(relative)!r} is a link that leads out of the folder, so it is not read.")
    if kept_from_runs(real, root):
        raise FileNotFoundError(str(relative))
    inside = real.relative_to(root).parts
    if not inside or any(part.startswith(".") for part in inside):
        raise FileError(f"{str(relative)!r} is a folder, or leads to a hidden file. Name a file.")
    handle = _walk(root, inside)
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise FileError(f"{str(relative)!r} is a folder. {_known([folder])}")
        if not stat.S_ISREG(status.st_mode):
            raise FileError(
                f"{str(relative)!r} is not a regular file (a device, a pipe or a socket), so it is not read."
            )
        if status.st_size > MAX_BYTES:
            raise FileError(f"{str(relative)!r} has {status.st_size:,} bytes; at most {MAX_BYTES:,} are read.")
        with os.fdopen(os.dup(handle), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MAX_BYTES:
        raise FileError(f"{str(relative)!r} has more than {MAX_BYTES:,} bytes, which is too large.")
    return Opened(relative.as_posix(), f"{root.name}/{relative.as_posix()}", data, _time(status.st_mtime))


def _time(seconds: float) -> str:
    """Return a time in ISO 8601, UTC; empty for a time outside of the calendar, which a file may have."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _walk(root: Path, parts: Sequence[str]) -> int:
    """Open a file folder by folder without following links, so that none can be inserted meanwhile; returns its handle."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(root, flags | os.O_DIRECTORY)
    for place, part in enumerate(parts):
        outer = handle
        try:
            handle = os.open(part, flags | (os.O_DIRECTORY if place + 1 < len(parts) else 0), dir_fd=outer)
        finally:
            os.close(outer)
    return handle


def _known(folders: Sequence[Path]) -> str:
    """Return the names of some existing files."""
    names: list[str] = []
    for folder in folders:
        for parent, inner, files in os.walk(folder):
            inner[:] = sorted(
                name for name in inner if not name.startswith(".") and not kept_from_runs(Path(parent) / name, folder)
            )
            below = Path(parent).relative_to(folder)
            names += [(below / name).as_posix() for name in sorted(files) if not name.startswith(".")]
            if len(names) > _LIST:
                break
    more = " …" if len(names) > _LIST else ""
    return f"There is: {', '.join(names[:_LIST])}{more}" if names else "The folders are empty."
