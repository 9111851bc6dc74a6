"""Sessions with servers: one for each server of a run, created when first needed, and closed with the run.

Each session belongs to a task of its own, because the scopes it is made of must be left by the task that entered them.
The task ends with the run, after some time without calls, when the server is gone, and with the event loop. The reasons for excluding a
server from a run are plain data for the journal and for people.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from contextvars import Context
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import anyio
import httpx
from pydantic import BaseModel

from services.run.errors import PageRefused, SettingsError, ToolError
from services.run.installation import install_command
from services.run.secrecy import without_secrets
from services.run.ui_text import say, told
from services.tools.mcp.configuration import Server
from services.tools.mcp.transports import OnMessage, session_at, session_with

if TYPE_CHECKING:
    from mcp import ClientSession

Reason = Literal[
    "unreachable", "refused", "status", "unstartable", "ended", "silent", "garbage", "empty", "died", "unset", "cut"
]
"""Each reason has a message. Only `cut` does not exclude the server: it has more tools than are offered."""
MAX_DETAIL = 100

_VERSION = metadata.version("leadline")  # read here, as a file is, and not in the event loop

T = TypeVar("T")

CONNECT_SECONDS = 10.0
"""Seconds from starting a program or connecting to an address to the answer to `initialize`."""
IDLE_SECONDS = 60.0
"""Seconds without a call after which a session is closed; the next call opens another."""
MAX_NOISE = 50
"""Maximum lines of a program that are not messages, after which it is not regarded as a server."""
TERMINATED = 32600
"""The SDK's code for a session that the server does not know any more."""
INSTALL = install_command("mcp")


class Failure(BaseModel):
    """One server and what is wrong with it; no field holds a secret."""

    server: str
    address: str
    reason: Reason
    detail: str = ""
    """A number, the name of a variable, or the system's word for what failed."""

    def message(self, locale: str) -> str:
        """Return the message for people, in the language of the run."""
        return say(f"mcp_{self.reason}", locale, **self.model_dump(exclude={"reason"}))


class ServerFailed(ToolError):
    """A call failed because the server is no longer used in this run."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message("en-US"))
        self.failure = failure


class Broken(Exception):
    """A connection cannot be made or has broken; the caller, which knows the server, adds where and why."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason} {detail}".strip())
        self.reason = reason
        self.detail = without_secrets(" ".join(detail.split()))[:MAX_DETAIL]


class Session:
    """One connection, and the task that owns it."""

    def __init__(self, server: Server, forget: "Callable[[Session], None]") -> None:
        self.server = server
        self._lost: Broken | None = None
        self._over = asyncio.Event()
        self._clock: asyncio.Timeout | None = None
        self._calls = self._noise = 0
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
        """Make a call with the SDK's session over the connection, for so many seconds without connecting.

        Raises:
            Broken: the server cannot be reached, is gone, or did not answer in time.
            ClosedResourceError: the connection was lost before this call, which was not sent.
        """
        self._calls += 1
        try:
            session = await asyncio.shield(self._ready)
            return await self._wait_for(asyncio.ensure_future(work(session)), seconds)
        except (Broken, anyio.ClosedResourceError):
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

    async def _own(self) -> None:
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
            self._fail(_explained(error, self.server))
        finally:
            self._over.set()

    async def _connect(self, stack: AsyncExitStack) -> None:
        """Connect within the time limit, and stop at once if the connection is lost."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS) as self._clock:
                session = await stack.enter_async_context(_opened(self.server, self._on_message))
                await session.initialize()
        except TimeoutError:
            broken = self._lost or Broken("silent", f"{CONNECT_SECONDS:g}")
            self._fail(broken)  # before ending anything, which takes time
            raise broken from None
        finally:
            self._clock = None
        self._ready.set_result(session)

    async def _on_message(self, message: object) -> None:
        """End the session when an answer breaks off or it gets what is no message; a program may print some lines of its own."""
        if _breaks_off(message):
            self._lost = self._lost or Broken("died")
            self.end()
        self._noise += isinstance(message, Exception)
        if self._noise > (MAX_NOISE if self.server.command else 0):
            self._lost = self._lost or Broken("garbage")
            self.end()

    def _fail(self, broken: Broken) -> None:
        self._lost = self._lost or broken
        if not self._ready.done():
            self._ready.set_exception(self._lost)


def _opened(server: Server, on_message: OnMessage) -> AbstractAsyncContextManager["ClientSession"]:
    from mcp.types import Implementation

    options = {"client_info": Implementation(name="leadline", version=_VERSION), "message_handler": on_message}
    return session_with(server, options) if server.transport == "stdio" else session_at(server, options)


def _is_cut(error: BaseException | None) -> bool:
    from mcp import McpError
    from mcp.types import CONNECTION_CLOSED

    if isinstance(error, McpError):
        return error.error.code in {CONNECTION_CLOSED, TERMINATED}
    return isinstance(error, anyio.BrokenResourceError | anyio.EndOfStream)


def _breaks_off(error: object) -> bool:
    from httpx_sse import SSEError

    return isinstance(error, httpx.TransportError) and not isinstance(error, SSEError)


def _explained(error: BaseException, server: Server) -> Broken:
    """Return the reason of a failed connection, without text from the server."""
    causes = [error]
    for cause in causes:
        if isinstance(cause, BaseExceptionGroup):
            causes += cause.exceptions
        elif isinstance(cause, httpx.HTTPStatusError):
            return Broken("status", str(cause.response.status_code))
        elif isinstance(cause.__cause__, PageRefused):
            return Broken("refused")
        elif _breaks_off(cause):
            return Broken("unreachable")
        elif isinstance(cause, OSError):
            return Broken("unstartable", cause.strerror or type(cause).__name__)
        elif _is_cut(cause) or isinstance(cause, anyio.ClosedResourceError):
            return Broken("ended" if server.command else "unreachable")
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
        raise SettingsError(**told("servers_package", command=INSTALL)) from None
    logging.getLogger("mcp.client").setLevel(logging.CRITICAL)  # faults of a server are reported in the run
