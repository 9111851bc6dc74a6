"""Joins or starts the process that serves a model file; a run releases it at its end or after a long pause between calls."""

import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from pydantic import SecretStr

from services.models.endpoint import close_with_connections
from services.models.llamacpp.machine import Machine, Share, share_of, this_machine
from services.models.llamacpp.model_file import ModelFile, read_model_file
from services.models.llamacpp.shared_files import Lock, Record, SharedFiles, shared_files
from services.run.errors import ModelError, NotInstalled, SettingsError
from services.run.installation import install_command, is_installed
from services.run.log import WARNING, log
from services.run.secrecy import without_secrets

EXTRA = "local"
_PROGRAM = Path(__file__).with_name("child.py")
GRACE_SECONDS = 3.0
"""Seconds for which a process outlives its last user: successive runs share it."""
IDLE_SECONDS = 120.0
"""Seconds without a call after which a run releases the process: a server must not keep an unused model in memory."""
START_SECONDS, BYTES_A_SECOND = 60.0, 50_000_000
"""Seconds to wait for a model to load, plus its size at the reading speed of a slow disk."""
CRASH_SECONDS = 600.0
"""Seconds after an unexpected end in which a second one is an error; the first time, the process is started again."""
_END_SECONDS = 1.0
"""Seconds to wait for the exit status of a process that has ended."""
_MAX_TOLD = 300
"""Characters of a process's own output in an error message."""
_LOOK = 0.05
"""Seconds between two looks at a lock or a record."""
_INHERITED = re.compile(
    r"PATH|HOME|LANG|LC_ALL|TMPDIR|PYTHON(?:PATH|HOME|UTF8)|(?:DY)?LD_LIBRARY_PATH|(?:OMP|GOMP|GGML|CUDA|HIP|ROCR)_\w+"
)
"""Environment variables that the process inherits: none that holds a secret."""
_TIME_STAMP = re.compile(r"^[\d.]+ [A-Z] ")
_LOADING = "error loading model: "


@dataclass(frozen=True, slots=True)
class Served:
    """A process that serves a model."""

    base_url: str
    """Address of the process's OpenAI-compatible API, on loopback."""
    key: SecretStr
    context: int
    """Tokens of context of each request."""
    slots: int
    """Number of concurrent requests."""
    pid: int


@dataclass(slots=True)
class _Use:
    """Use of a process by one event loop."""

    files: SharedFiles
    users: Lock
    served: Served
    calls: int = 0
    """Calls under way."""
    timer: asyncio.TimerHandle | None = None


@dataclass(slots=True)
class _Loop:
    """State of one event loop."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    uses: dict[Path, _Use] = field(default_factory=dict)
    crashes: dict[Path, float] = field(default_factory=dict)
    """Time of the last unexpected end of each model's process."""

    def let_go(self, model: Path) -> None:
        if (use := self.uses.pop(model, None)) is not None:
            if use.timer is not None:
                use.timer.cancel()
            use.users.release()


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Loop] = WeakKeyDictionary()
_children: dict[int, "subprocess.Popen[bytes]"] = {}
"""Processes started here, by process id: they may outlive their use here."""


@asynccontextmanager
async def serving(
    path: Path, window: int | None = None, *, machine: Machine | None = None, start_seconds: float | None = None
) -> AsyncIterator[Served]:
    """Keep the process that serves a model file running during a call; starts it if there is none.

    Args:
        path: of the model file.
        window: tokens of context that the operator set; None chooses the size here. A running process keeps its
            context.
        machine: free resources; measured by default.
        start_seconds: maximum seconds of waiting for the process; by default the time that a slow disk takes to read
            the model.

    Raises:
        SettingsError: the model cannot be served here; the message says why and what to do.
        ModelError: the process has ended unexpectedly, twice.
    """
    loop = asyncio.get_running_loop()
    own = _loops.setdefault(loop, _Loop())
    async with own.lock:
        use = own.uses.get(path)
        if use is not None and not await asyncio.to_thread(use.files.alive):
            own.let_go(path)
            await asyncio.to_thread(_note_crash, own, path, use)
            use = None
        if use is None:
            use = own.uses[path] = await _join_or_start(path, window, machine, start_seconds)
            close_with_connections(_let_go_of_all)
        use.calls += 1
        if use.timer is not None:
            use.timer.cancel()
    try:
        yield use.served
    finally:
        use.calls -= 1
        if not use.calls and own.uses.get(path) is use:
            use.timer = loop.call_later(IDLE_SECONDS, own.let_go, path)


