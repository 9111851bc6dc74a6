"""Registry of the sessions of each run, by server, and of the servers that a run no longer uses."""

import asyncio
import atexit
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import anyio

from services.run.log import WARNING, log
from services.tools.mcp import transports
from services.tools.mcp.configuration import Server
from services.tools.mcp.sessions import Broken, Failure, ServerFailed, Session, import_libraries

if TYPE_CHECKING:
    from mcp import ClientSession

T = TypeVar("T")


@dataclass(slots=True)
class _OfRun:
    sessions: dict[str, Session] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _OfRun]] = WeakKeyDictionary()
"""Sessions by event loop, which they belong to, then by the key of the run."""


def _runs() -> dict[str, _OfRun]:
    return _loops.setdefault(asyncio.get_running_loop(), {})


def _of(run: str) -> _OfRun:
    return _runs().setdefault(run, _OfRun())


async def call(run: str, server: Server, work: Callable[["ClientSession"], Awaitable[T]], seconds: float) -> T:
    """Call a server over the session of a run's key, which is created if there is none; connecting does not count into the seconds.

    Raises:
        ServerFailed: the server is no longer used in this run; the message says why.
        SettingsError: the libraries are not installed.
    """
    import_libraries()
    own = _of(run)
    if server.name in own.failures:
        raise ServerFailed(own.failures[server.name])
    if server.unset:
        raise ServerFailed(fail(run, server, Broken("unset", server.unset)))
    session = own.sessions.get(server.name)
    try:
        if session is not None and session.usable:
            with contextlib.suppress(anyio.ClosedResourceError):  # the server has ended since the last call
                return await session.call(work, seconds)
        session = own.sessions[server.name] = Session(server, partial(_forget, run))
        return await session.call(work, seconds)
    except Broken as broken:
        raise ServerFailed(fail(run, server, broken)) from None
    except anyio.ClosedResourceError:
        raise ServerFailed(fail(run, server, Broken("died"))) from None


def fail(run: str, server: Server, broken: Broken) -> Failure:
    """Exclude a server from now on; the first reason is kept."""
    failure = Failure(
        server=server.name, address=server.address, reason=broken.reason, detail=server.without_secrets(broken.detail)
    )
    failures = _of(run).failures
    if server.name not in failures:
        log("mcp_failed", WARNING, server=failure.server, address=failure.address, reason=failure.reason)
    return failures.setdefault(server.name, failure)


def failures(run: str) -> list[Failure]:
    """Return the excluded servers of a run, by name."""
    failures = _runs().get(run, _OfRun()).failures
    return [failures[name] for name in sorted(failures)]


async def close_sessions(run: str) -> None:
    """Close the sessions of a run's key, and wait until their processes have ended.

    Runs without a key share their sessions; busy sessions stay open.
    """
    own = _runs().get(run)
    if own is None:
        return
    ending = [session for session in own.sessions.values() if run or not session.busy]
    own.sessions = {name: session for name, session in own.sessions.items() if session not in ending}
    if not own.sessions:
        del _runs()[run]
    await asyncio.gather(*(session.ended() for session in ending))


def end(run: str) -> None:
    """Ask all sessions of a run to close, without waiting: the run was cancelled or has failed."""
    for session in _runs().get(run, _OfRun()).sessions.values():
        session.end()


def _forget(run: str, session: Session) -> None:
    own = _runs().get(run, _OfRun())
    if own.sessions.get(session.server.name) is session:
        del own.sessions[session.server.name]
    if not own.sessions and not own.failures:
        _runs().pop(run, None)


@atexit.register
def _sweep_all() -> None:
    """Ensure that no program outlives this process, even if the event loop is abandoned."""
    for mark in list(transports.MARKS):
        with contextlib.suppress(OSError):
            transports.sweep(mark)
