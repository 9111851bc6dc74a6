"""A server that is a program of this machine: started with a clean environment, and always ended.

The SDK ends the program and its process group. Each program is also marked by a variable in its environment, so that whatever it has
started can be found and ended after it, even what has left that group.
"""

import asyncio
import contextlib
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from services.tools.mcp.configuration import Server

if TYPE_CHECKING:
    from mcp import ClientSession

SWEEP_SECONDS = 2.0
"""Seconds to look for what a program has started, after it has ended."""
START_SECONDS = 0.25
"""Seconds for which a starting process may have no visible environment."""
MARK = "LEADLINE_MCP_MARK"
MARKS: set[str] = set()
"""Marks of the running programs."""
_INHERITED = ("LANG", "LC_ALL", "TMPDIR")
"""Variables that the program gets beside those that the SDK passes on (PATH, HOME, USER, LOGNAME, SHELL, TERM)."""


@asynccontextmanager
async def session_with(server: Server, options: dict[str, Any]) -> AsyncIterator["ClientSession"]:
    """Hold an uninitialised session with a server's program, which runs as long as the block.

    Raises:
        OSError: the program cannot be started.
    """
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    mark = secrets.token_hex(16)
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    program = StdioServerParameters(
        command=server.command,
        args=list(server.args),
        env={**inherited, **server.env, MARK: mark},
        encoding_error_handler="replace",
    )
    MARKS.add(mark)
    try:
        with await asyncio.to_thread(open, os.devnull, "w") as nowhere:
            async with stdio_client(program, nowhere) as streams, ClientSession(*streams, **options) as session:
                yield session
    finally:
        await asyncio.to_thread(sweep, mark)
        MARKS.discard(mark)


def sweep(mark: str) -> None:
    """End every process with a mark, and wait for it. Blocking; does nothing without /proc."""
    started = time.monotonic()
    while (seconds := time.monotonic() - started) < SWEEP_SECONDS:
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
