"""Watching files be written from outside, with Linux's inotify: each write, new file and renaming calls a function."""

import ctypes
import os
import select
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

Happening = Literal["written", "made", "named"]
OnFile = Callable[[str, Happening], None]

_MODIFY, _CREATE, _MOVED_TO, _IS_DIR = 0x2, 0x100, 0x80, 0x40000000
_HEAD = struct.Struct("iIII")


@contextmanager
def watching(folders: list[Path], on_file: OnFile) -> Iterator[None]:
    """Call a function, in a thread of its own, for whatever happens to files in folders and in new folders below them.

    It is told the file's name, and whether the file was `written` to, `made`, or `named` so by a renaming.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if handle < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    places: dict[int, Path] = {}

    def add(folder: Path) -> None:
        number = libc.inotify_add_watch(handle, os.fsencode(folder), _MODIFY | _CREATE | _MOVED_TO)
        if number >= 0:
            places[number] = folder

    def told(number: int, mask: int, name: str) -> None:
        if mask & _IS_DIR:
            new = places[number] / name
            add(new)
            for file in new.iterdir():  # made before it was watched
                on_file(file.name, "made")
        elif name:
            on_file(name, "made" if mask & _CREATE else "named" if mask & _MOVED_TO else "written")

    def read() -> None:
        while select.select([handle, stop], [], [])[0] != [stop]:
            data = os.read(handle, 65_536)
            while data:
                number, mask, _, length = _HEAD.unpack_from(data)
                name = data[_HEAD.size : _HEAD.size + length].rstrip(b"\0").decode()
                data = data[_HEAD.size + length :]
                told(number, mask, name)

    for folder in folders:
        add(folder)
    stop, tell = os.pipe()
    thread = threading.Thread(target=read, name="watching", daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.write(tell, b".")
        thread.join()
        for one in (handle, stop, tell):
            os.close(one)
