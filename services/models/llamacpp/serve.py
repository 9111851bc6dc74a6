"""Starts the process that serves a model file; it ends with the run, or after a long pause between calls."""

import asyncio
import json
import os
import re
import secrets
import signal
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO
from weakref import WeakKeyDictionary

from pydantic import SecretStr

from services.models.endpoint import close_with_connections
from services.models.endpoint_memory import learned
from services.models.llamacpp.resources import FreeResources, MachineShare, share_of, size_of, this_machine
from services.run.errors import ModelError, NotInstalled, SettingsError
from services.run.installation import install_command, is_installed
from services.run.log import WARNING, log
from services.run.roles import RoleModel
from services.run.secrecy import register_secrets, without_secrets
from services.run.ui_text import say, told

EXTRA = "local"
_PROGRAM = Path(__file__).with_name("child.py")
IDLE_SECONDS = 120.0
"""Seconds without a call after which the process ends: a server must not keep an unused model in memory."""
START_SECONDS, BYTES_A_SECOND = 60.0, 50_000_000
"""Seconds to wait for a model to load, plus its size at the reading speed of a slow disk."""
CRASH_SECONDS = 600.0
"""Seconds after an unexpected end in which a second one is an error; the first time, the process is started again."""
_END_SECONDS = 5.0
"""Seconds for a process to end by itself."""
_MAX_WORDS, _MAX_TOLD = 4_000, 300
"""Bytes that are read of a process's own output, and characters of it in an error message."""
_INHERITED = re.compile(
    r"PATH|HOME|LANG|LC_ALL|TMPDIR|PYTHON(?:PATH|HOME|UTF8)|(?:DY)?LD_LIBRARY_PATH|(?:OMP|GOMP|GGML|CUDA|HIP|ROCR)_\w+"
)
"""Environment variables that the process inherits: none that holds a secret."""
_TIME_STAMP = re.compile(r"^[\d.]+ [A-Z] ")
_LOADING = re.compile(r"(?:error loading model|gguf_init_from_reader): (?!llama_model_loader: failed)(.*)")
"""Why a model cannot be loaded, in llama.cpp's words."""


@dataclass(slots=True)
class Served:
    """A process that serves a model to one event loop."""

    child: Process
    words: IO[bytes]
    """Its output, which is errors only."""
    key: SecretStr
    base_url: str = ""
    """Address of its OpenAI-compatible API, on loopback."""
    context: int = 0
    """Tokens of its context."""
    calls: int = 0
    """Calls under way."""
    timer: asyncio.TimerHandle | None = None
    """Ends the process after a long pause."""


@dataclass(slots=True)
class _Loop:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    served: dict[Path, Served] = field(default_factory=dict)
    crashes: dict[Path, float] = field(default_factory=dict)
    """Time of the last unexpected end of each model's process."""
    ending: set["asyncio.Task[str]"] = field(default_factory=set)

    def let_go(self, path: Path) -> None:
        if (served := self.served.pop(path, None)) is not None:
            task = asyncio.ensure_future(_end(served))
            self.ending.add(task)
            task.add_done_callback(self.ending.discard)


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Loop] = WeakKeyDictionary()


@asynccontextmanager
async def at_hand(model: RoleModel) -> AsyncIterator[None]:
    """Keep the process of a model file running while the block runs; does nothing for other models.

    Raises:
        SettingsError: the model cannot be served here.
        ModelError: its process has ended unexpectedly, twice.
    """
    if model.file is None:
        yield
        return
    async with serving(model.file, model.context_window) as served:
        learned(model).context_window = served.context
        yield


def addressed(model: RoleModel) -> RoleModel:
    """Return a model with the address and key of its process; call it inside `at_hand`."""
    if model.file is None:
        return model
    served = _loops[asyncio.get_running_loop()].served[model.file]
    return model.model_copy(update={"base_url": served.base_url, "api_key": served.key})


@asynccontextmanager
async def serving(
    path: Path, window: int | None = None, *, machine: FreeResources | None = None, start_seconds: float | None = None
) -> AsyncIterator[Served]:
    """Keep the process that serves a model file running during a call; start it if necessary.

    A new process gets the context of `window` tokens where the operator set it; it is waited for by default as long as
    a slow disk takes to read the model.

    Raises:
        SettingsError: the model cannot be served here; the message says why and what to do.
        ModelError: the process has ended unexpectedly, twice.
    """
    loop = asyncio.get_running_loop()
    own = _loops.setdefault(loop, _Loop())
    async with own.lock:
        served = own.served.get(path)
        if served is not None and served.child.returncode is not None:
            del own.served[path]
            await _note_crash(own, path, served)
            served = None
        if served is None:
            served = own.served[path] = await _started(path, window, machine, start_seconds)
            close_with_connections(_let_go_of_all)
        served.calls += 1
        if served.timer is not None:
            served.timer.cancel()
    try:
        yield served
    finally:
        served.calls -= 1
        if not served.calls and own.served.get(path) is served:
            served.timer = loop.call_later(IDLE_SECONDS, own.let_go, path)


