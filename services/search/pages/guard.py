"""Guards of the pages that are read: connections to checked addresses alone, and robots.txt.

A name is resolved once, every address is checked, and a checked address is dialled. The check is part of connecting, so that redirects, reused
clients and second lookups cannot bypass it.
"""

import asyncio
import socket
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable

import httpcore
from protego import Protego

from services.run.errors import PageError, PageRefused
from services.run.ui_text import say
from services.search.pages.addresses import HostAllowance, Target, addresses_problem, shown
from services.search.pages.fetch import USER_AGENT, Fetched, Limits

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Returns the addresses of a host and port, in the order in which to try them."""

MAX_TRIED = 3
"""Maximum addresses of a host to try."""


async def resolve(host: str, port: int) -> list[str]:
    """Resolve a host with the system's resolver, off the event loop.

    Raises:
        OSError: the host has no address.
    """
    infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(address[0]) for *_, address in infos))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Network backend of httpcore that connects to checked addresses only."""

    def __init__(
        self,
        allowance: HostAllowance,
        resolver: Resolve = resolve,
        dialler: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._allowance = allowance
        self._resolve = resolver
        self._dialler = dialler or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to one of the host's addresses, if all of them are permitted.

        Raises:
            PageRefused: an address is not public.
            PageError: the host has no address.
        """
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._resolve(host, port)
        except TimeoutError:
            raise PageError(say("page_host_late"), passing=True) from None
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise PageError(say("page_no_host"))
        if not self._allowance.covers(host, port) and (problem := addresses_problem(addresses)):
            raise PageRefused(say("page_private_host", host=host, reason=problem))
        failure: Exception = httpcore.ConnectError()
        for address in addresses[:MAX_TRIED]:
            try:
                return await self._dialler.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Refuse local sockets: pages come over the network."""
        raise PageRefused(f"{path} is not read: it is a socket of this machine. Name the address of a web page.")

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts."""
        await asyncio.sleep(seconds)


ROBOTS = Limits(seconds=10.0, connect_seconds=5.0, read_seconds=5.0, wire_bytes=512_000, body_bytes=1_000_000)
"""Limits of a robots.txt. RFC 9309 asks for 500 KiB at least; longer files are truncated."""
Get = Callable[[Target], Awaitable[Fetched]]
"""Fetches a robots.txt; a PageError means that it cannot be fetched."""


class Robots:
    """Rules of the origins that a reader has met."""

    def __init__(self) -> None:
        self._rules: dict[str, Protego | None] = {}
        """None forbids everything."""
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def check(self, target: Target, get: Get) -> None:
        """Check that a target's site lets programs read it.

        As RFC 9309 has it, a robots.txt that is missing (4xx) or cannot be reached at all allows everything, and a
        server that fails (5xx) forbids it.

        Raises:
            PageRefused: the site forbids reading this page.
        """
        async with self._asking[target.origin]:
            if target.origin not in self._rules:
                self._rules[target.origin] = await self._ask(target, get)
        rules = self._rules[target.origin]
        if rules is None:
            raise PageRefused(
                say("page_robots_failed", url=shown(target.url)),
                passing=True,
            )
        if not rules.can_fetch(target.url, USER_AGENT):
            raise PageRefused(say("page_robots", url=shown(target.url)))

    @staticmethod
    async def _ask(target: Target, get: Get) -> Protego | None:
        try:
            answer = await get(Target(target.scheme, target.host, target.port, "/robots.txt"))
        except PageError:
            return Protego.parse("")
        if answer.status >= 500:
            return None
        return Protego.parse(answer.body.decode("utf-8-sig", "replace") if answer.status < 300 else "")
