"""Worker processes that parse untrusted data, confined like model-written code: bytes in, a JSON answer out.

They read only the application's libraries, write no file, and reach no network and no other process. Answers are
validated against a type, since a compromised parser may answer anything.
"""

import asyncio
import contextlib
import json
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from services.run.installation import PROJECT_ROOT
from services.sandbox.interpreter import JAIL, jail_command, own_interpreter
from services.sandbox.seccomp import filter_program

MEMORY = 3_000_000_000
"""Maximum bytes of a process's address space, unless a pool has its own."""
OPEN_FILES = 256
START_SECONDS = 60.0
OWN = ("schemas", "services")
"""Our packages that workers import."""
_PROCESSORS = ("/proc/cpuinfo", "/sys/devices/system/cpu")
"""Files that the ONNX runtime of the document converter reads; without them it ends the process."""
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LANG", "TZ")
"""Environment variables that a worker inherits; keys are not among them."""


Answer = TypeVar("Answer")


class Workers(contextlib.AbstractAsyncContextManager["Workers[Answer]"], Generic[Answer]):
    """A pool of processes that run one module; an async context manager within one event loop.

    They start when they are needed, are reused, and are replaced when they die or take too long.
    """

    def __init__(
        self,
        module: str,
        answers: TypeAdapter[Answer],
        *,
        count: int = 1,
        longest: int = 200_000_000,
        memory: int = MEMORY,
        root: Path = PROJECT_ROOT,
        own: tuple[str, ...] = OWN,
    ) -> None:
        """Create a pool of `count` processes whose `module.main` serves jobs (see `jobs.py`).

        `longest` bounds an answer and `memory` the address space of a process, in bytes; `root` is the folder of our
        packages, `own` those needed.
        """
        self.problem = ""
        """Reason why the processes are not confined; empty if they are, or if none has started."""
        self._module, self._answers, self._longest, self._root, self._own = module, answers, longest, root, own
        self._memory = memory
        self._turns = asyncio.Semaphore(count)
        self._idle: list[asyncio.subprocess.Process] = []
        self._died = False
        """Whether a process ended while it confined itself."""

    async def __aexit__(self, *_: object) -> None:
        while self._idle:
            await _end(self._idle.pop())

    async def run(self, job: Mapping[str, object], data: bytes, seconds: float) -> Answer | None:
        """Do one job.

        Returns:
            The answer; None if the process died, took too long or gave an invalid answer.
        """
        async with self._turns:
            child = await self._child()
            answer = None
            try:
                answer = await self._ask(child, job, data, seconds)
            finally:
                if answer is not None:
                    self._idle.append(child)
                else:
                    await _end(child)
        return answer

    async def _child(self) -> asyncio.subprocess.Process:
        while self._idle:
            child = self._idle.pop()
            if child.returncode is None:
                return child
            await _end(child)
        child = await self._start()
        await self._load(child)
        return child

    async def _start(self) -> asyncio.subprocess.Process:
        """Start a process; if it ends while it confines itself, before it saw any data, start one without confinement."""
        child = await self._started(self.problem if self._died else "")
        if child.returncode is None:
            return child
        self._died = True
        return await self._started("the process ended while it was locked in")

    async def _started(self, unlocked: str) -> asyncio.subprocess.Process:
        """Start a process and read its first line, which says whether it is confined."""
        command = await asyncio.to_thread(self._command, unlocked)
        known = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        child = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**known, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            limit=self._longest,
        )
        assert child.stdout is not None  # noqa: S101 - a pipe, as asked for
        try:
            async with asyncio.timeout(START_SECONDS):
                self.problem = json.loads(await child.stdout.readline())["problem"]
        except (TimeoutError, ValueError):
            await _end(child)
        except BaseException:
            await _end(child)
            raise
        return child

    async def _load(self, child: asyncio.subprocess.Process) -> None:
        """Wait until a process has loaded its libraries, which is no part of a job's time. If that fails, so will its job."""
        assert child.stdout is not None  # noqa: S101 - a pipe, as asked for
        try:
            with contextlib.suppress(TimeoutError, ValueError):
                async with asyncio.timeout(START_SECONDS):
                    await child.stdout.readline()
        except BaseException:
            await _end(child)
            raise

    def _command(self, unlocked: str) -> list[str]:
        own = own_interpreter()
        try:
            instructions = filter_program(platform.machine())
        except ValueError:
            instructions = b""
        return jail_command(
            sys.executable,
            instructions,
            memory=self._memory,
            file_size=0,
            open_files=OPEN_FILES,
            readable=[*own.readable, *_PROCESSORS, str(JAIL), *(str(self._root / name) for name in self._own)],
            packages=own.packages,
            hide=True,
            module=self._module,
            root=str(self._root),
            own=self._own,
            unlocked=unlocked,
        )

    async def _ask(
        self, child: asyncio.subprocess.Process, job: Mapping[str, object], data: bytes, seconds: float
    ) -> Answer | None:
        assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - both are pipes, as asked for
        head = json.dumps({**job, "bytes": len(data)}).encode() + b"\n"
        try:
            async with asyncio.timeout(seconds):
                child.stdin.write(head)
                child.stdin.write(data)
                await child.stdin.drain()
                line = await child.stdout.readline()
            return self._answers.validate_json(line)
        except (TimeoutError, OSError, ValueError):  # ValueError: no answer, a wrong type, or a line too long
            return None


async def _end(child: asyncio.subprocess.Process) -> None:
    """Kill a process, and see it end even when the caller is cancelled meanwhile."""
    if child.stdin is not None:
        child.stdin.close()
    with contextlib.suppress(ProcessLookupError):
        child.kill()
    try:
        await child.wait()
    except asyncio.CancelledError:
        await child.wait()
        raise
