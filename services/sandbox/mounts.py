"""A private file system for a confined process: readable files, its work folder and a few devices, and nothing else.

Landlock refuses to open a file, not to ask for its size and times. In a mount namespace (see mount_namespaces(7)) what is
outside is not there to be asked for. Loaded by `jail.py`, so it imports nothing of Leadline; Linux only.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV, _AT_RECURSIVE, _AT_FDCWD = 1, 2, 4, 0x8000, -100
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR = 442
_MNT_DETACH = 2
_MAX_LINKS = 40
_PLACE = "/tmp"  # noqa: S108 - a folder that is there everywhere; what is mounted over it is seen by this process alone
_OLD = "/.outside"
"""Mount point of the original root until it is unmounted."""


def hide(readable: Iterable[str], devices: Iterable[str], work: str) -> None:
    """Hide all other paths, if this system allows that.

    A child tries it first, because a process cannot undo a partial success, such as a user namespace without any
    rights.

    Raises:
        OSError: the child succeeded, but this process fails.
    """
    child = os.fork()
    if child == 0:
        try:
            _hide(readable, devices, work)
        except BaseException:  # noqa: BLE001 - whatever it is, it ends here
            os._exit(1)  # a forked child ends without the parent's clean-up
        os._exit(0)  # likewise
    if os.waitpid(child, 0)[1] == 0:
        _hide(readable, devices, work)


def _hide(readable: Iterable[str], devices: Iterable[str], work: str) -> None:
    _unshare()
    _mount("", "/", "", _MS_REC | _MS_PRIVATE)
    _mount("tmpfs", _PLACE, "tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, "mode=755,size=1m")
    os.mkdir(_PLACE + _OLD)  # noqa: PTH102 - pathlib is not worth its import here
    _check(_libc.syscall(_PIVOT_ROOT[os.uname().machine], _PLACE.encode(), (_PLACE + _OLD).encode()), "pivot_root")
    os.chdir("/")
    bound: list[str] = []
    for path in sorted(readable):
        _bind(path, bound, _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV)
    for path in devices:
        _bind(path, bound, _ATTR_NOSUID)
    if work:
        _bind(work, bound, _ATTR_NOSUID | _ATTR_NODEV)
    _check(_libc.umount2(_OLD.encode(), _MNT_DETACH), "umount2")
    os.rmdir(_OLD)  # noqa: PTH106 - likewise
    _restrict("/", 0, _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV)


def _unshare() -> None:
    """Enter a mount namespace; without the right to do so, through a user namespace, as the same user."""
    if _libc.unshare(_CLONE_NEWNS) == 0:
        return
    user, group = os.geteuid(), os.getegid()
    _check(_libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS), "unshare")
    for name, content in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - likewise
            file.write(content)


def _bind(path: str, bound: list[str], attributes: int) -> None:
    """Mount a path at its own place; missing paths, and paths below a mounted one, are skipped."""
    place = _laid_out(path, bound)
    if not place or _is_shown(place, bound):
        return
    _mount(_OLD + place, place, "", _MS_BIND | _MS_REC)
    _restrict(place, _AT_RECURSIVE, attributes)
    bound.append(place)


def _is_shown(place: str, bound: list[str]) -> bool:
    return any(place == shown or place.startswith(f"{shown}/") for shown in bound)


def _laid_out(path: str, bound: list[str]) -> str:
    """Create folders and links on the way to a path, and a mount point; return its real path, or None."""
    place, rest, links = "", _parts(path), 0
    while rest:
        part = rest.pop()
        if part == "..":
            place = place.rpartition("/")[0]
            continue
        here = f"{place}/{part}"
        if os.path.islink(_OLD + here):  # noqa: PTH114 - likewise
            links += 1
            target = os.readlink(_OLD + here)  # noqa: PTH115 - likewise
            if links > _MAX_LINKS:
                return ""
            if not os.path.lexists(here):
                os.symlink(target, here)  # noqa: PTH211 - likewise
            place = "" if target.startswith("/") else place
            rest += _parts(target)
            continue
        if not os.path.exists(_OLD + here):  # noqa: PTH110 - likewise
            return ""
        if not _is_shown(here, bound) and not os.path.lexists(here):
            _make(here)
        place = here
    return place


def _make(place: str) -> None:
    if os.path.isdir(_OLD + place):  # noqa: PTH112 - likewise
        os.mkdir(place)  # noqa: PTH102 - likewise
    else:
        os.close(os.open(place, os.O_CREAT, 0o600))


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}][::-1]


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    names = [os.fsencode(name) if name else None for name in (source, target, kind)]
    _check(_libc.mount(*names, ctypes.c_ulong(flags), data.encode() or None), f"mount of {target}")


def _restrict(place: str, how: int, attributes: int) -> None:
    request = struct.pack("QQQQ", attributes, 0, 0, 0)
    outcome = _libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(place), how, request, ctypes.c_size_t(len(request)))
    _check(outcome, f"mount_setattr of {place}")


def _check(outcome: int, what: str) -> None:
    if outcome != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
