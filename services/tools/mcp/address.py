"""Connects to a server at an address by streamable HTTP or SSE; addresses that came with a run are checked like those of web pages."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
            transport=Guarded(server, tls),
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

    def __init__(self, server: Server, tls: ssl.SSLContext) -> None:
        super().__init__(verify=tls)
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
        response.stream = _Bounded(response.stream)
        return response


class _Bounded(httpx.AsyncByteStream):
    """A body that raises an error beyond its maximum size."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > MAX_BODY:
                raise httpx.DecodingError("the answer is too long")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
