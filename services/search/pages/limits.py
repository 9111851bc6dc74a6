"""Limits of network traffic, memory and time for one page."""

from dataclasses import dataclass

from services.run.settings import settings


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


ROBOTS = Limits(seconds=10.0, connect_seconds=5.0, read_seconds=5.0, wire_bytes=512_000, body_bytes=1_000_000)
"""Limits of a robots.txt. RFC 9309 asks for 500 KiB at least; longer files are truncated."""


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
