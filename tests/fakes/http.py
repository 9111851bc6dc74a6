"""A small HTTP server on loopback that hands each request to a function; it runs in a thread of its own."""

import json
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, Literal, TypeVar

HEARTBEAT = b": keep-alive\n\n"
"""A comment of server-sent events, which says nothing but that the connection lives."""


@dataclass(slots=True)
class Request:
    """A request as it came in; header names in title case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    port: int = 0
    """Of the client: one a connection."""


@dataclass(slots=True)
class Reply:
    """What is sent back: JSON, or server-sent events where `events` are given, or `lines`."""

    status: int = 200
    body: Any = None
    raw: bytes | None = None
    """The body as it is, instead of JSON; `headers` say what it is."""
    headers: dict[str, str] = field(default_factory=dict)
    events: list[Any] | None = None
    lines: list[Any] | None = None
    """JSON, a line each, as Ollama streams."""
    named: bool = False
    """Whether each event is named by its type, as Anthropic does."""
    done: bool = True
    """Whether a last event says that there are no more, as OpenAI does."""
    cut_after: int | None = None
    """Bytes of the body after which the connection is reset."""
    gate: threading.Event | None = None
    """After the first two events the rest waits for this, ten seconds at most."""
    pace: float = 0.0
    """Seconds between events."""
    stall: float = 0.0
    """Seconds for which the far end sits on the request before it answers."""
    heartbeats: tuple[int, float] = (0, 0.0)
    """How many comments come before the first event, as servers send them while a model thinks, and seconds before each."""
    sent: Callable[[Literal["half", "answered"]], None] | None = None
    """Called when half of the body is on the wire, and when all of it is."""


class _Server(ThreadingHTTPServer):
    """Says nothing of clients that are gone: some tests kill them."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _event(event: Any, *, named: bool) -> str:
    return f"{'event: ' + event['type'] + chr(10) if named else ''}data: {json.dumps(event)}\n\n"


@contextmanager
def serving(answer: Callable[[Request], Reply]) -> Iterator[str]:  # noqa: C901 - a class of small methods
    """Serve until the block ends, and yield the server's address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length) or b"{}")
            headers = {name.title(): value for name, value in self.headers.items()}
            self._send(answer(Request(self.path, headers, body, self.client_address[1])))

        def do_GET(self) -> None:
            self.do_POST()

        def _send(self, reply: Reply) -> None:
            if reply.raw is not None:
                data, kind = reply.raw, "application/octet-stream"
            elif reply.lines is not None:
                data = "".join(f"{json.dumps(one)}\n" for one in reply.lines).encode()
                kind = "application/x-ndjson"
            elif reply.events is None:
                data, kind = json.dumps(reply.body).encode(), "application/json"
            else:
                lines = [_event(event, named=reply.named) for event in reply.events]
                data, kind = (
                    "".join([*lines, *(["data: [DONE]\n\n"] if reply.done else [])]).encode(),
                    "text/event-stream",
                )
            length = len(data) + reply.heartbeats[0] * len(HEARTBEAT)
            self.send_response(reply.status)
            for name, value in {"Content-Type": kind, "Content-Length": str(length), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self._beat(*reply.heartbeats)
            if reply.gate is not None:
                first = b"\n\n".join(data.split(b"\n\n")[:2]) + b"\n\n"
                self.wfile.write(first)
                self.wfile.flush()
                reply.gate.wait(10)
                data = data[len(first) :]
            if reply.pace:
                self._paced(data, reply.pace)
                return
            if reply.sent is not None:
                data = self._half(data, reply.sent)
            if reply.cut_after is None:
                self.wfile.write(data)
                if reply.sent is not None:
                    self.wfile.flush()
                    reply.sent("answered")
                return
            self.wfile.write(data[: reply.cut_after])
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            os.close(self.connection.detach())

        def _beat(self, count: int, pause: float) -> None:
            for _ in range(count):
                self.wfile.flush()
                time.sleep(pause)
                self.wfile.write(HEARTBEAT)

        def _paced(self, data: bytes, pace: float) -> None:
            for event in data.split(b"\n\n")[:-1]:
                self.wfile.write(event + b"\n\n")
                self.wfile.flush()
                time.sleep(pace)

        def _half(self, data: bytes, sent: Callable[[Literal["half", "answered"]], None]) -> bytes:
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            sent("half")
            return data[len(data) // 2 :]

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    with in_background(_Server(("127.0.0.1", 0), Handler)) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def in_background(server: TCPServer) -> Iterator[int]:
    """Serve in a thread of its own until the block ends, and yield the port."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(slots=True)
class FarEnd:
    """A service as a client sees it: where it is, and what it answers."""

    base_url: str = ""
    over: threading.Event = field(default_factory=threading.Event)
    """Set at the server's end; ends all stalls."""

    def answer(self, request: Request) -> Reply:
        """Answer as the original does."""
        raise NotImplementedError


F = TypeVar("F", bound=FarEnd)


@contextmanager
def served(far_end: F, below: str = "") -> Iterator[F]:
    """Serve until the block ends; `below` is the part of its address behind the host."""
    with serving(far_end.answer) as address:
        far_end.base_url = f"{address}{below}"
        try:
            yield far_end
        finally:
            far_end.over.set()


def free_port() -> int:
    """Return a port of loopback that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
