"""The processes that turn bodies into text: a few, reused, and ended when one takes too long."""

import asyncio
import contextlib
import json
import os
import sys
from types import TracebackType
from typing import Self

from services.search.pages.extract import Extracted, Job
from services.settings import PROJECT_ROOT

_PASSED_ON = (
    "PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "TMPDIR",
    "LANG",
    "TZ",
)
"""What a child knows of the environment; keys are not among it."""
_LINE = 60_000_000
"""Longest answer, in bytes: two million characters, escaped."""


class Extractors:
    """Child processes; use as an async context manager, within one event loop."""

    def __init__(self, count: int = 2) -> None:
        self._turns = asyncio.Semaphore(count)
        self._idle: list[asyncio.subprocess.Process] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._idle:
            await _end(self._idle.pop())

    async def run(self, job: Job, seconds: float) -> Extracted:
        """Do one job; a process that dies or takes too long is an `error`, and is replaced."""
        async with self._turns:
            child = await self._child()
            answer = None
            try:
                answer = await _ask(child, job, seconds)
            finally:
                if answer is not None:
                    self._idle.append(child)
                else:
                    await _end(child)
        return answer or {"error": "turning it into text took too long or failed"}

    async def _child(self) -> asyncio.subprocess.Process:
        """Return a process that waits for work, leaving out those that died while they waited."""
        while self._idle:
            child = self._idle.pop()
            if child.returncode is None:
                return child
            await _end(child)
        return await _start()


async def _start() -> asyncio.subprocess.Process:
    known = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.search.pages.extract",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        cwd=PROJECT_ROOT, env={**known, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}, limit=_LINE,
    )  # fmt: skip


async def _ask(child: asyncio.subprocess.Process, job: Job, seconds: float) -> Extracted | None:
    assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - both are pipes, as asked for
    try:
        async with asyncio.timeout(seconds):
            child.stdin.write(json.dumps(job).encode() + b"\n")
            await child.stdin.drain()
            line = await child.stdout.readline()
        answer: Extracted = json.loads(line)
    except (TimeoutError, OSError, ValueError):  # ValueError: no answer, or one longer than a line may be
        return None
    return answer


async def _end(child: asyncio.subprocess.Process) -> None:
    if child.stdin is not None:
        child.stdin.close()
    with contextlib.suppress(ProcessLookupError):
        child.kill()
    await child.wait()
