"""Reads files that somebody else made: only regular files, only up to a size, and without waiting for a writer."""

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_KINDS = {
    stat.S_IFIFO: "it is a pipe, not a file",
    stat.S_IFSOCK: "it is a socket, not a file",
    stat.S_IFCHR: "it is a device, not a file",
    stat.S_IFBLK: "it is a device, not a file",
    stat.S_IFDIR: "it is a folder, not a file",
}


def read_regular(file: Path, max_bytes: int, *, follow: bool = True) -> bytes:
    """Read a regular file. Blocking, but never waits for another process.

    It may be a link only with `follow`; a link to anything but a regular file is refused in either case.

    Raises:
        OSError: the file is missing, unreadable, no regular file, or too large; `strerror` says which.
    """
    try:
        handle = os.open(file, _FLAGS | (0 if follow else _NO_LINK))
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, which cannot be opened at all
            raise OSError(errno.EINVAL, _KINDS[stat.S_IFSOCK], str(file)) from None
        raise
    with os.fdopen(handle, "rb") as opened:
        kind = stat.S_IFMT(os.fstat(handle).st_mode)
        if kind != stat.S_IFREG:
            raise OSError(errno.EINVAL, _KINDS.get(kind, "it is not a regular file"), str(file))
        data = opened.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {max_bytes:,} bytes", str(file))
    return data


def read_regular_text(file: Path, max_bytes: int) -> str:
    """Read a regular file as UTF-8, with the line ends of Unix.

    Raises:
        OSError: as `read_regular`.
        UnicodeDecodeError: it is no UTF-8.
    """
    return read_regular(file, max_bytes).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
