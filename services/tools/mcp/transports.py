"""Connects to a server: at an address by streamable HTTP or SSE, or by starting its program with a clean environment, which is always ended.

Addresses that came with a run are checked like those of web pages. The SDK ends a program and its process group. Each program is also marked
by a variable in its environment, so that whatever it has started can be found and ended after it, even what has left that group.
"""

import asyncio
import contextlib
import os
import secrets
import signal
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import httpcore
import httpx

from services.run.errors import PageError
from services.run.settings import settings
from services.search.pages.addresses import HostAllowance
from services.search.pages.fetch import tls_context
from services.search.pages.guard import GuardedBackend
from services.tools.mcp.configuration import Server

if TYPE_CHECKING:
    from langchain_mcp_adapters.sessions import Connection
    from mcp import ClientSession

MAX_BODY = 20_000_000
"""Maximum bytes of one answer."""
HTTP_SECONDS = 30.0
"""Seconds for connecting and sending; the caller limits the time for an answer."""
READ_SECONDS = 300.0

SWEEP_SECONDS = 2.0
"""Seconds to look for what a program has started, after it has ended."""
START_SECONDS = 0.25
"""Seconds for which a starting process may have no visible environment."""
MARK = "LEADLINE_MCP_MARK"
MARKS: set[str] = set()
"""Marks of the running programs."""
OnMessage = Callable[[Any], Awaitable[None]]
"""Takes what comes from a server outside of answers to calls, and errors of the connection."""
_INHERITED = ("LANG", "LC_ALL", "TMPDIR")
"""Variables that the program gets beside those that the SDK passes on (PATH, HOME, USER, LOGNAME, SHELL, TERM)."""


@asynccontextmanager
async def session_at(server: Server, options: dict[str, Any]) -> AsyncIterator["ClientSession"]:
    """Hold an uninitialised session with a server at an address while the block runs."""
    from langchain_mcp_adapters.sessions import create_session

    tls = await asyncio.to_thread(tls_context)

    def client(
        headers: dict[str, str] | None = None, timeout: httpx.Timeout | None = None, auth: httpx.Auth | None = None
    ) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers=headers,
            timeout=timeout,
            auth=auth,
            follow_redirects=True,
            trust_env=False,
            transport=Guarded(server, tls, options["message_handler"]),
        )

    connection = {
        "transport": "sse" if server.transport == "sse" else "streamable_http",
        "url": server.url,
        "headers": dict(server.headers),
        "timeout": HTTP_SECONDS,
        "sse_read_timeout": READ_SECONDS,
        "session_kwargs": options,
        "httpx_client_factory": client,
    }
    async with create_session(cast("Connection", connection)) as session:
        yield session


class Guarded(httpx.AsyncHTTPTransport):
    """Sends requests to permitted addresses alone, and limits the size of answers."""

    def __init__(self, server: Server, tls: ssl.SSLContext, on_message: OnMessage) -> None:
        super().__init__(verify=tls)
        self._on_message = on_message
        if not server.trusted:
            # httpx has no parameter for its pool's network backend, so the pool is set here.
            allowance = HostAllowance.parse(settings().leadline_allow_private_hosts)
            self._pool = httpcore.AsyncConnectionPool(ssl_context=tls, network_backend=GuardedBackend(allowance))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        try:
            response = await super().handle_async_request(request)
        except PageError as error:
            raise httpx.ConnectError(str(error)) from error
        response.stream = _Bounded(response.stream, self._on_message if request.method == "POST" else None)
        return response


class _Bounded(httpx.AsyncByteStream):
    """A body that raises an error beyond its maximum size.

    The SDK forgets the error of an answer that breaks off, and waits on, unless its events have ids, by which it asks for the rest.
    """

    def __init__(self, stream: Any, on_error: OnMessage | None) -> None:
        self._stream = stream
        self._on_error = on_error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, has_ids = 0, False
        try:
            async for piece in self._stream:
                size += len(piece)
                has_ids = has_ids or b"id:" in piece
                if size > MAX_BODY:
                    raise httpx.DecodingError("the answer is too long")
                yield piece
        except httpx.RequestError as error:
            if self._on_error is not None and not has_ids:
                await self._on_error(error)
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()


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
