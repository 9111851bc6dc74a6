"""The parent side of the sandbox: each run gets a new process, which is watched, and a folder, which is removed.

Before the first program runs, canaries attempt to escape. If one succeeds, there is no isolation.
"""

import asyncio
import contextlib
import errno
import json
import math
import os
import platform
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from services.run.errors import SandboxRefused, SettingsError
from services.run.settings import settings
from services.run.ui_text import told
from services.sandbox.interpreter import JAIL, Interpreter, default_python, interpreter, jail_command
from services.sandbox.jail import EXIT_MEMORY
from services.sandbox.seccomp import filter_program
from services.sandbox.workfolder import MAX_FILE, artifacts, exceeded_limit, hold, prepare, sweep


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """The outcome of one escape attempt."""

    name: str
    stopped: bool
    by: str = ""
    """The protection that stopped the attempt: `Landlock`, `seccomp` or `namespace`; else the system's error."""
    required: bool = True
    """Whether a successful attempt means that programs are refused."""


LOOKING = "looking at a file outside"
"""Reads a file's size and times; only a mount namespace prevents this, which some systems do not allow."""
_BY = {
    0: "",
    errno.ENOENT: "namespace",
    errno.EACCES: "Landlock",
    errno.EXDEV: "Landlock",
    errno.EPERM: "seccomp",
    errno.ENOSYS: "seccomp",
}


def read_results(output: str) -> list[CanaryResult]:
    """Parse the output of the canaries' program; empty if it did not finish."""
    try:
        return [
            CanaryResult(str(name), number != 0, by=_BY.get(number, os.strerror(number)), required=name != LOOKING)
            for name, number in json.loads(output).items()
        ]
    except (ValueError, TypeError, AttributeError):
        return []


CANARIES = """
import ctypes, json, os, socket
found = {}
def attempt(name, action):
    try:
        action()
    except OSError as error:
        found[name] = error.errno or 5
    else:
        found[name] = 0
def call(x86_64, aarch64, *arguments):
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    if ctypes.CDLL(None, use_errno=True).syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
attempt("reading a file outside", lambda: open("SECRET").read())
attempt("writing a file outside", lambda: open("SECRET", "a"))
attempt("looking at a file outside", lambda: os.stat("SECRET"))
attempt("listing the root folder", lambda: os.listdir("/"))
attempt("changing a file's mode outside", lambda: os.chmod("SECRET", 0o600))
attempt("a TCP socket", lambda: socket.socket())
attempt("a UDP socket", lambda: socket.socket(type=socket.SOCK_DGRAM))
attempt("a unix socket", lambda: socket.socket(socket.AF_UNIX))
attempt("a new process", lambda: os.fork() or os._exit(0))
attempt("another program", lambda: os.execv("/bin/true", ["true"]))
attempt("a signal to the parent", lambda: os.kill(os.getppid(), 0))
attempt("io_uring", lambda: call(425, 425, 1, ctypes.create_string_buffer(120)))
attempt("a namespace of its own", lambda: call(272, 97, 0x10000000))
print(json.dumps(found))
"""
"""The program; SECRET is replaced by a file that the user can read and write."""
COUNT = CANARIES.count('attempt("')


Mode = Literal["isolated", "unsafe"]

MIN_SECONDS, MAX_SECONDS, DEFAULT_SECONDS = 5.0, 300.0, 60.0
MAX_OUTPUT = 1_000_000
"""Maximum bytes of stdout and of stderr; a program that writes more is killed."""
MEMORY = 2 << 30
"""Maximum bytes of address space."""
OPEN_FILES = 64
HIDE = True
"""Hide the files that a program may not read, if the system allows that."""
_POLL = 0.1
_CANARY_SECONDS = 20.0
_SIGNALS = {-signal.SIGXCPU: "cpu", -signal.SIGSYS: "system call", -signal.SIGKILL: "system"}

