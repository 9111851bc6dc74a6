"""The parent's side of the sandbox: a fresh process a run, watched from outside, its folder gone afterwards."""

import asyncio
import contextlib
import math
import os
import shutil
import signal
import stat
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from services.errors import SandboxRefused, SettingsError
from services.sandbox.imports import refused_imports
from services.settings import settings

Mode = Literal["isolated", "unsafe"]

MIN_SECONDS, MAX_SECONDS, DEFAULT_SECONDS = 5.0, 300.0, 60.0
MAX_OUTPUT = 1_000_000
"""Bytes of stdout and of stderr; a program that writes more is ended."""
MAX_DISK = 200_000_000
"""Bytes that all files of a run may take together."""
MAX_FILES = 500
MAX_ARTIFACTS, MAX_ARTIFACT_BYTES = 20, 20_000_000
_POLL = 0.1
_JAIL = Path(__file__).with_name("jail.py")

_canaries: dict[str, str] = {}
"""What the canaries found, by interpreter: nothing when all were stopped."""


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """How a run ended."""

    ok: bool
    stdout: str
    stderr: str
    exit_code: int
    seconds: float
    mode: Mode
    stopped_by: str = ""
    """`timeout`, `output`, `disk` or `files` where the parent ended it; `imports` where it never began."""
    artifacts: dict[str, bytes] = field(default_factory=dict)
    """Files that the program wrote, by name."""

    @property
    def error(self) -> str:
        """What went wrong, in a sentence or two; empty when nothing did."""
        if self.ok:
            return ""
        last = self.stderr.strip()[-1_500:]
        return f"stopped by {self.stopped_by}. {last}".strip() if self.stopped_by else last or f"it ended with exit code {self.exit_code}"


