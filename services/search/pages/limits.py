"""How much of the network, of memory and of time one page may take."""

from dataclasses import dataclass

from services.run.settings import settings


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one page; every one of them holds while the page comes in, not afterwards."""

    seconds: float = 30.0
    """From the first look-up of a name to the last byte, redirects and robots.txt included."""
    connect_seconds: float = 10.0
    """For one connection, its TLS included."""
    read_seconds: float = 12.0
    """Longest silence of a server."""
    wire_bytes: int = 10_000_000
    """As sent, compressed or not."""
    body_bytes: int = 30_000_000
    """After decompression."""
    redirects: int = 5
    extract_seconds: float = 25.0
    """For turning what came in into text, in a process of its own."""
    characters: int = 2_000_000
    """Of text that is kept; the rest is cut off and the page says so."""


def page_limits() -> Limits:
    """Return the limits of a run's pages, whose time the operator can set."""
    return Limits(seconds=settings().leadline_page_timeout)


ROBOTS = Limits(seconds=10.0, connect_seconds=5.0, read_seconds=5.0, wire_bytes=512_000, body_bytes=1_000_000)
"""Limits of a robots.txt. RFC 9309 asks for 500 KiB at least; what is longer is cut off."""


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """Limits of a page that a browser on this machine renders; those of each request hold while it comes in."""

    seconds: float = 20.0
    """From loading the page to its HTML; starting the browser is not counted."""
    requests: int = 100
    """Those that are refused included."""
    bytes: int = 30_000_000
    """Unpacked, of all that the page asks for."""
    per_request: int = 8_000_000
    """Unpacked."""
    characters: int = 8_000_000
    """Of the HTML that the browser ends up with; what is longer is cut off."""