def foreseen(path: Path, window: int | None) -> str:
    """Describe a model file's share of this machine in words. Blocking.

    Raises:
        SettingsError: the model cannot be served here.
    """
    model = _checked(path)
    size = f"{model.weights / 1e9:.1f} GB"
    if shared_files(model.path).alive():
        return f"{size}, runs already"
    share = share_of(model, this_machine(), window)
    threads = f"{share.threads} threads" if share.threads else "threads as llama.cpp chooses"
    return f"{size}, a context of {share.context:,} tokens, {threads}"


def server_of(path: Path) -> Served:
    """Return the running process that serves a model file.

    Raises:
        SettingsError: the process is not in use; `serving` starts it.
    """
    try:
        return _loops[asyncio.get_running_loop()].uses[path].served
    except (KeyError, RuntimeError):  # the event loop may also be missing
        raise SettingsError(
            f"llama.cpp runs for the model {path.name} only while a run calls it. To use the model in a program of your own, start "
            "llama-server, and name its address in OPENAI_BASE_URL."
        ) from None


async def _let_go_of_all() -> None:
    """Release all processes that the running event loop uses."""
    own = _loops.pop(asyncio.get_running_loop(), None)
    for path in list(own.uses) if own else []:
        own.let_go(path)  # type: ignore[union-attr]  # there are uses


def _note_crash(own: _Loop, path: Path, use: _Use) -> None:
    """Record the unexpected end of a process in use. Blocking.

    Raises:
        ModelError: the previous unexpected end was less than `CRASH_SECONDS` ago.
    """
    reason = _end_of(use.files, _children.pop(use.served.pid, None))
    log("llamacpp_ended", WARNING, pid=use.served.pid)
    before = own.crashes.get(path)
    own.crashes[path] = time.monotonic()
    if before is not None and time.monotonic() - before < CRASH_SECONDS:
        raise ModelError(
            f"llama.cpp, which serves {path.name}, has ended unexpectedly twice{reason}. Choose a smaller model or a lower "
            "LEADLINE_CONTEXT_WINDOW if memory runs short; then go on with: leadline resume"
        )


async def _join_or_start(path: Path, window: int | None, machine: Machine | None, start_seconds: float | None) -> _Use:
    model = await asyncio.to_thread(_checked, path)
    limit = start_seconds if start_seconds is not None else START_SECONDS + model.weights / BYTES_A_SECOND
    files = await asyncio.to_thread(shared_files, model.path)
    users = starts = child = None
    try:
        async with asyncio.timeout(limit):
            starts = await _taken(files.starts)
            users = await _taken(files.users, shared=True)
            if not await asyncio.to_thread(files.alive):
                free = await asyncio.to_thread(this_machine) if machine is None else machine
                child = await asyncio.to_thread(_start, model.path, files, share_of(model, free, window))
            record = await _recorded(path, files, child)
    except TimeoutError:
        await _give_up(users, child)
        raise SettingsError(
            f"llama.cpp did not load the model {path.name} within {limit:.0f} s. Other programs may keep the machine or its disk "
            "busy; try again, or choose a smaller model."
        ) from None
    except BaseException:
        await _give_up(users, child)
        raise
    finally:
        if starts is not None:
            starts.release()
    served = Served(f"{record.address}/v1", record.key, record.context, record.slots, record.pid)
    return _Use(files, users, served)