class Sandbox:
    """Runs Python programs with no network, no secrets, and no files but their work folder's."""

    def __init__(self, mode: Mode | None = None, python: Path | None = None) -> None:
        self.mode: Mode = mode or settings().leadline_sandbox
        self._python = python or Path(sys.executable)

    async def run(
        self, code: str, *, files: Mapping[str, bytes] | None = None, timeout: float = DEFAULT_SECONDS  # noqa: ASYNC109 - the limit is of the child, not of this call
    ) -> SandboxResult:
        """Run a program.

        Args:
            code: Python source.
            files: put into its work folder, by plain name.
            timeout: wall-clock seconds, 5 to 300.

        Raises:
            SandboxRefused: this machine cannot isolate code, and unsafe running was not asked for.
            SettingsError: the timeout is out of bounds, or a file name is no plain name.
        """
        if not MIN_SECONDS <= timeout <= MAX_SECONDS:
            raise SettingsError(f"A program may run {MIN_SECONDS:g} to {MAX_SECONDS:g} seconds, not {timeout:g}.")
        refused = refused_imports(code)
        if refused:
            return SandboxResult(False, "", refused, 1, 0.0, self.mode, "imports")
        if self.mode == "isolated":
            await self._require_isolation()
        return await self._run(code, files or {}, timeout)

    async def _require_isolation(self) -> None:
        key = str(self._python)
        if key not in _canaries:
            _canaries[key] = await self._try_canaries()
        if _canaries[key]:
            raise SandboxRefused(
                f"Code is not run: this machine does not isolate it ({_canaries[key]}). It needs Linux with Landlock and seccomp. "
                "To run model-written code without isolation all the same, set LEADLINE_SANDBOX=unsafe."
            )

    async def _try_canaries(self) -> str:
        if sys.platform != "linux":
            return f"{sys.platform} has no Landlock"
        with tempfile.NamedTemporaryFile(prefix="leadline-canary-") as secret:
            secret.write(b"canary")
            secret.flush()
            result = await self._run(_CANARIES.replace("SECRET", secret.name), {}, MIN_SECONDS)
        if result.ok and result.stdout.strip() == "all stopped":
            return ""
        return " ".join((result.stdout or result.stderr).split())[:300] or "the canaries did not run"

    async def _run(self, code: str, files: Mapping[str, bytes], seconds: float) -> SandboxResult:
        work = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="leadline-run-"))
        try:
            await asyncio.to_thread(_prepare, work, code, files)
            return await self._watched(work, set(files) | {"main.py"}, seconds)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)

    def _command(self, work: Path, seconds: float) -> list[str]:
        if self.mode == "unsafe":
            return [str(self._python), "-I", "main.py"]
        return [str(self._python), "-I", "-X", "utf8", str(_JAIL), str(work), str(math.ceil(seconds)), *_readable(self._python)]

    async def _watched(self, work: Path, given: set[str], seconds: float) -> SandboxResult:
        started = time.monotonic()
        child = await asyncio.create_subprocess_exec(
            *self._command(work, seconds),
            cwd=work, env=_environment(work), stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert child.stdout is not None and child.stderr is not None  # noqa: S101, PT018 - both are pipes, as asked for
        readers = [asyncio.create_task(_read(child.stdout)), asyncio.create_task(_read(child.stderr))]
        try:
            stopped_by = await _wait(child, readers, work, started + seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            await child.wait()
        out, err = [await reader for reader in readers]
        artifacts = await asyncio.to_thread(_artifacts, work, given)
        code = child.returncode if child.returncode is not None else -1
        return SandboxResult(
            ok=code == 0 and not stopped_by,
            stdout=out[:MAX_OUTPUT].decode("utf-8", "replace"),
            stderr=err[:MAX_OUTPUT].decode("utf-8", "replace"),
            exit_code=code,
            seconds=round(time.monotonic() - started, 3),
            mode=self.mode,
            stopped_by=stopped_by,
            artifacts=artifacts,
        )


async def _wait(child: asyncio.subprocess.Process, readers: list[asyncio.Task[bytes]], work: Path, deadline: float) -> str:
    """Wait for the end, and return what it was ended by; nothing when it ended by itself."""
    ended = asyncio.create_task(child.wait())
    try:
        while True:
            done, _ = await asyncio.wait([ended, *[one for one in readers if not one.done()]], timeout=_POLL, return_when=asyncio.FIRST_COMPLETED)
            if any(one.done() and len(one.result()) > MAX_OUTPUT for one in readers):
                return "output"
            if ended in done:
                return ""
            if time.monotonic() > deadline:
                return "timeout"
            count, size = await asyncio.to_thread(_usage, work)
            if size > MAX_DISK:
                return "disk"
            if count > MAX_FILES:
                return "files"
    finally:
        ended.cancel()


async def _read(stream: asyncio.StreamReader) -> bytes:
    """Read up to a little over the limit; the rest is left, so that a flood ends the run instead of the memory."""
    kept = bytearray()
    while len(kept) <= MAX_OUTPUT:
        chunk = await stream.read(65_536)
        if not chunk:
            break
        kept += chunk
    return bytes(kept)


def _usage(work: Path) -> tuple[int, int]:
    count = size = 0
    for folder, _, names in os.walk(work):
        count += len(names)
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH116, PTH118 - this runs ten times a second
        if count > MAX_FILES:
            break
    return count, size


def _prepare(work: Path, code: str, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        if Path(name).name != name or name in {".", "..", "main.py"}:
            raise SettingsError(f"{name!r} is no plain file name for a program's work folder.")
        (work / name).write_bytes(data)
    (work / "main.py").write_text(code, "utf-8")


def _artifacts(work: Path, given: set[str]) -> dict[str, bytes]:
    """Collect regular files with one link that the program made; links and devices are left alone, nothing is interpreted."""
    found: dict[str, bytes] = {}
    room = MAX_ARTIFACT_BYTES
    for name in sorted(os.listdir(work)):  # noqa: PTH208 - names alone are wanted
        if name in given or name.startswith((".", "__pycache__")) or len(found) >= MAX_ARTIFACTS:
            continue
        try:
            handle = os.open(work / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(handle)
            if stat.S_ISREG(about.st_mode) and about.st_nlink == 1 and about.st_size <= room:
                found[name] = file.read(room)
                room -= len(found[name])
    return found


def _environment(work: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(work),
        "TMPDIR": str(work),
        "MPLCONFIGDIR": str(work),
        "MPLBACKEND": "agg",
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _readable(python: Path) -> list[str]:
    """Return what a program may read besides its folder: the interpreter, its libraries, fonts, time zones."""
    paths = sysconfig.get_paths()
    own = [paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"], str(python), str(python.resolve())]
    base = Path(sys.base_prefix)
    system = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/usr/share/zoneinfo", "/usr/share/fonts", "/etc/localtime"]
    venv = Path(sys.prefix) / "pyvenv.cfg"
    return list(dict.fromkeys([*own, str(base / "lib"), str(venv), str(_JAIL), *system]))


_CANARIES = '''
import os, sys
escaped = []
def attempt(name, action):
    try:
        action()
    except (OSError, ValueError):
        return
    escaped.append(name)
import ctypes, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
attempt("reading a file outside", lambda: open("SECRET").read())
attempt("listing the root folder", lambda: os.listdir("/"))
attempt("writing outside", lambda: open("/tmp/leadline-escaped", "w"))
attempt("a TCP socket", lambda: socket.socket())
attempt("a unix socket", lambda: socket.socket(socket.AF_UNIX))
attempt("a new process", lambda: os.fork() or os._exit(0))
attempt("another program", lambda: os.execv("/bin/true", ["true"]))
attempt("a signal to the parent", lambda: os.kill(os.getppid(), 0))
print("escaped: " + ", ".join(escaped) if escaped else "all stopped")
'''
