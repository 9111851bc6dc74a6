"""A page rendered by Chromium in the jail that prints PDFs: it has no network, and asks for everything over a pipe.

The browser's own interception of requests (the domain `Fetch` of its protocol) hands each of them to a function of ours, which
answers or refuses it. What goes around that, such as a socket of the page's, finds no network: the jail has none. Profile and storage
are new each time, and gone with the work folder. (A private window would keep them in memory, but needs a second profile, which
Chromium does not make in one process.)
"""

import asyncio
import base64
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from services.run.errors import PageError
from services.sandbox.browser import ARGUMENTS, LOCKED_IN, end, environment, jailed_browser, kill
from services.sandbox.consumption import disk_of, memory_of
from services.sandbox.devtools import DevTools
from services.sandbox.jail import EXIT_NOT_ISOLATED
from services.sandbox.leftovers import hold
from services.sandbox.snapshot import SNAPSHOT

MAX_MEMORY = 1_200_000_000
"""Bytes that the browser may hold in memory; it starts with about a quarter of that."""
MAX_FILE = 50_000_000
"""Bytes of any of its files; some that it makes at its start have 40 million."""
MAX_DISK = 200_000_000
"""Bytes of all its files."""
WATCHED = 0.1
"""Seconds between two looks at what it takes."""
QUIET = 1.0
"""Seconds without a request after which a page that has loaded counts as ready."""
SETTLING = 0.6
"""Share of the time after which a page that is never quiet is taken as it is."""
STARTING = 15.0
"""Seconds that the browser may take before it loads the page, beside the page's own."""
STARTS = 2
"""Times that a browser is started which ends before it was asked for the page: in one process Chromium now and then does."""
NOT_LOCKED_IN = "this machine cannot lock a browser in"
_PIPES = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null'
"""The browser reads commands from descriptor 3 and answers on 4."""
_OPTIONS = (
    "--remote-debugging-pipe", "--blink-settings=imagesEnabled=false", "--disable-extensions",
    "--js-flags=--max-old-space-size=512", "about:blank",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BrowserRequest:
    """What a page in the browser asks for."""

    url: str
    method: str
    kind: str
    """`Document`, `Script`, `Stylesheet`, `XHR`, `Fetch`, `Image`, `Other` and so on, as the protocol has it."""
    main: bool
    """Whether it is of the page itself, and not of a frame in it."""
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class BrowserReply:
    """What the browser is given for a request."""

    status: int
    headers: dict[str, str]
    body: bytes = b""


Serve = Callable[[BrowserRequest], Awaitable[BrowserReply | None]]
"""Answers a request; None refuses it."""


class _Request(BaseModel):
    url: str
    method: str
    headers: dict[str, str] = {}


class _Paused(BaseModel):
    """A request that the browser made and waits with."""

    request_id: str = Field(alias="requestId")
    frame_id: str = Field("", alias="frameId")
    kind: str = Field(alias="resourceType")
    request: _Request


async def render_page(browser: str, url: str, serve: Serve, *, seconds: float, longest: int) -> str:
    """Open a page, let its scripts run until it is quiet, and return its HTML.

    Args:
        browser: path of a Chromium or Chrome.
        url: of the page.
        serve: answers all that the browser asks for, the page itself included.
        seconds: that the page may take.
        longest: characters of HTML that are kept.

    Raises:
        PageError: the browser cannot be locked in, ended, or took too long; the message is a part of a sentence.
    """
    for _ in range(STARTS - 1):
        with contextlib.suppress(_NotStarted):
            return await _render(browser, url, serve, seconds, longest)
    return await _render(browser, url, serve, seconds, longest)


class _NotStarted(PageError):
    """The browser ended before it was asked for the page."""


async def _render(browser: str, url: str, serve: Serve, seconds: float, longest: int) -> str:
    held = await asyncio.to_thread(hold)
    try:
        work = held.folder
        start = ["/bin/sh", "-c", _PIPES, browser, *LOCKED_IN, *ARGUMENTS, *_OPTIONS]
        command = await asyncio.to_thread(jailed_browser, start, work, browser, file_size=MAX_FILE)
        if not command:
            raise PageError(NOT_LOCKED_IN)
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=work,
            env=environment(work),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            limit=6 * longest + 1_000_000,  # a character takes six bytes at most, escaped
        )
        watching = asyncio.create_task(_watch(process, work))
        try:
            async with asyncio.timeout(STARTING + seconds):
                return await _Rendering(process, serve).html(url, seconds, longest)
        except TimeoutError:
            raise PageError(f"its scripts took longer than {seconds:g} seconds") from None
        except PageError:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 1)
            if process.returncode == EXIT_NOT_ISOLATED:
                raise PageError(NOT_LOCKED_IN) from None
            if watching.done() and (problem := watching.result()):
                raise PageError(problem) from None
            raise
        finally:
            watching.cancel()
            await end(process)
    finally:
        await asyncio.to_thread(held.release)


