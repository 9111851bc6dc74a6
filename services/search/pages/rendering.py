"""Renders pages that need scripts by a local Chromium, whose requests are served under the rules of page reading.

The browser has no network. Each of its requests comes here: the page itself, what it redirects to, scripts, style sheets and data. It is
made over the same guarded connections as the page, so a name is looked up once a connection, all of its addresses are checked, and a
checked one is dialled.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpcore

from services.run.errors import PageError, PageRefused
from services.run.settings import settings
from services.sandbox.browser import find_browser, render_page
from services.sandbox.slots import Slots
from services.sandbox.tab import BrowserReply, BrowserRequest, Drawn
from services.search.pages.addresses import HostAllowance, Target, shown, target_of
from services.search.pages.extraction import AROUND
from services.search.pages.fetch import Check, Fetched, Limits, connections, fetch_once, redirect_of

BROWSERS_AT_ONCE = 2
"""Maximum browsers of this process; each takes some 300 MB."""
_TURNS = Slots(BROWSERS_AT_ONCE)
NOTHING_RENDERS = "nothing here runs scripts: install Chromium"


Checks = Callable[[httpcore.AsyncConnectionPool], Check]
"""Builds the check before each request, for the connections of one page."""

KINDS = frozenset("Document Script Stylesheet XHR Fetch Other".split())
"""Permitted resource types: no images, videos, fonts, sockets or error reports."""
AT_ONCE = 6
_PASSED_ON = frozenset("accept accept-language origin referer x-requested-with".split())
"""Headers of the browser's requests that are forwarded: no cookies or credentials."""
_PASSED_HEADERS = frozenset(
    "content-type content-language content-security-policy x-content-type-options referrer-policy location "
    "access-control-allow-origin access-control-allow-credentials access-control-allow-headers "
    "access-control-allow-methods access-control-expose-headers cross-origin-resource-policy "
    "cross-origin-embedder-policy cross-origin-opener-policy".split()
)
"""Headers of answers that the browser gets: none that store data or start a download."""
_LONGEST_HEADER = 4_000


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """Limits of a page rendered by a local browser; those of a request are enforced while it arrives."""

    seconds: float = 20.0
    """Seconds from loading the page to its HTML, without starting the browser."""
    requests: int = 100
    """Number of requests, including refused ones."""
    bytes: int = 30_000_000
    """Decompressed bytes of all requests of the page."""
    per_request: int = 8_000_000
    """Decompressed bytes of one request."""
    characters: int = 8_000_000
    """Characters of the browser's final HTML; longer HTML is truncated."""


class Renderer:
    """Renders pages according to the operator's settings; within one event loop."""

    def __init__(
        self,
        allowance: HostAllowance,
        backend: httpcore.AsyncNetworkBackend,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._allowance, self._backend, self._tls = allowance, backend, tls

    async def render(self, page: Fetched, check: Checks, drawn: Drawn) -> bytes:
        """Return the page's HTML in UTF-8 after its scripts have run; it is waited for as long as it is not `drawn`.

        Raises:
            PageError: the page was not rendered; the message is a part of a sentence.
        """
        if settings().leadline_render == "off":
            raise PageError("LEADLINE_RENDER is off")
        browser = await asyncio.to_thread(find_browser)
        if browser is None:
            raise PageError(NOTHING_RENDERS)
        limits = RenderLimits()
        async with _TURNS.held(), connections(self._backend, self._tls) as pool:
            requests = Subrequests(page, pool, self._allowance, check(pool), limits)
            html = await render_page(
                browser,
                page.target.url,
                requests.serve,
                seconds=limits.seconds,
                longest=limits.characters,
                drawn=drawn,
                around=AROUND,
            )
        return html.encode("utf-8", "replace")


class Subrequests:
    """The requests of one page in a browser."""

    def __init__(
        self,
        page: Fetched,
        pool: httpcore.AsyncConnectionPool,
        allowance: HostAllowance,
        check: Check,
        limits: RenderLimits,
    ) -> None:
        self.made = 0
        """Number of requests so far, including refused ones."""
        self._page, self._pool, self._allowance, self._check, self._limits = page, pool, allowance, check, limits
        self._left = limits.bytes
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def serve(self, request: BrowserRequest) -> BrowserReply | None:
        """Answer a request of the browser; None if it is refused or fails."""
        self.made += 1
        if self.made > self._limits.requests or request.method not in {"GET", "OPTIONS"} or request.kind not in KINDS:
            return None
        try:
            return await self._answered(request)
        except PageError:
            return None

    async def _answered(self, request: BrowserRequest) -> BrowserReply:
        target = target_of(request.url, self._allowance)
        self._permit(request, target)
        if request.method == "OPTIONS":
            return _preflight(request.headers)
        if target.url == self._page.target.url and request.kind == "Document":
            return BrowserReply(200, _passed_headers(self._page.headers), self._page.body)
        async with self._turns:
            await self._check(target)
            answer = await self._fetched(target, request.headers)
        status = answer.status if redirect_of(answer) or not 300 <= answer.status < 400 else 404
        return BrowserReply(status, _passed_headers(answer.headers), answer.body)

    async def _fetched(self, target: Target, headers: Mapping[str, str]) -> Fetched:
        """Fetch a resource within the remaining bytes.

        Bytes are reserved before the request, so that parallel requests cannot exceed the limit together; an incomplete
        body counts in full.
        """
        room = min(self._limits.per_request, self._left)
        if room <= 0:
            raise PageError("the page asks for too much")
        limits = Limits(seconds=self._limits.seconds, wire_bytes=room, body_bytes=room)
        used = 0

        def begins(_: dict[str, str]) -> None:
            nonlocal used
            used = room

        self._left -= room
        try:
            answer = await fetch_once(self._pool, target, limits, begins, more=_passed_on(headers))
            used = len(answer.body)
        finally:
            self._left += room - used
        return answer

    def _permit(self, request: BrowserRequest, target: Target) -> None:
        """Refuse a request that the page may not make.

        Frames are not loaded, as their text is not the page's. The page may lead on within its own origin alone: the text is
        quoted under its address. A host that only the operator's allowance opens is reached by a page of such a host alone.
        """
        page = self._page.target
        if request.kind == "Document" and (not request.main or target.origin != page.origin):
            raise PageRefused(f"{shown(request.url)} is not loaded: it is a frame, or another site's page.")
        if self._allowance.covers(target.host, target.port) and not self._allowance.covers(page.host, page.port):
            raise PageRefused(f"{shown(request.url)} is not loaded: only the operator may name {target.host}.")
        if target.path == "/favicon.ico":
            raise PageRefused(f"{shown(request.url)} is not loaded: it is a picture, whatever the browser calls it.")


def _preflight(headers: Mapping[str, str]) -> BrowserReply:
    """Answer a CORS preflight for a GET with custom headers, without asking the site.

    The custom headers are not forwarded, so the site need not allow them; the site's answer decides whether the page
    may read it.
    """
    requested = {name.lower(): value for name, value in headers.items()}
    if requested.get("access-control-request-method") != "GET":
        raise PageError("only GET is made for a page")
    allowed = {
        "origin": "access-control-allow-origin",
        "access-control-request-headers": "access-control-allow-headers",
    }
    return BrowserReply(
        204, _passed_headers({allowed[name]: value for name, value in requested.items() if name in allowed})
    )


def _passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name.title(): value
        for name, value in headers.items()
        if name.lower() in _PASSED_ON and len(value) <= _LONGEST_HEADER and value.isascii() and value.isprintable()
    }


def _passed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name in _PASSED_HEADERS and len(value) <= _LONGEST_HEADER}
