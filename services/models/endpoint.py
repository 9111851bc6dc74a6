"""Connection pools and concurrency limits of model endpoints."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from weakref import WeakKeyDictionary

import httpx2
from langchain_core.language_models import BaseChatModel
from langchain_core.rate_limiters import InMemoryRateLimiter

from services.models.endpoint_memory import forget_learned
from services.models.server_models import forget_servers
from services.run.endpoints import all_plain
from services.run.errors import SettingsError
from services.run.roles import CALL_SECONDS
from services.run.settings import settings
from services.run.ui_text import told

_CLOSING = {
    "ChatGoogleGenerativeAI": attrgetter("client.aio.aclose"),
    "ChatMistralAI": attrgetter("async_client.aclose"),
    "ChatOllama": attrgetter("_async_client._client.aclose"),
}
"""How to close the client of a provider's integration; Anthropic's clients belong to its library and stay open."""
CONNECT_SECONDS, WRITE_SECONDS, POOL_SECONDS = 10.0, 30.0, 600.0
_MAX_CONNECTIONS = 64


@dataclass(slots=True)
class _Loop:
    """State of one event loop: connections and locks cannot outlive the loop that made them."""

    client: "httpx2.AsyncClient | None" = None
    integrations: dict[str, BaseChatModel] = field(default_factory=dict)
    """Models of other providers by their build arguments: each holds its own connections."""
    under_way: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    users: int = 0
    """Runs that share the connections."""
    closing: set[Callable[[], Awaitable[None]]] = field(default_factory=set)
    """Callbacks to run when the connections are closed."""


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Loop] = WeakKeyDictionary()
_rates: dict[str, InMemoryRateLimiter] = {}


def _loop() -> _Loop:
    return _loops.setdefault(asyncio.get_running_loop(), _Loop())


def forget_endpoints() -> None:
    """Forget the rates and the facts learned in this process."""
    forget_learned()
    forget_servers()
    _rates.clear()


@asynccontextmanager
async def turn_at(endpoint: str, *, alone: bool = False) -> AsyncIterator[None]:
    """Wait for a slot at an endpoint, and hold it while the block runs.

    A process on this machine takes one call at a time, `alone`; other endpoints have a limit and a rate
    (`LEADLINE_MAX_CONCURRENCY`, `LEADLINE_REQUESTS_PER_MINUTE`).
    """
    if not alone:
        await _wait_for_rate(endpoint)
    max_calls = 1 if alone else settings().leadline_max_concurrency
    async with _loop().under_way.setdefault(endpoint, asyncio.Semaphore(max_calls)):
        yield


async def _wait_for_rate(endpoint: str) -> None:
    a_minute = settings().leadline_requests_per_minute
    if a_minute is None:
        return
    limiter = _rates.setdefault(
        endpoint, InMemoryRateLimiter(requests_per_second=a_minute / 60, check_every_n_seconds=0.02, max_bucket_size=1)
    )
    await limiter.aacquire()


def client() -> "httpx2.AsyncClient":
    """Return the event loop's connection pool.

    Raises:
        SettingsError: a proxy of the environment cannot be used.
    """
    loop = _loop()
    if loop.client is None:
        try:
            loop.client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(CALL_SECONDS, connect=CONNECT_SECONDS, write=WRITE_SECONDS, pool=POOL_SECONDS),
                limits=httpx2.Limits(max_connections=_MAX_CONNECTIONS),
                verify=_certificates(),
                mounts={"all://127.0.0.1": None},  # llama.cpp's process is behind no proxy
            )
        except ValueError as error:
            raise SettingsError(**told("proxy_unusable", error=error)) from None
    return loop.client


def integrations() -> dict[str, BaseChatModel]:
    """Return the event loop's cached models of other providers; an empty cache outside of a loop."""
    try:
        return _loop().integrations
    except RuntimeError:
        return {}


@cache
def unused_client() -> "httpx2.Client":
    """Return the one client for blocking calls, which are never made: otherwise every model would build its own."""
    return httpx2.Client(verify=_certificates(), trust_env=False)


def _certificates() -> "ssl.SSLContext | bool":
    """Load the system's certificates only if some endpoint uses TLS; the context without them trusts no server."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if all_plain() else True


def close_with_connections(close: Callable[[], Awaitable[None]]) -> None:
    """Register a callback that runs once, when the running event loop's connections are closed."""
    _loop().closing.add(close)


@asynccontextmanager
async def clients_open() -> AsyncIterator[None]:
    """Keep the running event loop's connections open while the block runs; the last block to end closes them."""
    loop = _loop()
    loop.users += 1
    try:
        yield
    finally:
        loop.users -= 1
        if not loop.users:
            await close_clients()


async def close_clients() -> None:
    """Close the connections of the running event loop."""
    loop = _loops.pop(asyncio.get_running_loop(), None)
    if loop is None:
        return
    if loop.client is not None:
        await loop.client.aclose()
    for model in loop.integrations.values():
        if close := _CLOSING.get(type(model).__name__):
            await close(model)()
    for end in loop.closing:
        await end()
