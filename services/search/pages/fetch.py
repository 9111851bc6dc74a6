"""One GET over guarded connections: redirects are checked, and limits are enforced while the bytes arrive and are decompressed piece by piece."""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urljoin

import httpcore
import httpx

from services.run.errors import PageError, PageRefused
from services.run.settings import settings
from services.run.ui_text import say
from services.search.pages.addresses import HostAllowance, Target, shown, target_of

USER_AGENT = "Leadline"
_GZIP = zlib.MAX_WBITS | 16
"""What zlib calls gzip."""
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,text/markdown;q=0.9,*/*;q=0.5"
DRAINED = 20_000
"""Maximum bytes of an unwanted body that are read to keep its connection usable."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_EXPLAINED = frozenset({401, 402, 403, 404, 410, 429, 451})
"""Statuses with a message of their own, `page_401` and so on."""

Check = Callable[[Target], Awaitable[None]]
"""Called before each request; raises a PageError if the target must not be fetched."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one page, enforced while the page arrives."""

    seconds: float = 30.0
    """Seconds from the first DNS lookup to the last byte, including redirects and robots.txt."""
    connect_seconds: float = 10.0
    """Seconds for one connection, including TLS."""
    read_seconds: float = 12.0
    """Maximum seconds of silence of a server."""
    wire_bytes: int = 10_000_000
    """Bytes as sent, compressed or not."""
    body_bytes: int = 30_000_000
    """Bytes after decompression."""
    redirects: int = 5
    extract_seconds: float = 25.0
    """Seconds for extracting the text, in a separate process."""
    characters: int = 2_000_000
    """Maximum characters of text; longer texts are truncated with a note."""


def page_limits() -> Limits:
    """Return the limits of a run's pages; the operator can set their time."""
    return Limits(seconds=settings().leadline_page_timeout)


@dataclass(frozen=True, slots=True)
class Fetched:
    """Final response of a server."""

    target: Target
    status: int
    headers: dict[str, str]
    """Headers by lower-case name; of repeated headers, the first."""
    body: bytes
    cut: bool
    """Whether a byte limit truncated the body (only if requested)."""


@cache
def tls_context() -> ssl.SSLContext:
    """Return the context that verifies certificates, by SSL_CERT_FILE if it is set. Blocking."""
    return httpx.create_ssl_context()


@asynccontextmanager
async def connections(
    backend: httpcore.AsyncNetworkBackend, tls: ssl.SSLContext | None
) -> AsyncIterator[httpcore.AsyncConnectionPool]:
    """Hold the connections of one page, without proxies; all are closed at the end of the block."""
    context = tls or await asyncio.to_thread(tls_context)
    async with httpcore.AsyncConnectionPool(
        ssl_context=context, max_connections=4, http1=True, http2=False, retries=0, network_backend=backend
    ) as pool:
        yield pool


async def fetch(
    pool: httpcore.AsyncConnectionPool,
    start: Target,
    allowance: HostAllowance,
    limits: Limits,
    *,
    check: Check | None = None,
    accepts: Callable[[dict[str, str]], None] | None = None,
    cut: bool = False,
) -> Fetched:
    """GET a checked target over guarded connections, and follow its redirects; the caller limits the total time.

    `check` is called before every request; `accepts` checks the headers of a success before its body is read, and
    raises a PageError. With `cut` the body is truncated at the byte limits instead of failing.

    Raises:
        PageRefused: a redirect leads to a forbidden address.
        PageError: the server cannot be reached, breaks the protocol or exceeds a limit.
    """
    target = start
    for _ in range(limits.redirects + 1):
        if check is not None:
            await check(target)
        try:
            answer = await fetch_once(pool, target, limits, accepts, cut=cut)
        except PageRefused:
            raise
        except PageError as error:
            message = say("page_unread", url=shown(target.url), reason=error)
            raise PageError(message, passing=error.passing) from None
        location = redirect_of(answer)
        if not location:
            return answer
        target = _next(target, location, allowance)
    raise PageError(say("page_unread", url=shown(start.url), reason=say("page_redirects", count=limits.redirects)))


def redirect_of(answer: Fetched) -> str:
    """Return the target of a redirect; empty for other answers."""
    return answer.headers.get("location", "") if answer.status in _REDIRECTS else ""


async def fetch_once(
    pool: httpcore.AsyncConnectionPool,
    target: Target,
    limits: Limits,
    accepts: Callable[[dict[str, str]], None] | None,
    *,
    cut: bool = False,
    more: Mapping[str, str] | None = None,
) -> Fetched:
    """GET a checked target, with `more` headers; a redirect is returned, and only successes have a body.

    Raises:
        PageError: the server cannot or must not be reached, breaks the protocol or exceeds a limit.
    """
    address = httpcore.URL(
        scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path.encode()
    )
    headers = {
        "Accept": _ACCEPT,
        **(more or {}),
        "Host": target.authority,
        "User-Agent": USER_AGENT,
        "Accept-Encoding": ACCEPTED,
    }
    times = {
        "connect": limits.connect_seconds,
        "read": limits.read_seconds,
        "write": limits.read_seconds,
        "pool": limits.seconds,
    }
    options: dict[str, Any] = {"headers": list(headers.items()), "extensions": {"timeout": times}}
    try:
        async with pool.stream("GET", address, **options) as response:
            answer_headers: dict[str, str] = {}
            for name, value in response.headers:
                answer_headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1").strip())
            if not 200 <= response.status < 300:
                await _drain(response.aiter_stream())
                return Fetched(target, response.status, answer_headers, b"", cut=False)
            if accepts is not None:
                accepts(answer_headers)
            body, whole = await _body(response.aiter_stream(), answer_headers, limits, cut=cut)
            return Fetched(target, response.status, answer_headers, body, cut=not whole)
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        raise PageError(_words(error), passing=True) from None


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read a short unwanted body, so that its connection can serve the next request."""
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > DRAINED:
            return


async def _body(
    chunks: AsyncIterator[bytes], headers: dict[str, str], limits: Limits, *, cut: bool
) -> tuple[bytes, bool]:
    """Return the decoded body, and whether it is complete."""
    decoder = decoder_for(headers.get("content-encoding", ""))
    length = headers.get("content-length", "")
    if not cut and length.isdecimal() and (len(length) > 18 or int(length) > limits.wire_bytes):
        raise PageError(say("page_large", size=f"{limits.wire_bytes / 1e6:g}"))
    wire = 0
    body = bytearray()
    async for chunk in chunks:
        wire += len(chunk)
        for piece in pieces(decoder, chunk):
            body += piece
            if len(body) > limits.body_bytes:
                if cut:
                    return bytes(body[: limits.body_bytes]), False
                raise PageError(say("page_large_unpacked", size=f"{limits.body_bytes / 1e6:g}"))
            await asyncio.sleep(0)  # decompression takes time: let other tasks run
        if wire > limits.wire_bytes:
            if cut:
                return bytes(body), False
            raise PageError(say("page_large", size=f"{limits.wire_bytes / 1e6:g}"))
    if wire and not decoder.done():
        raise PageError(say("page_cut"))
    return bytes(body), True


def _next(target: Target, location: str, allowance: HostAllowance) -> Target:
    """Return the target of a redirect.

    One from another host cannot reach a host that only the operator's allowance permits.
    """
    with suppress(UnicodeDecodeError):
        location = location.encode("latin-1").decode()
    try:
        url = urljoin(target.url, location)
    except ValueError:
        raise PageError(say("page_unread", url=shown(target.url), reason=say("page_redirect_broken"))) from None
    following = target_of(url, allowance)
    if allowance.covers(following.host, following.port) and not allowance.covers(target.host, target.port):
        raise PageRefused(say("page_redirect_private", url=shown(target.url), host=following.host))
    return following


def status_problem(status: int) -> str:
    """Return the message of a status other than success."""
    key = f"page_{status}" if status in _EXPLAINED else "page_server_failed" if status >= 500 else "page_none"
    return say("page_status", reason=say(key), status=status)


def _words(error: Exception) -> str:
    if isinstance(error, httpcore.TimeoutException):
        return say("page_late")
    if isinstance(error, httpcore.ConnectError):
        tls = isinstance(error.__cause__, ssl.SSLError) or isinstance(error.__context__, ssl.SSLError)
        return say("page_untrusted" if tls else "page_unreached")
    return say("page_broken")


PIECE = 256 * 1024
"""Maximum bytes of one decompression step."""
ACCEPTED = "gzip"


class Decoder:
    """Decoder of a body: gzip, also with several members, or no encoding."""

    def __init__(self, *, zipped: bool) -> None:
        self._stream = zlib.decompressobj(_GZIP) if zipped else None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of this data, each of at most `PIECE`."""
        if self._stream is None:
            yield data
            return
        while True:
            out = self._stream.decompress(data, PIECE)
            yield out
            if self._stream.eof and self._stream.unused_data.strip(b"\0"):
                data, self._stream = self._stream.unused_data, zlib.decompressobj(_GZIP)
                continue
            data = self._stream.unconsumed_tail
            if self._stream.eof or (not data and len(out) < PIECE):
                return

    def done(self) -> bool:
        """Tell whether the data so far is complete."""
        return self._stream is None or self._stream.eof


def decoder_for(encoding: str) -> Decoder:
    """Return the decoder of a Content-Encoding header.

    Raises:
        PageError: the encoding was not asked for, or there are several (that is how bombs are packed).
    """
    names = [name for name in (part.strip().lower() for part in encoding.split(",")) if name not in {"", "identity"}]
    if names in ([], ["gzip"], ["x-gzip"]):
        return Decoder(zipped=bool(names))
    raise PageError(say("page_encoded", encoding=", ".join(names)[:60]))


def pieces(decoder: Decoder, data: bytes) -> Iterator[bytes]:
    """Yield the decoded pieces of some data.

    Raises:
        PageError: the data does not have the declared encoding.
    """
    try:
        yield from decoder.feed(data)
    except zlib.error:
        raise PageError(say("page_compression")) from None
