"""The child side of the sandbox: confines itself, then runs. Linux only, for code; imports nothing of Leadline.

Run as `python -I -S jail.py SETUP`, with SETUP as JSON (see `main`): a program that lies as main.py in the work folder, a
module of ours that parses what came from outside (see workers.py), or a browser that prints (see browser.py).
Order matters: a file system of its own where the system allows one (see mounts.py), limits and capabilities, then
Landlock (see landlock(7)), then the seccomp filter (see seccomp(2)), all while single-threaded. `-S` keeps the packages' start-up hooks from running before the doors are shut.
"""

from __future__ import annotations

import builtins
import ctypes
import importlib
import json
import os
import resource
import struct
import sys
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any

EXIT_NOT_ISOLATED, EXIT_MEMORY = 97, 98

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 24, 38, 22

# Landlock
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_FS_EXECUTE, _FS_WRITE_FILE, _FS_READ_FILE, _FS_READ_DIR = 1, 2, 4, 8
_FS_ALL_V1 = (1 << 13) - 1
_FS_MAKE_SOCK, _FS_MAKE_SYM = 1 << 9, 1 << 12
_FS_REFER, _FS_TRUNCATE, _FS_IOCTL = 1 << 13, 1 << 14, 1 << 15
_FS_MAKE_SPECIAL = (1 << 6) | (1 << 9) | (1 << 10) | (1 << 11) | (1 << 12)
"""Devices, sockets, named pipes, and symbolic links."""
_DEVICES = {"/dev/null": _FS_READ_FILE | _FS_WRITE_FILE, "/dev/zero": _FS_READ_FILE, "/dev/urandom": _FS_READ_FILE}


def main() -> None:
    """Lock in and run.

    SETUP holds `work` (the only folder to write in, or nothing), `seconds` of processor time (0: no limit), `memory` and
    `file_size` in bytes, `open_files`, `readable` (files and folders to read), `packages` (folders to import from) and
    `filter` (hex). For a module of ours it holds `module` (its `main` is called), `root` (where its packages lie), `own` (their
    names) and `unlocked` (why it is not to be locked in, or nothing). With `hide`, paths that it may not read are not even
    there where the system allows that. For a browser it holds `command`, and `executable`
    (files and folders to execute from).
    """
    setup = json.loads(sys.argv[1])
    if "module" in setup:
        _serve(setup)
        return
    os.chdir(setup["work"])
    try:
        _lock_in(setup)
    except OSError as error:
        sys.stderr.write(f"isolation failed: {error}\n")
        sys.exit(EXIT_NOT_ISOLATED)
    if "command" in setup:
        os.execv(setup["command"][0], setup["command"])  # noqa: S606 - this is what the jail is for
    _run(setup["work"], setup["packages"])


def _serve(setup: dict[str, Any]) -> None:
    """Run a module; the first line of its output says whether it is confined, before it reads any untrusted data.

    An empty line follows when the module is loaded.
    If it cannot be confined it runs nevertheless; the parent decides how to report that.
    """
    os.chdir("/")
    sys.path[:] = [setup["root"], *sys.path, *setup["packages"]]
    for name in setup["own"]:
        __import__(name)  # the folder of the packages cannot be listed afterwards
    problem = setup["unlocked"]
    try:
        if not problem:
            _lock_in(setup)
    except OSError as error:
        problem = error.strerror or str(error)
    sys.stdout.write(json.dumps({"problem": problem}) + "\n")
    sys.stdout.flush()
    module = importlib.import_module(setup["module"])
    sys.stdout.write("\n")
    sys.stdout.flush()
    module.main()


def _lock_in(setup: dict[str, Any]) -> None:
    if sys.platform == "linux" and setup["filter"] and setup.get("hide"):
        _mounts().hide(setup["readable"], _DEVICES, setup["work"])
        os.chdir(setup["work"] or "/")  # the same folder, below the new root
    _limit(setup)
    if sys.platform != "linux":
        raise OSError(0, f"{sys.platform} has no Landlock")
    if not setup["filter"]:
        raise OSError(0, f"there is no table of system calls for {os.uname().machine}")
    _prctl(_PR_SET_PDEATHSIG, 9)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _drop_capabilities()
    _landlock(setup["work"], setup["readable"], setup.get("executable", []))
    _seccomp(bytes.fromhex(setup["filter"]))


