"""Watching files be written from outside, with Linux's inotify: each write, new file and renaming calls a function."""

import contextlib
import ctypes
import os
import select
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

Happening = Literal["written", "made", "named", "gone"]
OnFile = Callable[[str, Happening], None]

_MODIFY, _CREATE, _DELETE, _MOVED_TO, _IS_DIR = 0x2, 0x100, 0x200, 0x80, 0x40000000
_HAPPENING: dict[int, Happening] = {_CREATE: "made", _DELETE: "gone", _MOVED_TO: "named", _MODIFY: "written"}
_HEAD = struct.Struct("iIII")


@contextmanager
def watching(folders: list[Path], on_file: OnFile) -> Iterator[None]:
    """Call a function, in a thread of its own, for whatever happens to files in folders and in new folders below them.

    It is told the file's name, and whether the file was `written` to, `made`, `named` so by a renaming, or is `gone`.
    """
    watch = _Watch(on_file)
    for folder in folders:
        watch.add(folder)
    thread = threading.Thread(target=watch.read, name="watching", daemon=True)
    thread.start()
    try:
        yield
    finally:
        watch.stop()
        thread.join()
        watch.close()


class _Watch:
    def __init__(self, on_file: OnFile) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._handle = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._handle < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self._stopped, self._stop = os.pipe()
        self._on_file = on_file
        self._places: dict[int, Path] = {}

    def add(self, folder: Path) -> None:
        number = self._libc.inotify_add_watch(self._handle, os.fsencode(folder), sum(_HAPPENING))
        if number >= 0:
            self._places[number] = folder

    def read(self) -> None:
        while self._stopped not in select.select([self._handle, self._stopped], [], [])[0]:
            data = os.read(self._handle, 65_536)
            while data:
                number, mask, _, length = _HEAD.unpack_from(data)
                name = data[_HEAD.size : _HEAD.size + length].rstrip(b"\0").decode()
                data = data[_HEAD.size + length :]
                self._tell(number, mask, name)

    def _tell(self, number: int, mask: int, name: str) -> None:
        happening = next((what for bit, what in _HAPPENING.items() if mask & bit), None)
        if happening is None:
            return
        if not mask & _IS_DIR:
            self._on_file(name, happening)
        elif happening != "gone":
            new = self._places[number] / name
            self.add(new)
            with contextlib.suppress(FileNotFoundError):  # it is gone again
                for file in new.iterdir():  # made before it was watched
                    self._on_file(file.name, "made")

    def stop(self) -> None:
        os.write(self._stop, b".")

    def close(self) -> None:
        for one in (self._handle, self._stopped, self._stop):
            os.close(one)
