"""A server that is a program of this machine: started with a clean environment, and always ended.

The SDK's own transport hands the program's noise to our stderr, reads lines of any length into memory and does not say that
the program has ended; hence this one. Each program is marked by a variable in its environment, so that whatever it has
started can be found and ended after it, even what has left its process group.
"""

import asyncio
import contextlib
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from services.tools.mcp.configuration import Server
from services.tools.mcp.failures import Broken

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.shared.message import SessionMessage

    Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

MAX_LINE = 20_000_000
"""Maximum bytes of one message."""
MAX_NOISE = 50
"""Maximum lines that are not messages, after which the program is not regarded as a server."""
GRACE_SECONDS = 2.0
"""Seconds to exit after its input is closed, and again after SIGTERM."""
START_SECONDS = 0.25
"""Seconds for which a starting process may have no visible environment."""
MARK = "LEADLINE_MCP_MARK"
MARKS: set[str] = set()
"""Marks of the running programs."""
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")

Lost = Callable[[Broken], None]
"""Called once when the connection becomes unusable."""


@asynccontextmanager
async def session_with(server: Server, lost: Lost, options: dict[str, Any]) -> AsyncIterator["ClientSession"]:
    """Hold an uninitialised session with a server's program, which runs as long as the block.

    Raises:
        Broken: the program cannot be started.
    """
    from mcp import ClientSession

    async with _program(server, lost) as streams, ClientSession(*streams, **options) as session:
        yield session


@asynccontextmanager
async def _program(server: Server, lost: Lost) -> AsyncIterator["Streams"]:
    mark = secrets.token_hex(16)
    process = await _started(server, mark)
    MARKS.add(mark)
    incoming, messages = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
    outgoing, to_send = anyio.create_memory_object_stream["SessionMessage"](0)
    work = [
        asyncio.create_task(_read(process, incoming, lost)),
        asyncio.create_task(_write(process, to_send, lost)),
    ]
    try:
        yield messages, outgoing
    finally:
        try:
            await _end(process)
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            for stream in (incoming, messages, outgoing, to_send):
                stream.close()
            await asyncio.to_thread(sweep, mark)
            MARKS.discard(mark)


async def _started(server: Server, mark: str) -> asyncio.subprocess.Process:
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    try:
        return await asyncio.create_subprocess_exec(
            server.command,
            *server.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**inherited, **server.env, MARK: mark},
            start_new_session=True,
            limit=MAX_LINE,
        )
    except (OSError, ValueError) as error:
        raise Broken("unstartable", getattr(error, "strerror", "") or type(error).__name__) from None


async def _read(
    process: asyncio.subprocess.Process,
    incoming: "MemoryObjectSendStream[SessionMessage | Exception]",
    lost: Lost,
) -> None:
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCMessage

    assert process.stdout is not None  # noqa: S101 - it was opened as a pipe
    noise, messages = 0, 0
    while True:
        try:
            line = await process.stdout.readline()
        except ValueError:
            lost(Broken("garbage"))
            return
        if not line:
            lost(Broken("died") if messages else Broken("ended"))
            return
        try:
            message = JSONRPCMessage.model_validate_json(line)
        except ValueError:
            noise += bool(line.strip())
            if noise > MAX_NOISE:
                lost(Broken("garbage"))
                return
            continue
        messages += 1
        await incoming.send(SessionMessage(message))


async def _write(
    process: asyncio.subprocess.Process, to_send: "MemoryObjectReceiveStream[SessionMessage]", lost: Lost
) -> None:
    assert process.stdin is not None  # noqa: S101 - it was opened as a pipe
    async for message in to_send:
        process.stdin.write(message.message.model_dump_json(by_alias=True, exclude_none=True).encode() + b"\n")
        try:
            await process.stdin.drain()
        except OSError:
            lost(Broken("died"))
            return


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a program in the protocol's order: close its input, send SIGTERM, then SIGKILL to its whole group."""
    if process.stdin is not None:
        process.stdin.close()
    for signal_number in (None, signal.SIGTERM, signal.SIGKILL):
        if signal_number is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal_number)
        try:
            async with asyncio.timeout(GRACE_SECONDS):
                await process.wait()
        except TimeoutError:
            continue
        break
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def sweep(mark: str) -> None:
    """End every process with a mark, and wait for it. Blocking; does nothing without /proc."""
    started = time.monotonic()
    while (seconds := time.monotonic() - started) < GRACE_SECONDS:
        processes, starting = _marked(mark)
        if not processes and not (starting and seconds < START_SECONDS):
            return
        for process in processes:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.005)


def _marked(mark: str) -> tuple[list[int], bool]:
    """Return the processes with a mark, and whether there is a process without a visible environment."""
    processes, starting = [], False
    variable = f"{MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            environment = (folder / "environ").read_bytes()
            if variable in environment.split(b"\0"):
                processes.append(int(folder.name))
            elif not environment:
                (folder / "exe").readlink()  # fails for ended processes and kernel threads
                starting = True
    return processes, starting