def _checked(path: Path) -> ModelFile:
    if sys.platform == "win32":
        raise SettingsError(
            f"llamacpp:{path.name} cannot be started on Windows. Start llama-server yourself, and name its address in OPENAI_BASE_URL."
        )
    if not is_installed("xllamacpp") or not is_installed("psutil"):
        raise NotInstalled(f"The model {path.name} needs llama.cpp, which is not installed.", install_command(EXTRA))
    return read_model_file(path.expanduser().resolve())


async def _taken(path: Path, *, shared: bool = False) -> Lock:
    """Wait for a lock; other processes hold it briefly, or while a model is being loaded."""
    lock = None
    while lock is None:
        taking = asyncio.ensure_future(asyncio.to_thread(Lock.take, path, shared=shared))
        try:
            lock = await asyncio.shield(taking)
        except asyncio.CancelledError:
            if (taken := await taking) is not None:
                taken.release()
            raise
        if lock is None:
            await asyncio.sleep(_LOOK)
    return lock


def _start(path: Path, files: SharedFiles, share: Share) -> "subprocess.Popen[bytes]":
    """Start the process, which loads the model. Blocking."""
    for number in [number for number, child in _children.items() if child.poll() is not None]:
        del _children[number]
    settings = {
        "model": str(path),
        "alias": path.name,
        "key": secrets.token_urlsafe(32),
        "grace": GRACE_SECONDS,
        **asdict(share),
        **{name: str(getattr(files, name)) for name in ("record", "users", "starts")},
    }
    with os.fdopen(os.open(files.words, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as words:
        child = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=words,
            stderr=words,
            cwd=files.words.parent,
            env={name: value for name, value in os.environ.items() if _INHERITED.fullmatch(name)},
            start_new_session=True,  # Ctrl-C in this terminal must not end a process that other runs use
        )
    _children[child.pid] = child
    assert child.stdin is not None  # noqa: S101 - a pipe, as asked for
    with suppress(BrokenPipeError), child.stdin as given:  # `_recorded` reports its errors
        given.write(json.dumps(settings).encode())
    return child


async def _recorded(path: Path, files: SharedFiles, child: "subprocess.Popen[bytes] | None") -> Record:
    """Wait until the process reports that the model is loaded.

    Raises:
        SettingsError: the process has ended instead.
    """
    while True:
        ended = child.poll() is not None if child is not None else not await asyncio.to_thread(files.alive)
        record = await asyncio.to_thread(files.read)
        if ended:
            reason = await asyncio.to_thread(_end_of, files, child)
            raise SettingsError(
                f"llama.cpp cannot load the model {path.name}{reason}. If the file is incomplete, download it again; if its kind of "
                f"model is new, renew llama.cpp: {install_command(EXTRA)} --upgrade"
            )
        if record is not None and (child is None or record.pid == child.pid):
            return record
        await asyncio.sleep(_LOOK)


def _end_of(files: SharedFiles, child: "subprocess.Popen[bytes] | None") -> str:
    """Return the reason for which a process has ended, as the end of a sentence, as far as it is known. Blocking."""
    code = None
    if child is not None:
        with suppress(subprocess.TimeoutExpired):
            code = child.wait(_END_SECONDS)
    if code == -signal.SIGKILL:
        return " (the system ended it, which it does when memory runs out)"
    files.read()  # registers the key
    words = without_secrets(files.last_words())
    lines = [_TIME_STAMP.sub("", line).strip() for line in words.splitlines() if line.strip()]
    told = next((line.partition(_LOADING)[2] for line in lines if _LOADING in line), lines[-1] if lines else "")
    ended = f"signal {-code}" if code is not None and code < 0 else ""
    reason = ": ".join(part for part in (ended, told[:_MAX_TOLD].rstrip(".")) if part)
    return f" ({reason})" if reason else ""


async def _give_up(users: Lock | None, child: "subprocess.Popen[bytes] | None") -> None:
    """Release a process that is not ready, and end it if it was started here."""
    if users is not None:
        users.release()
    if child is not None and child.poll() is None:
        child.kill()
