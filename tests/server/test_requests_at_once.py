"""Requests at once, and requests that never end: bounds hold, nothing is a server's error, and slow bodies are given up."""

import asyncio
import socket
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leadline.server.attachments import MAX_FILES
from leadline.server.server_guards import BodyDeadline
from tests.server.conftest import dev_server, in_thread, thread_of

pytestmark = pytest.mark.timeout(300)
PATIENCE = 60
"""Seconds within which a busy machine gives a slow body up."""


async def test_files_that_come_at_once_stay_within_their_number(server: str, client: LangGraphClient) -> None:
    thread = await thread_of(client)
    async with httpx.AsyncClient(base_url=server, timeout=120) as web:
        answers = await asyncio.gather(
            *(web.put(f"/attachments/{thread}/{n}.md", content=f"# {n}\n") for n in range(MAX_FILES + 15))
        )
        statuses = sorted(answer.status_code for answer in answers)
        assert statuses == [200] * MAX_FILES + [413] * 15
        assert len((await web.get(f"/attachments/{thread}")).json()["files"]) == MAX_FILES


ROUTES = [
    ("POST", "/steering/{}"), ("GET", "/steering/{}"), ("GET", "/reports/{}/view.json"), ("GET", "/reports/{}/turns.json"),
    ("GET", "/reports/{}/versions.json"), ("GET", "/reports/{}/difference.json?before=1&after=2"), ("GET", "/reports/{}/report.html"),
]  # fmt: skip


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Serve an app with changes that these tests need; yield as `served` does."""
    home = tmp_path_factory.mktemp("hurried")
    app = f"{Path(__file__).with_name('hurried.py')}:app"
    with dev_server(home, app=app) as (address, _):
        yield address, home


def test_a_thread_that_is_deleted_meanwhile_is_not_found(hurried: tuple[str, Path]) -> None:
    for method, path in ROUTES:
        body = {"text": "only the tallow"} if method == "POST" else None
        answer = httpx.request(method, f"{hurried[0]}{path.format(uuid.uuid4())}", json=body, timeout=60)
        assert answer.status_code == 404, (path, answer.text)


async def test_a_file_whose_thread_is_deleted_while_it_comes_is_not_kept(server: str, client: LangGraphClient) -> None:
    thread = await thread_of(client)

    async def pieces() -> AsyncIterator[bytes]:
        yield b"# A note\n"
        await client.threads.delete(thread)
        yield b"Its end.\n"

    async with httpx.AsyncClient(base_url=server, timeout=60) as web:
        assert (await web.put(f"/attachments/{thread}/note.md", content=pieces())).status_code == 404
        await client.threads.create(thread_id=thread)
        assert (await web.get(f"/attachments/{thread}")).json()["files"] == []


def begun(address: str, method: str, path: str) -> socket.socket:
    """Send the head of a request and half of its body."""
    url = httpx.URL(address)
    opened = socket.create_connection((str(url.host), int(url.port or 80)), timeout=PATIENCE)
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    )
    opened.sendall(head.encode() + b'{"text": "')
    return opened


def ended(opened: socket.socket) -> bytes:
    """Return what comes until the connection is closed."""
    with opened:
        return b"".join(iter(lambda: opened.recv(65_536), b""))


async def test_a_body_that_stops_in_the_middle_is_given_up(hurried: tuple[str, Path]) -> None:
    address, home = hurried
    async with get_client(url=address) as client:
        thread = await thread_of(client)
    asked = [("PUT", f"/attachments/{thread}/slow.md"), ("POST", "/threads"), ("POST", f"/steering/{thread}")]
    opened = [begun(address, *one) for one in asked]
    answers = await asyncio.gather(*(asyncio.to_thread(ended, one) for one in opened))
    assert [answer.split(b"\r\n")[0] for answer in answers] == [b"HTTP/1.1 408 Request Timeout"] * 3
    assert not [path for path in (home / "home" / "threads" / thread).rglob("*") if path.is_file()]
    async with httpx.AsyncClient(base_url=address, timeout=60) as web:  # the thread takes files again
        assert (await web.put(f"/attachments/{thread}/slow.md", content="# A note\n")).status_code == 200


@pytest.fixture
def echo() -> Iterator[str]:
    """Serve with short deadlines an app that answers the length of the body."""

    async def length(request: Request) -> Response:
        return Response(str(len(await request.body())))

    app = BodyDeadline(Starlette(routes=[Route("/", length, methods=["POST"])]), between=5, whole=3)
    with in_thread(app) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_body_that_comes_bit_by_bit_has_a_deadline_as_a_whole(echo: str) -> None:
    assert httpx.post(echo, content=b"x" * 100_000).text == "100000"
    opened = begun(echo, "POST", "/")
    began = time.monotonic()
    try:
        while time.monotonic() - began < 60:
            opened.sendall(b"x")
            time.sleep(0.2)
            opened.settimeout(0.01)
            try:
                answer = opened.recv(4_096)
            except TimeoutError:
                continue
            assert answer.startswith(b"HTTP/1.1 408")
            return
    finally:
        opened.close()
    pytest.fail("the body was waited for")