def foreseen(path: Path, window: int | None) -> str:
    """Describe a model file's share of this machine in words. Blocking.

    Raises:
        SettingsError: the model cannot be served here.
    """
    path = _checked(path)
    share = share_of(path, this_machine(), window)
    threads = f"{share.threads} threads" if share.threads else "threads as llama.cpp chooses"
    return f"{size_of(path) / 1e9:.1f} GB, a context of up to {share.context:,} tokens, {threads}"


def _checked(path: Path) -> Path:
    if not is_installed("xllamacpp") or not is_installed("psutil"):
        raise NotInstalled(say("file_needs", model=path.name), install_command(EXTRA))
    return path.expanduser().resolve()


async def _started(
    path: Path, window: int | None, machine: FreeResources | None, start_seconds: float | None
) -> Served:
    file = await asyncio.to_thread(_checked, path)
    limit = start_seconds
    if limit is None:
        limit = START_SECONDS + await asyncio.to_thread(size_of, file) / BYTES_A_SECOND
    free = await asyncio.to_thread(this_machine) if machine is None else machine
    starting = asyncio.ensure_future(_process(file, await asyncio.to_thread(share_of, file, free, window)))
    try:
        served = await asyncio.shield(starting)
    except asyncio.CancelledError:  # asyncio would leave the pipes of a half-started process open
        await _end(await starting)
        raise
    assert served.child.stdout is not None  # noqa: S101 - a pipe, as asked for
    answer = b""
    try:
        async with asyncio.timeout(limit):
            answer = await served.child.stdout.readline()
    except TimeoutError:
        raise SettingsError(**told("file_slow", model=path.name, seconds=f"{limit:.0f}")) from None
    finally:
        if not answer:
            reason = await _end(served)
    if not answer:
        raise SettingsError(**told("file_unloadable", model=path.name, reason=reason, command=install_command(EXTRA)))
    about = json.loads(answer)
    served.base_url, served.context = f"{about['address']}/v1", about["context"]
    return served


async def _process(path: Path, share: MachineShare) -> Served:
    key = secrets.token_urlsafe(32)
    register_secrets([key])
    environment = {name: value for name, value in os.environ.items() if _INHERITED.fullmatch(name)}
    command = (sys.executable, "-P", str(_PROGRAM))
    with ExitStack() as unless_started:
        words = unless_started.enter_context(tempfile.TemporaryFile())
        # In a session of its own: Ctrl-C in this terminal must not end it before its run
        child = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=words, env=environment, start_new_session=True
        )
        unless_started.pop_all()
    assert child.stdin is not None  # noqa: S101 - a pipe, as asked for
    settings = {"model": str(path), "alias": path.name, "key": key, **asdict(share)}
    child.stdin.write(json.dumps(settings).encode() + b"\n")
    return Served(child, words, SecretStr(key))


async def _note_crash(own: _Loop, path: Path, served: Served) -> None:
    """Record the unexpected end of a process in use.

    Raises:
        ModelError: the previous unexpected end was less than `CRASH_SECONDS` ago.
    """
    reason = await _end(served)
    log("llamacpp_ended", WARNING, pid=served.child.pid)
    before = own.crashes.get(path)
    own.crashes[path] = time.monotonic()
    if before is not None and time.monotonic() - before < CRASH_SECONDS:
        raise ModelError(**told("file_ended", model=path.name, reason=reason))


async def _end(served: Served) -> str:
    """End a process, and return why it had ended by itself, as the end of a sentence; empty if unknown."""
    if served.timer is not None:
        served.timer.cancel()
    assert served.child.stdin is not None  # noqa: S101 - a pipe, as asked for
    served.child.stdin.close()  # asks it to end; one that still loads the model does not hear that
    ended = asyncio.ensure_future(served.child.wait())
    # not `asyncio.timeout`, which up to Python 3.11.2 lets a task that is being cancelled leave here (github.com/python/cpython/issues/102780)
    await asyncio.wait([ended], timeout=_END_SECONDS if served.base_url else 0.1)
    code = ended.result() if ended.done() else 0
    if not ended.done():
        with suppress(ProcessLookupError):
            served.child.kill()
        await ended
    words = await asyncio.to_thread(_last_words, served.words)
    if code == -signal.SIGKILL:
        return say("file_killed")
    lines = [_TIME_STAMP.sub("", line).strip() for line in without_secrets(words).splitlines() if line.strip()]
    last_line = next((match[1] for match in map(_LOADING.search, lines) if match), lines[-1] if lines else "")
    reason = ": ".join(filter(None, (f"signal {-code}" if code < 0 else "", last_line[:_MAX_TOLD].rstrip("."))))
    return say("file_reason", reason=reason) if reason else ""


def _last_words(words: IO[bytes]) -> str:
    with words:
        words.seek(max(0, words.seek(0, os.SEEK_END) - _MAX_WORDS))
        return words.read().decode("utf-8", "replace")


async def _let_go_of_all() -> None:
    own = _loops.pop(asyncio.get_running_loop(), None)
    if own is not None:
        for path in list(own.served):
            own.let_go(path)
        await asyncio.gather(*own.ending)
