"""robots.txt (RFC 9309): which pages a site lets programs read; fetched once for each origin that a reader meets."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

from protego import Protego

from services.run.errors import PageError, PageRefused
from services.search.pages.addresses import Target, shown
from services.search.pages.fetch import USER_AGENT, Fetched, Limits

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
                f"{shown(target.url)} is not read: the site's robots.txt fails, so what it allows is not known. "
                "Try again later, or use another source.",
                passing=True,
            )
        if not rules.can_fetch(target.url, USER_AGENT):
            raise PageRefused(
                f"{shown(target.url)} is not read: the site's robots.txt asks programs not to. Use another source."
            )

    @staticmethod
    async def _ask(target: Target, get: Get) -> Protego | None:
        try:
            answer = await get(Target(target.scheme, target.host, target.port, "/robots.txt"))
        except PageError:
            return Protego.parse("")
        if answer.status >= 500:
            return None
        return Protego.parse(answer.body.decode("utf-8-sig", "replace") if answer.status < 300 else "")
