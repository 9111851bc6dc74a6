"""Browsers of one process: as many at once as it may start, whichever of its threads and readers start them."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import httpcore
import pytest

from services.search.pages import rendering
from services.search.pages.addresses import HostAllowance, Target, target_of
from services.search.pages.fetch import Check, Fetched
from services.search.pages.rendering import BROWSERS_AT_ONCE, Renderer

PAGE = Fetched(target_of("https://tides.example/", HostAllowance()), 200, {}, b"", cut=False)


def unchecked(_: httpcore.AsyncConnectionPool) -> Check:
    async def check(_: Target) -> None:
        """Let every target pass."""

    return check


def test_readers_of_several_event_loops_share_the_browsers_of_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[int] = []
    most, full = 0, threading.Event()

    async def render_page(*_: object, **__: object) -> str:
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        if len(running) >= BROWSERS_AT_ONCE:
            full.set()
        await asyncio.to_thread(full.wait, 20)
        await asyncio.sleep(0.3)  # time for one too many
        running.pop()
        return "<p>Noon.</p>"

    monkeypatch.setattr(rendering, "render_page", render_page)
    monkeypatch.setattr(rendering, "find_browser", lambda: "chromium")

    async def read() -> bytes:
        renderer = Renderer(HostAllowance(), httpcore.AnyIOBackend())
        return await renderer.render(PAGE, unchecked, bool)

    with ThreadPoolExecutor(BROWSERS_AT_ONCE + 2) as threads:
        pages = list(threads.map(lambda _: asyncio.run(read()), range(BROWSERS_AT_ONCE + 2)))
    assert pages == [b"<p>Noon.</p>"] * (BROWSERS_AT_ONCE + 2)
    assert most == BROWSERS_AT_ONCE
