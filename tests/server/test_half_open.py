"""A connection whose request head does not come is closed; others are served as ever."""

import asyncio
import socket
import time
from collections.abc import Iterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from uvicorn.config import HTTP_PROTOCOLS

from leadline.server import server_guards
from tests.server.conftest import in_thread


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Serve with a short deadline an app that takes its time to answer."""

    async def slow(_: Request) -> PlainTextResponse:
        await asyncio.sleep(2)
        return PlainTextResponse("ok")

    monkeypatch.setattr(server_guards.HeadDeadline, "seconds", 1.0)
    monkeypatch.setitem(HTTP_PROTOCOLS, "auto", "leadline.server.server_guards:HeadDeadline")
    with in_thread(Starlette(routes=[Route("/", slow)])) as served:
        yield served


@pytest.mark.parametrize("head", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_a_head_that_does_not_come_is_given_up(port: int, head: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as half:
        half.sendall(head)
        began = time.monotonic()
        assert half.recv(1_000) == b""
        assert time.monotonic() - began < 15


def test_a_request_that_takes_longer_than_its_head_may_is_answered_again_and_again(port: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as web:
        assert [web.get("/").text for _ in range(2)] == ["ok", "ok"]
