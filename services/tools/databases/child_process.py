"""One question to a process of its own: what is hostile in a file or a query can end that process and nothing else.

The parent asks with `ask_child`; the child is a module whose `main` calls `serve`. The question is one line of JSON on the
child's standard input, with data behind it, the answer one on its standard output. The child has an environment without secrets and hard limits;
when its standard input closes, its parent has no more use for the answer, or is gone, and it ends.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.run.settings import PROJECT_ROOT

MAX_ANSWER = 64_000_000
"""Bytes of an answer."""
FILE_SIZE = 1 << 20
"""Bytes that a child may write to a file: room for SQLite's shared memory, and for nothing else."""
_GRACE = 1.0
"""Seconds that a child has for ending what it began, at a server for example."""
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "SYSTEMROOT")


class ChildEnded(Exception):
    """The child ended without an answer: it used more than it may, or crashed."""


async def ask_child(
    module: str,
    request: Mapping[str, Any],
    data: bytes = b"",
    *,
    seconds: float,
    environment: Sequence[str] = (),
) -> dict[str, Any]:
    """Ask a module in a process of its own.

    Args:
        module: is run as `python -m`.
        request: what to do, as JSON; secrets are safe in it, since it is on no command line and in no file.
        data: what to do it with.
        seconds: most seconds; then the process is killed.
        environment: beginnings of names of further variables that it gets.

    Raises:
        TimeoutError: it took too long.
        ChildEnded: it ended without an answer.
    """
    names = [name for name in os.environ if name in _PASSED_ON or name.startswith(tuple(environment))]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        cwd=PROJECT_ROOT, env={name: os.environ[name] for name in names},
    )  # fmt: skip
    assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - both are pipes, as asked for
    try:
        async with asyncio.timeout(seconds):
            child.stdin.write(json.dumps({**request, "bytes": len(data)}).encode() + b"\n")
            child.stdin.write(data)
            with contextlib.suppress(ConnectionError):
                await child.stdin.drain()
            answer = await _whole(child.stdout)
    finally:
        await _end(child)
    try:
        told = json.loads(answer)
    except ValueError:
        raise ChildEnded from None
    return dict(told)


async def _whole(stream: asyncio.StreamReader) -> bytes:
    parts, size = [], 0
    while part := await stream.read(1 << 16):
        parts.append(part)
        size += len(part)
        if size > MAX_ANSWER:
            raise ChildEnded
    return b"".join(parts)


async def _end(child: asyncio.subprocess.Process) -> None:
    """Ask a child to end, and kill it when it does not."""
    assert child.stdin is not None  # noqa: S101 - it is a pipe, as asked for
    child.stdin.close()
    try:
        async with asyncio.timeout(_GRACE):
            await child.wait()
    except TimeoutError:
        pass
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()


def serve(
    work: Callable[[dict[str, Any], bytes], dict[str, Any]], *, memory: int, gone: Callable[[], None] = lambda: None
) -> None:
    """Answer one question, as the child.

    Args:
        work: answers a request with its data; what it raises ends the process without an answer, but for a lack of memory.
        memory: bytes of address space that it may use.
        gone: ends what was begun elsewhere, when the parent is gone; runs in another thread.
    """
    request = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read(request["bytes"])
    answers, sys.stdout = sys.stdout, sys.stderr
    _limit(memory, int(request.get("seconds", 60)) + 5)

    def watch() -> None:
        while os.read(0, 1024):
            pass
        with contextlib.suppress(Exception):
            gone()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    try:
        answer = work(request, data)
    except MemoryError:
        answer = {"error": "It needs more memory than it may use. Ask for less at once."}
    text = json.dumps(answer, ensure_ascii=True)
    answers.write(text)
    answers.flush()
    os._exit(0)


def _limit(memory: int, seconds: int) -> None:
    """Set limits that this process cannot raise again. Elsewhere than on Unix, the parent's clock alone counts."""
    if sys.platform == "win32":
        return
    import resource

    for what, value in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        most = resource.getrlimit(what)[1]
        own = value if most == resource.RLIM_INFINITY else min(value, most)
        with contextlib.suppress(ValueError, OSError):  # macOS knows no limit of address space
            resource.setrlimit(what, (own, own))
