"""A reverse proxy on loopback that serves a server below a path, and answers for itself as nginx does: with pages for browsers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.server.conftest import in_thread

BELOW = "/leadline"
MOST_BYTES = 1 << 20
"""Of a body: nginx takes no more unless it is told to."""


@dataclass(slots=True)
class Proxy:
    """Passes requests on to a server."""

    goal: str
    address: str = ""
    is_up: bool = True
    """Whether there is a server behind it."""

    async def answer(self, request: Request) -> Response:
        body = await request.body()
        if len(body) > MOST_BYTES:
            return HTMLResponse("<html><h1>413 Request Entity Too Large</h1></html>", 413)
        if not self.is_up:
            return HTMLResponse("<html><h1>502 Bad Gateway</h1></html>", 502)
        headers = {
            name: value for name, value in request.headers.items() if name not in {"host", "origin", "accept-encoding"}
        }
        client = httpx.AsyncClient(base_url=self.goal, timeout=None)  # noqa: S113 - a stream is open as long as its run
        path = request.url.path.removeprefix(BELOW)
        passed_on = client.build_request(
            request.method, path, params=request.query_params, headers=headers, content=body
        )
        answered = await client.send(passed_on, stream=True)

        kept = {
            name: value
            for name, value in answered.headers.items()
            if name not in {"content-length", "transfer-encoding", "connection", "content-encoding"}
        }
        return StreamingResponse(
            answered.aiter_bytes(), answered.status_code, kept, background=BackgroundTask(client.aclose)
        )


@contextmanager
def proxy(address: str) -> Iterator[Proxy]:
    """Serve what is at an address below a path of another one until the block ends."""
    made = Proxy(address)
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    with in_thread(Starlette(routes=[Route(f"{BELOW}/{{path:path}}", made.answer, methods=methods)])) as port:
        made.address = f"http://127.0.0.1:{port}{BELOW}"
        yield made
