"""A collector of traces on loopback: takes what is posted, as it came."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.fakes.http import in_background


@dataclass(slots=True)
class Collector:
    """What has been posted: paths with bodies, unpacked."""

    address: str = ""
    posted: list[tuple[str, bytes]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def collector() -> Iterator[Collector]:
    taken = Collector()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            unpacked = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
            taken.headers.append({name.title(): value for name, value in self.headers.items()})
            taken.posted.append((self.path, unpacked))
            self._answer(b"")

        def do_GET(self) -> None:
            self._answer(b"{}")

        do_PATCH = do_POST  # noqa: N815 - the base class looks for this name

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json" if body else "application/x-protobuf")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        taken.address = f"http://127.0.0.1:{port}"
        yield taken
