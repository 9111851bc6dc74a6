"""A loopback web site that writes raw HTTP: pages, redirects, bombs, drips and everything else a site may do."""

import asyncio
import contextlib
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Answer:
    """What a path answers: one whole response, or whatever `stream` writes after the headers."""

    body: bytes = b""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    stream: Callable[[asyncio.StreamWriter], Awaitable[None]] | None = None
    """Writes the body itself, piece by piece; the length is then not announced."""
    raw: bytes | None = None
    """The whole response as it goes onto the wire, headers included; `stream` goes on from there."""


@dataclass(slots=True)
class Site:
    """A site: its pages by path, and what was asked of it."""

    pages: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """Paths, in order."""
    headers: list[dict[str, str]] = field(default_factory=list)
    """Headers of the requests, in order; names in lower case."""
    bodies: list[str] = field(default_factory=list)
    """Bodies of the requests, in order; empty for those without."""
    port: int = 0
    sent: int = 0
    """Bytes of bodies that were written."""
    secure: bool = False

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http{'s' * self.secure}://{self.host}{path}"

    def page(self, path: str, html: str) -> str:
        self.pages[path] = Answer(html.encode())
        return self.url(path)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # Cancelled when the site closes, as a connection that is kept alive will be.
            with contextlib.suppress(
                ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError
            ):
                while await self._one(reader, writer):
                    pass
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1]
        self.asked.append(path)
        self.headers.append(
            {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        )
        length = int(self.headers[-1].get("content-length", 0))
        self.bodies.append((await reader.readexactly(length)).decode("latin-1"))
        answer = self.pages.get(path, Answer(b"nothing here", 404))
        if answer.raw is not None:
            writer.write(answer.raw)
            await writer.drain()
            if answer.stream is not None:
                await answer.stream(writer)
            return False
        lines = (
            [f"HTTP/1.1 {answer.status} Whatever", f"Content-Type: {answer.kind}"]
            if answer.kind
            else [f"HTTP/1.1 {answer.status} Whatever"]
        )
        if answer.stream is None and "Content-Length" not in answer.headers:
            lines.append(f"Content-Length: {len(answer.body)}")
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        if answer.stream is not None:
            await answer.stream(writer)
            return False
        writer.write(answer.body)
        self.sent += len(answer.body)
        await writer.drain()
        return True


@contextmanager
def site(tls: ssl.SSLContext | None = None) -> Iterator[Site]:
    """Serve until the block ends, in a thread with an event loop of its own."""
    served = Site(secure=tls is not None)
    ready = threading.Event()
    stop: list[Callable[[], object]] = []

    async def main() -> None:
        loop, done = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(served.serve, "127.0.0.1", 0, ssl=tls)
        served.port = server.sockets[0].getsockname()[1]
        stop.append(lambda: loop.call_soon_threadsafe(done.set))
        ready.set()
        await done.wait()
        server.close()

    # Connections that are still being answered are cancelled when the loop ends.
    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield served
    finally:
        stop[0]()
        thread.join(10)


async def endless(writer: asyncio.StreamWriter) -> None:
    """Write without end, as fast as it is read."""
    while True:
        writer.write(b"<p>Water, water everywhere.</p>" * 2_000)
        await writer.drain()


async def drip(writer: asyncio.StreamWriter) -> None:
    """Write a byte at a time: never silent for long, never done."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)