_isolated: set[Path] = set()
"""Interpreters whose canaries all failed to escape. A success is tested again: the machine may have been busy."""


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """Result of a run."""

    ok: bool
    stdout: str
    stderr: str
    exit_code: int
    seconds: float
    mode: Mode
    stopped_by: str = ""
    """Reason why the run was stopped: `timeout`, `output`, `disk`, `files` or `threads` by the parent; `cpu`, `memory`,
    `system call` or `system` (mostly out of memory) by the system."""
    artifacts: dict[str, bytes] = field(default_factory=dict)
    """Files that the program wrote, by name."""

    @property
    def error(self) -> str:
        """Error message of one or two sentences; empty after a success."""
        if self.ok:
            return ""
        last = self.stderr.strip()[-1_500:]
        return (
            f"stopped by {self.stopped_by}. {last}".strip()
            if self.stopped_by
            else last or f"it ended with exit code {self.exit_code}"
        )


class Sandbox:
    """Runs Python programs without network and secrets; they see only the files of their work folder."""

    def __init__(self, mode: Mode | None = None, python: Path | None = None) -> None:
        self.mode: Mode = mode or settings().leadline_sandbox
        if self.mode not in get_args(Mode):
            raise SettingsError(f"There is no sandbox mode {self.mode!r}. There are: {', '.join(get_args(Mode))}.")
        self._python = python

    async def run(
        self,
        code: str,
        *,
        files: Mapping[str, bytes] | None = None,
        timeout: float = DEFAULT_SECONDS,  # noqa: ASYNC109 - the limit is of the child, not of this call
    ) -> SandboxResult:
        """Run a program with files, by plain name, in its work folder, for 5 to 300 seconds.

        Raises:
            SandboxRefused: this machine cannot isolate code, and unsafe runs are not enabled.
            SettingsError: the timeout is out of bounds, or a file name is not plain.
        """
        if not MIN_SECONDS <= timeout <= MAX_SECONDS:
            raise SettingsError(f"A program may run {MIN_SECONDS:g} to {MAX_SECONDS:g} seconds, not {timeout:g}.")
        chosen = await self._interpreter()
        if self.mode == "isolated":
            await self._require_isolation(chosen.python)
        return await self._run(chosen, code, files or {}, timeout)

    async def runs_programs(self) -> bool:
        """Tell whether programs run here: isolated, or with unsafe runs enabled."""
        try:
            if self.mode == "isolated":
                await self._require_isolation((await self._interpreter()).python)
        except SandboxRefused:
            return False
        return True

    async def canaries(self) -> list[CanaryResult]:
        """Make escape attempts as a jailed program would; if all fail, this machine isolates programs.

        Raises:
            SandboxRefused: the jail could not be set up.
        """
        if sys.platform != "linux":
            raise _refusal(f"{sys.platform} has no Landlock")
        chosen = await self._interpreter()
        outside = await asyncio.to_thread(hold)
        secret = outside.folder / "secret"
        try:
            await asyncio.to_thread(secret.touch)
            result = await self._run(chosen, CANARIES.replace("SECRET", str(secret)), {}, _CANARY_SECONDS)
        finally:
            await asyncio.to_thread(outside.release)
        canaries = read_results(result.stdout)
        if len(canaries) != COUNT:
            raise _refusal(" ".join(result.error.split())[-300:] or "the canaries did not run")
        return canaries

    async def _require_isolation(self, python: Path) -> None:
        if python in _isolated:
            return
        escaped = [canary.name for canary in await self.canaries() if canary.required and not canary.stopped]
        if escaped:
            raise _refusal(f"not stopped: {', '.join(escaped)}")
        _isolated.add(python)

    async def _interpreter(self) -> Interpreter:
        if self._python is None:
            self._python = await asyncio.to_thread(default_python)
        return await interpreter(self._python)

    async def _run(self, chosen: Interpreter, code: str, files: Mapping[str, bytes], seconds: float) -> SandboxResult:
        await asyncio.to_thread(sweep)
        held = await asyncio.to_thread(hold)
        work = held.folder
        try:
            await asyncio.to_thread(prepare, work, code, files)
            command = self._command(chosen, work, seconds)
            return await self._watched(command, _environment(work, chosen), work, set(files) | {"main.py"}, seconds)
        finally:
            await asyncio.to_thread(held.release)

    def _command(self, chosen: Interpreter, work: Path, seconds: float) -> list[str]:
        if self.mode == "unsafe":
            return [str(chosen.python), "-I", "-B", "-X", "utf8", "main.py"]
        try:
            instructions = filter_program(platform.machine())
        except ValueError as error:
            raise _refusal(str(error)) from None
        return jail_command(
            chosen.python,
            instructions,
            work=str(work),
            seconds=math.ceil(seconds) + 2,
            memory=MEMORY,
            file_size=MAX_FILE,
            open_files=OPEN_FILES,
            readable=[*chosen.readable, str(JAIL)],
            packages=chosen.packages,
            hide=HIDE,
        )

    async def _watched(
        self, command: list[str], environment: dict[str, str], work: Path, inputs: set[str], seconds: float
    ) -> SandboxResult:
        started = time.monotonic()
        child = await asyncio.create_subprocess_exec(
            *command,
            cwd=work,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        out, err = _Output(child.stdout), _Output(child.stderr)
        stopped_by = ""
        try:
            stopped_by = await _wait(child, [out, err], work, started + seconds)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            # A daemon of an unsafe program can hold the pipes open forever
            await asyncio.wait([asyncio.ensure_future(child.wait()), out.task, err.task], timeout=2)
            out.task.cancel()
            err.task.cancel()
        code = child.returncode if child.returncode is not None else -1
        if not stopped_by and self.mode == "isolated":
            stopped_by = "memory" if code == EXIT_MEMORY else _SIGNALS.get(code, "")
        return SandboxResult(
            ok=code == 0 and not stopped_by,
            stdout=out.text(),
            stderr=err.text(),
            exit_code=code,
            seconds=round(time.monotonic() - started, 3),
            mode=self.mode,
            stopped_by=stopped_by,
            artifacts=await asyncio.to_thread(artifacts, work, inputs),
        )


class _Output:
    """Output of a program: the first megabyte is kept; the rest is read and dropped until the program is killed."""

    def __init__(self, stream: asyncio.StreamReader | None) -> None:
        self._output = bytearray()
        self.flooded = False
        self.task = asyncio.create_task(self._read(stream))

    async def _read(self, stream: asyncio.StreamReader | None) -> None:
        while stream is not None and (chunk := await stream.read(65_536)):
            room = MAX_OUTPUT - len(self._output)
            self._output += chunk[:room]
            self.flooded = self.flooded or len(chunk) > room

    def text(self) -> str:
        return self._output.decode("utf-8", "replace")


async def _wait(child: asyncio.subprocess.Process, outputs: list[_Output], work: Path, deadline: float) -> str:
    """Wait for the end, and return the reason why the program was stopped; empty if it ended by itself."""
    ended = asyncio.create_task(child.wait())
    try:
        while True:
            done, _ = await asyncio.wait([ended], timeout=_POLL)
            if any(output.flooded for output in outputs):
                return "output"
            if done or child.returncode is not None:
                return ""
            if time.monotonic() > deadline:
                return "timeout"
            over = await asyncio.to_thread(exceeded_limit, work, child.pid)
            if over:
                return over
    finally:
        ended.cancel()


def _refusal(reason: str) -> SandboxRefused:
    return SandboxRefused(**told("code_unisolated", reason=reason))


def _environment(work: Path, chosen: Interpreter) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(work),
        "TMPDIR": str(work),
        "MPLCONFIGDIR": chosen.fonts or str(work),
        "MPLBACKEND": "agg",
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
