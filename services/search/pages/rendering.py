"""Renders pages that need scripts by a local Chromium."""

import asyncio
import ssl
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal

import httpcore

from services.run.errors import PageError
from services.run.settings import settings
from services.sandbox.browser import find_browser
from services.sandbox.rendering import render_page
from services.sandbox.tab import Drawn
from services.search.pages.addresses import HostAllowance
from services.search.pages.fetch import Check, Fetched, connections
from services.search.pages.limits import RenderLimits
from services.search.pages.page_links import AROUND
from services.search.pages.subrequests import Subrequests

BROWSERS_AT_ONCE = 2
"""Maximum browsers of this process; each takes some 300 MB."""
_TURNS = threading.BoundedSemaphore(BROWSERS_AT_ONCE)
"""Shared by all threads, since a server's runs may have their own event loops."""
_TURN = 0.1
"""Seconds between two attempts to start a browser."""
NOTHING_RENDERS = "nothing here runs scripts: install Chromium"


Checks = Callable[[httpcore.AsyncConnectionPool], Check]
"""Builds the check before each request, for the connections of one page."""


class Renderer:
    """Renders pages according to the operator's settings; within one event loop."""

    def __init__(
        self,
        allowance: HostAllowance,
        backend: httpcore.AsyncNetworkBackend,
        tls: ssl.SSLContext | None = None,
        render_limits: RenderLimits | None = None,
    ) -> None:
        """Create a renderer.

        Args:
            allowance: hosts that the operator allows.
            backend: makes guarded connections for the browser.
            tls: verifies certificates; by default with the system's authorities.
            render_limits: limits of a page in a local browser.
        """
        self.mode: Literal["auto", "off"] = settings().leadline_render
        self._allowance, self._backend, self._tls = allowance, backend, tls
        self._render_limits = render_limits or RenderLimits()

    async def render(self, page: Fetched, check: Checks, drawn: Drawn) -> bytes:
        """Return the page's HTML in UTF-8 after its scripts have run.

        Args:
            page: the fetched page, whose address the guard has checked.
            check: builds the check of robots.txt for the connections.
            drawn: tells whether a text is the page's content; a local browser waits longer if it is not.

        Raises:
            PageError: the page was not rendered; the message is a part of a sentence.
        """
        if self.mode == "off":
            raise PageError("LEADLINE_RENDER is off")
        browser = await asyncio.to_thread(find_browser)
        if browser is None:
            raise PageError(NOTHING_RENDERS)
        limits = self._render_limits
        async with _turn(), connections(self._backend, self._tls) as pool:
            requests = Subrequests(page, pool, self._allowance, check(pool), limits)
            html = await render_page(
                browser,
                page.target.address,
                requests.serve,
                seconds=limits.seconds,
                longest=limits.characters,
                drawn=drawn,
                around=AROUND,
            )
        return html.encode("utf-8", "replace")


@asynccontextmanager
async def _turn() -> AsyncIterator[None]:
    """Hold one of the process's slots to run a browser."""
    while not _TURNS.acquire(blocking=False):  # noqa: ASYNC110 - events are of one loop, and a waiting thread cannot be cancelled
        await asyncio.sleep(_TURN)
    try:
        yield
    finally:
        _TURNS.release()