async def _watch(process: asyncio.subprocess.Process, work: Path) -> str:
    """End the browser when it takes too much, and say so; empty when it ended by itself."""
    while process.returncode is None:
        if await asyncio.to_thread(memory_of, process.pid) > MAX_MEMORY:
            problem = f"it takes more than {MAX_MEMORY / 1e9:g} GB of memory"
        elif await asyncio.to_thread(disk_of, work, process.pid) > MAX_DISK:
            problem = f"it takes more than {MAX_DISK / 1e6:g} MB on the disk"
        else:
            await asyncio.sleep(WATCHED)
            continue
        kill(process)
        return problem
    return ""


class _Rendering:
    """One page in one browser."""

    def __init__(self, process: asyncio.subprocess.Process, serve: Serve) -> None:
        self._process, self._serve = process, serve
        self._browser = DevTools(process, self._notice)
        self._session = self._frame = ""
        self._answering: set[asyncio.Task[None]] = set()
        self._loaded = False
        self._last = 0.0
        """When the last request came in or was answered."""
        self._failed: Exception | None = None
        """A fault of ours in answering a request; that the browser ended is none."""

    async def html(self, url: str, seconds: float, longest: int) -> str:
        """Return the page's HTML once it is quiet."""
        listening = asyncio.create_task(self._browser.listen())
        try:
            try:
                await self._open_tab()
            except PageError as error:
                raise _NotStarted(str(error)) from None
            async with asyncio.timeout(seconds):
                await self._navigate(url)
                await self._settle(SETTLING * seconds)
                html = await self._snapshot(url, longest)
        finally:
            tasks = [listening, *self._answering]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if self._failed is not None:
            raise self._failed
        return html

    async def _open_tab(self) -> None:
        """Take the tab that the browser began with, and have all of its requests wait for an answer of ours."""
        call = self._browser.call
        await call("Browser.setDownloadBehavior", behavior="deny")
        targets = (await call("Target.getTargets")).get("targetInfos")
        tabs = [one for one in targets if isinstance(one, dict)] if isinstance(targets, list) else []
        self._frame = _text(next((tab for tab in tabs if tab.get("type") == "page"), {}), "targetId")
        attached = await call("Target.attachToTarget", targetId=self._frame, flatten=True)
        self._session = _text(attached, "sessionId")
        await call("Page.enable", self._session)
        await call("Fetch.enable", self._session, patterns=[{"urlPattern": "*"}])

    async def _navigate(self, url: str) -> None:
        """Begin to load the page."""
        self._last = time.monotonic()
        answer = await self._browser.call("Page.navigate", self._session, url=url)
        if answer.get("errorText"):
            raise PageError("the browser could not open it")

    async def _settle(self, longest: float) -> None:
        """Wait until the page has loaded and asks for nothing more, or for some seconds."""
        until = time.monotonic() + longest
        while (now := time.monotonic()) < until:
            if self._loaded and not self._answering and now - self._last >= QUIET:
                return
            await asyncio.sleep(0.05)

    async def _snapshot(self, url: str, longest: int) -> str:
        parts = urlsplit(url)
        world = await self._browser.call("Page.createIsolatedWorld", self._session, frameId=self._frame)
        answer = await self._browser.call(
            "Runtime.evaluate",
            self._session,
            expression=f"({SNAPSHOT})({longest}, {json.dumps(f'{parts.scheme}://{parts.netloc}')})",
            contextId=world.get("executionContextId"),
            returnByValue=True,
        )
        result = answer.get("result")
        html = result.get("value") if isinstance(result, dict) else None
        if not isinstance(html, str):
            raise PageError("its scripts lead away from it")
        return html[:longest]

    def _notice(self, event: str, parameters: dict[str, Any]) -> None:
        match event:
            case "Fetch.requestPaused":
                self._last = time.monotonic()
                self._do(self._answer(_Paused.model_validate(parameters)))
            case "Page.loadEventFired":
                self._loaded = True
                self._last = time.monotonic()
            case "Page.javascriptDialogOpening":
                self._do(self._dismiss())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside; that the browser ended meanwhile is told by the call that is waited for."""
        task = asyncio.create_task(work)
        self._answering.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._answering.discard(task)
        self._last = time.monotonic()
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, Exception) and not isinstance(error, PageError):
            self._failed = error

    async def _answer(self, paused: _Paused) -> None:
        """Give the browser what it asks for, or refuse it."""
        asked = paused.request
        main = paused.frame_id == self._frame
        reply = await self._serve(BrowserRequest(asked.url, asked.method, paused.kind, main, asked.headers))
        if reply is None:
            await self._browser.call(
                "Fetch.failRequest", self._session, requestId=paused.request_id, errorReason="AccessDenied"
            )
            return
        await self._browser.call(
            "Fetch.fulfillRequest",
            self._session,
            requestId=paused.request_id,
            responseCode=reply.status,
            responseHeaders=[{"name": name, "value": value} for name, value in reply.headers.items()],
            body=(await asyncio.to_thread(base64.b64encode, reply.body)).decode("ascii"),
        )

    async def _dismiss(self) -> None:
        """Close a window of the page's that waits for a person."""
        await self._browser.call("Page.handleJavaScriptDialog", self._session, accept=False)


def _text(answer: dict[str, Any], name: str) -> str:
    """Return a text of an answer.

    Raises:
        PageError: it is none.
    """
    value = answer.get(name)
    if not isinstance(value, str):
        raise PageError("the browser answered in another form than it should")
    return value
