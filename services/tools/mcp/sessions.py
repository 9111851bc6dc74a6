"""Sessions with servers: one for each server of a run, created when first needed, and closed with the run.

Each session belongs to a task of its own, because the scopes it is made of must be left by the task that entered them.
The task ends with the run, after some time without calls, when the server is gone, and with the event loop.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from contextvars import Context
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import httpx

from services.run.errors import SettingsError
from services.run.installation import install_command
from services.tools.mcp.address import session_at
from services.tools.mcp.configuration import Server
from services.tools.mcp.failures import Broken
from services.tools.mcp.program import session_with

if TYPE_CHECKING:
    from mcp import ClientSession

T = TypeVar("T")

CONNECT_SECONDS = 10.0
"""Seconds from starting a program or connecting to an address to the answer to `initialize`."""
IDLE_SECONDS = 60.0
"""Seconds without a call after which a session is closed; the next call opens another."""
INSTALL = install_command("mcp")


class Session:
    """One connection, and the task that owns it."""

    def __init__(self, server: Server, forget: "Callable[[Session], None]") -> None:
        self.server = server
        self._lost: Broken | None = None
        self._over = asyncio.Event()
        self._clock: asyncio.Timeout | None = None
        self._calls = 0
        self._ready: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._ready.add_done_callback(lambda ready: ready.cancelled() or ready.exception())
        self._task = asyncio.create_task(self._own(), name=f"mcp {server.name}", context=Context())
        self._task.add_done_callback(lambda _: forget(self))

    @property
    def usable(self) -> bool:
        """Whether calls can be made."""
        return not self._over.is_set() and not self._task.done()

    @property
    def busy(self) -> bool:
        """Whether a call is under way."""
        return self._calls > 0

    def end(self) -> None:
        """Ask the task to close the connection."""
        self._over.set()
        if self._clock is not None and not self._clock.expired():
            self._clock.reschedule(asyncio.get_running_loop().time())

    async def ended(self) -> None:
        """Close the connection, and wait until it is closed."""
        self.end()
        await asyncio.wait({self._task})

    async def call(self, work: Callable[["ClientSession"], Awaitable[T]], seconds: float) -> T:
        """Make a call over the connection.

        Args:
            work: makes the call with the SDK's session.
            seconds: time limit of the call, without connecting.

        Raises:
            Broken: the server cannot be reached, is gone, or did not answer in time.
        """
        self._calls += 1
        try:
            session = await asyncio.shield(self._ready)
            return await self._wait_for(asyncio.ensure_future(work(session)), seconds)
        except Broken:
            self.end()
            raise
        finally:
            self._calls -= 1

    async def _wait_for(self, call: "asyncio.Future[T]", seconds: float) -> T:
        """Wait for an answer as long as the connection lives."""
        over = asyncio.ensure_future(self._over.wait())
        try:
            waited: set[asyncio.Future[Any]] = {call, over}
            done, _ = await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                raise Broken("silent", f"{seconds:g}")
            if call not in done or (call.exception() and (self._lost or _is_cut(call.exception()))):
                raise self._lost or Broken("died")
            return call.result()
        finally:
            for waiting in (call, over):
                waiting.cancel()
            await asyncio.gather(call, over, return_exceptions=True)

    def _lose(self, broken: Broken) -> None:
        if self._clock is not None and self._clock.expired():
            return  # this session caused the end itself
        self._lost = self._lost or broken
        self.end()

    async def _own(self) -> None:
        """Open the connection, keep it while it is usable, and close it."""
        try:
            async with AsyncExitStack() as stack:
                await self._connect(stack)
                while not self._over.is_set():
                    try:
                        async with asyncio.timeout(IDLE_SECONDS):
                            await self._over.wait()
                    except TimeoutError:
                        if not self._calls:
                            self._over.set()
        except asyncio.CancelledError:
            self._fail(Broken("died"))
            raise
        except Exception as error:  # noqa: BLE001 - whatever a server does to its connection, only that server is left out
            self._fail(self._lost or _explained(error))
        finally:
            self._over.set()

    async def _connect(self, stack: AsyncExitStack) -> None:
        """Connect within the time limit, and stop at once if the connection is lost."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS) as self._clock:
                session = await stack.enter_async_context(_opened(self.server, self._lose, self._on_message))
                await session.initialize()
        except TimeoutError:
            broken = self._lost or Broken("silent", f"{CONNECT_SECONDS:g}")
            self._fail(broken)  # before ending anything, which takes time
            raise broken from None
        finally:
            self._clock = None
        self._ready.set_result(session)

    async def _on_message(self, message: object) -> None:
        """End the session when the SDK cannot parse a message."""
        if isinstance(message, Exception):
            self._lose(Broken("garbage"))

    def _fail(self, broken: Broken) -> None:
        if not self._ready.done():
            self._ready.set_exception(broken)


def _opened(
    server: Server, lost: Callable[[Broken], None], on_message: Callable[[Any], Awaitable[None]]
) -> AbstractAsyncContextManager["ClientSession"]:
    """Return the context that connects to a server, by its transport."""
    from mcp.types import Implementation

    options = {"client_info": Implementation(name="leadline", version="0.1.0"), "message_handler": on_message}
    if server.transport == "stdio":
        return session_with(server, lost, options)
    return session_at(server, lost, options)


def _is_cut(error: BaseException | None) -> bool:
    """Tell whether an error means a lost connection."""
    from mcp import McpError
    from mcp.types import CONNECTION_CLOSED

    if isinstance(error, McpError):
        return error.error.code == CONNECTION_CLOSED
    return isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | anyio.EndOfStream)


def _explained(error: BaseException) -> Broken:
    """Return the reason of a failed connection, without text from the server."""
    from mcp import McpError

    causes = [error]
    for cause in causes:
        if isinstance(cause, BaseExceptionGroup):
            causes += cause.exceptions
        elif isinstance(cause, Broken):
            return cause
        elif isinstance(cause, McpError):
            return Broken("ended" if _is_cut(cause) else "garbage")
        elif isinstance(cause, httpx.HTTPStatusError):
            return Broken("status", str(cause.response.status_code))
        elif isinstance(cause, OSError | httpx.TransportError):
            return Broken("unreachable")
    return Broken("garbage")


def import_libraries() -> None:
    """Import the client libraries, once; it takes some tenths of a second.

    In the event loop's thread: the client of OpenAI looks whether `httpx` is loaded, and would take hold of half of it.

    Raises:
        SettingsError: a library is not installed; the message says how to install it.
    """
    try:
        import langchain_mcp_adapters.sessions  # noqa: F401 - imported to see that it is there
        import mcp  # noqa: F401 - likewise
    except ImportError:
        raise SettingsError(
            f"Servers of tools (MCP) are named, but the library is not installed. Run: {INSTALL}"
        ) from None
    log = logging.getLogger("mcp")
    if not log.handlers:
        log.addHandler(logging.NullHandler())  # faults of a server are reported in the run
