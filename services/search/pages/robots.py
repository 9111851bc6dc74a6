"""robots.txt (RFC 9309): which pages a site lets programs read; fetched once an hour for each origin."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from protego import Protego

from services.run.errors import PageError, PageRefused
from services.search.pages.addresses import Target, shown
from services.search.pages.fetch import USER_AGENT, Fetched

SECONDS_KEPT = 3_600.0
MAX_ORIGINS = 1_000

Get = Callable[[Target], Awaitable[Fetched]]
"""Fetches a robots.txt; a PageError means that it cannot be fetched."""


@dataclass(frozen=True, slots=True)
class _Rules:
    until: float
    rules: Protego | None
    """None forbids everything."""


class Robots:
    """Cached rules of origins."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rules: dict[str, _Rules] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def check(self, target: Target, get: Get) -> None:
        """Check that a target's site lets programs read it.

        As RFC 9309 has it, a robots.txt that is missing (4xx) or cannot be reached at all allows everything, and a
        server that fails (5xx) forbids it.

        Raises:
            PageRefused: the site forbids reading this page.
        """
        async with self._asking.setdefault(target.origin, asyncio.Lock()):
            known = self._rules.get(target.origin)
            if known is None or known.until <= self._clock():
                known = _Rules(self._clock() + SECONDS_KEPT, await self._ask(target, get))
                if len(self._rules) >= MAX_ORIGINS:
                    self._rules.clear()
                    self._asking = {origin: lock for origin, lock in self._asking.items() if lock.locked()}
                self._rules[target.origin] = known
        if known.rules is None:
            raise PageRefused(
                f"{shown(target.url)} is not read: the site's robots.txt fails, so what it allows is not known. "
                "Try again later, or use another source.",
                passing=True,
            )
        if not known.rules.can_fetch(target.url, USER_AGENT):
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
