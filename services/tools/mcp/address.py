"""Connects to a server at an address by streamable HTTP or SSE, with an HTTP client that detects failures at once.

The SDK lets a request wait for its time-out if the server refuses it or answers with something else than MCP; the HTTP
client reports this at once. Addresses that came with a run are checked like those of web pages.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import httpcore
import httpx

from services.run.errors import PageError, PageRefused
from services.run.settings import settings
from services.search.pages.addresses import Allowance
from services.search.pages.fetch import tls_context
from services.search.pages.guard import GuardedBackend
from services.tools.mcp.configuration import Server
from services.tools.mcp.failures import Broken

if TYPE_CHECKING:
    from langchain_mcp_adapters.sessions import Connection
    from mcp import ClientSession

MAX_BODY = 20_000_000
"""Maximum bytes of one answer."""
HTTP_SECONDS = 30.0
"""Seconds for connecting and sending; the caller limits the time for an answer."""
READ_SECONDS = 300.0

Lost = Callable[[Broken], None]


@asynccontextmanager
async def session_at(server: Server, lost: Lost, options: dict[str, Any]) -> AsyncIterator["ClientSession"]:
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
            transport=Watched(server, tls, lost),
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


class Watched(httpx.AsyncHTTPTransport):
    """Sends requests, reports an unusable connection, and limits the size of answers."""

    def __init__(self, server: Server, tls: ssl.SSLContext, lost: Lost) -> None:
        super().__init__(verify=tls)
        self._lost = lost
        self._sse = server.transport == "sse"
        if not server.trusted:
            # httpx has no parameter for its pool's network backend, so the pool is set here.
            allowance = Allowance.parse(settings().leadline_allow_private_hosts)
            self._pool = httpcore.AsyncConnectionPool(ssl_context=tls, network_backend=GuardedBackend(allowance))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        # Over streamable HTTP only the messages themselves count: the stream of notifications may come and go.
        lost = self._lost if request.method == "POST" or self._sse else lambda _: None
        try:
            response = await super().handle_async_request(request)
        except PageError as error:
            lost(Broken("refused" if isinstance(error, PageRefused) else "unreachable"))
            raise httpx.ConnectError(str(error)) from None
        except httpx.TransportError:
            lost(Broken("unreachable"))
            raise
        problem = _problem(response, request.method)
        if problem is not None:
            lost(problem)
        response.stream = _Bounded(response.stream, lost)
        return response


def _problem(response: httpx.Response, method: str) -> Broken | None:
    """Return the problem that an answer shows, or None."""
    if response.status_code >= 400:
        return Broken("status", str(response.status_code))
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    fit = {"text/event-stream"} if method == "GET" else {"application/json", "text/event-stream", "text/plain", ""}
    if response.status_code == 200 and kind not in fit:
        return Broken("garbage")
    return None


class _Bounded(httpx.AsyncByteStream):
    """A body that raises an error beyond its maximum size."""

    def __init__(self, stream: Any, lost: Lost) -> None:
        self._stream = stream
        self._lost = lost

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for piece in self._stream:
                size += len(piece)
                if size > MAX_BODY:
                    self._lost(Broken("garbage"))
                    raise httpx.ReadError("the answer is too long")
                yield piece
        except httpx.TransportError:
            self._lost(Broken("died"))
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()