def _mounts() -> Any:
    """Import the module beside this file; nothing else in its folder can be imported."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib is not worth its import here
    try:
        return importlib.import_module("mounts")
    finally:
        del sys.path[0]


def _limit(setup: dict[str, int]) -> None:
    for what, value in (
        (resource.RLIMIT_CPU, setup["seconds"] or resource.RLIM_INFINITY),
        (resource.RLIMIT_AS, setup["memory"]),
        (resource.RLIMIT_FSIZE, setup["file_size"]),
        (resource.RLIMIT_NOFILE, setup["open_files"]),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        if hard != resource.RLIM_INFINITY:
            value = hard if value == resource.RLIM_INFINITY else min(value, hard)  # noqa: PLW2901 - never above the parent's
        # The soft limit of processor time sends a signal that tells the reason; the hard limit only kills
        first = value - 1 if what == resource.RLIMIT_CPU and setup["seconds"] else value
        try:
            resource.setrlimit(what, (first, value))
        except (OSError, ValueError):
            if sys.platform == "linux":  # other systems do not support some limits
                raise


def _drop_capabilities() -> None:
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("II", 0x20080522, 0)
    if _libc.capset(header, bytes(24)) != 0:
        raise OSError(ctypes.get_errno(), "capset failed")


def landlock_version() -> int:
    """Return the version of the kernel's Landlock; less than 1 if there is none."""
    return int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)) if sys.platform == "linux" else 0


def _landlock(work: str, readable: list[str], executable: list[str]) -> None:
    version = landlock_version()
    if version < 1:
        raise OSError(ctypes.get_errno(), "this kernel has no Landlock")
    handled = _FS_ALL_V1
    handled |= _FS_REFER if version >= 2 else 0
    handled |= _FS_TRUNCATE if version >= 3 else 0
    handled |= _FS_IOCTL if version >= 5 else 0
    net = 3 if version >= 4 else 0
    scoped = 3 if version >= 6 else 0
    attributes = struct.pack("QQQ", handled, net, scoped)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = _libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset failed")
    if work:
        special = _FS_MAKE_SPECIAL & ~(_FS_MAKE_SOCK | _FS_MAKE_SYM) if executable else _FS_MAKE_SPECIAL
        _allow(ruleset, work, handled & ~(special | _FS_EXECUTE | _FS_IOCTL | _FS_REFER))
    for path in readable:
        if os.path.exists(path):  # noqa: PTH110 - pathlib is not worth its import here
            _allow(ruleset, path, _FS_READ_FILE | (_FS_READ_DIR if os.path.isdir(path) else 0))  # noqa: PTH112 - likewise
    for path in executable:
        if os.path.exists(path):  # noqa: PTH110 - likewise
            _allow(ruleset, path, _FS_READ_FILE | _FS_EXECUTE | (_FS_READ_DIR if os.path.isdir(path) else 0))  # noqa: PTH112 - likewise
    for device, access in _DEVICES.items():
        if os.path.exists(device):  # noqa: PTH110 - likewise
            _allow(ruleset, device, access)
    if _libc.syscall(_RESTRICT_SELF, ruleset, 0) != 0:
        raise OSError(ctypes.get_errno(), "landlock_restrict_self failed")
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", access, handle)
        if _libc.syscall(_ADD_RULE, ruleset, 1, rule, 0) != 0:
            raise OSError(ctypes.get_errno(), f"landlock_add_rule failed for {path}")
    finally:
        os.close(handle)


def _seccomp(instructions: bytes) -> None:
    buffer = ctypes.create_string_buffer(instructions)
    program = struct.pack("HxxxxxxQ", len(instructions) // 8, ctypes.addressof(buffer))
    if _libc.prctl(_PR_SET_SECCOMP, 2, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this kernel has no seccomp filter")


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")


def _run(work: str, packages: list[str]) -> None:
    """Run main.py as Python would, with a traceback that begins at the program's own lines."""
    module = ModuleType("__main__")
    module.__dict__["__file__"] = "main.py"
    sys.modules["__main__"] = module
    sys.argv = ["main.py"]
    sys.path[:] = [work, *sys.path, *packages]
    sys.excepthook = _report
    for name in ("chmod", "utime"):
        setattr(os, name, _forgiving(getattr(os, name), os.path.realpath(work) + os.sep))
    os.access = _admitting(os.access, os.environ.get("MPLCONFIGDIR", ""))
    builtins.exit = builtins.quit = sys.exit  # type: ignore[assignment]  # what `-S` left out
    with open("main.py", "rb") as file:  # noqa: PTH123 - pathlib is not worth its import here
        source = file.read()
    exec(compile(source, "main.py", "exec"), module.__dict__)  # noqa: S102 - this is what the jail is for


def _forgiving(change: Callable[..., None], own: str) -> Callable[..., None]:
    """Ignore failures of a library to set modes or times of its files: the filter allows neither."""

    def attempt(path: str, *arguments: object, **options: object) -> None:
        try:
            change(path, *arguments, **options)
        except PermissionError:
            if isinstance(path, int) or not os.path.realpath(path).startswith(own):
                raise

    return attempt


def _admitting(ask: Callable[..., bool], folder: str) -> Callable[..., bool]:
    """Let matplotlib use the prepared list of fonts, although its folder is not writable."""

    def answer(path: str, *arguments: int, **options: bool) -> bool:
        return path == folder or ask(path, *arguments, **options)

    return answer


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    try:
        import traceback

        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        traceback.print_exception(kind, error, trace)
    finally:
        if isinstance(error, MemoryError):
            sys.stderr.flush()
            sys.stdout.flush()
            os._exit(EXIT_MEMORY)  # a clean-up would need memory


if __name__ == "__main__":
    main()
