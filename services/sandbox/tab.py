"""One page in one browser: what it asks for is answered by a function of ours, and its HTML is taken once it has drawn its text.

A page is done when it has loaded, waits for no answer, and for a short while neither asked for anything nor showed more text. One that
shows nothing of its own yet gets more time, as applications draw by timers, too.
"""

import asyncio
import base64
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from services.run.errors import PageError
from services.sandbox.devtools import CommandRefused, DevTools
from services.sandbox.snapshot import SNAPSHOT, TEXT

QUIET = 1.0
"""Seconds without a request and without more text after which a page that has loaded is done."""
DRAWING = 0.3
"""Share of the time that a page gets which has loaded and shows nothing of its own yet."""
SETTLING = 0.6
"""Share of the time after which a page that is never quiet is taken as it is."""
LOOKED = 0.25
"""Seconds between two looks at its text."""
LONGEST_TEXT = 5_000
"""Characters of its text by which a page is judged."""
_WORLD = "leadline"
"""Name of the world of our scripts: under one name a page has one such world, however often it is asked for."""


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
Drawn = Callable[[str], bool]
"""Tells from the text that a page shows, each piece on a line, whether that is what it is to show."""


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


_TEXT_OF_PAGE: TypeAdapter[tuple[int, str]] = TypeAdapter(tuple[int, str])
"""Length of the whole text, and its beginning."""


class NotStarted(PageError):
    """The browser ended before it was asked for the page."""


class Tab:
    """One page in one browser."""

    def __init__(
        self, process: asyncio.subprocess.Process, serve: Serve, drawn: Drawn, around: Collection[str] = ()
    ) -> None:
        """Prepare.

        Args:
            process: of the browser, whose commands and answers go through its standard input and output.
            serve: answers all that the page asks for.
            drawn: judges the page's text.
            around: names of elements whose text does not count there, such as menus.
        """
        self._serve, self._drawn, self._around = serve, drawn, ",".join(around)
        self._browser = DevTools(process, self._notice)
        self._session = self._frame = ""
        self._answering: set[asyncio.Task[None]] = set()
        self._loaded = False
        self._last = 0.0
        """When the last request came in or was answered, or the text grew."""
        self._characters = 0
        """Length of the longest text so far."""
        self._failed: Exception | None = None
        """A fault of ours in answering a request; that the browser ended is none."""

    async def html(self, url: str, seconds: float, longest: int) -> str:
        """Return the page's HTML once it is done.

        Args:
            url: of the page.
            seconds: that the page may take.
            longest: characters that are kept.

        Raises:
            NotStarted: the browser ended before it was asked for the page.
            PageError: it ended later, or the page cannot be had; the message is a part of a sentence.
            TimeoutError: the page took longer than `seconds`.
        """
        listening = asyncio.create_task(self._browser.listen())
        try:
            try:
                await self._open()
            except PageError as error:
                raise NotStarted(str(error)) from None
            async with asyncio.timeout(seconds):
                await self._navigate(url)
                await self._settle(seconds)
                html = await self._snapshot(url, longest)
        finally:
            tasks = [listening, *self._answering]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if self._failed is not None:
            raise self._failed
        return html

    async def _open(self) -> None:
        """Take the tab that the browser began with, and have all of its requests wait for an answer of ours."""
        call = self._browser.call
        await call("Browser.setDownloadBehavior", behavior="deny")
        targets = (await call("Target.getTargets")).get("targetInfos")
        tabs = [target for target in targets if isinstance(target, dict)] if isinstance(targets, list) else []
        self._frame = _field(next((tab for tab in tabs if tab.get("type") == "page"), {}), "targetId")
        attached = await call("Target.attachToTarget", targetId=self._frame, flatten=True)
        self._session = _field(attached, "sessionId")
        await call("Page.enable", self._session)
        await call("Fetch.enable", self._session, patterns=[{"urlPattern": "*"}])

    async def _navigate(self, url: str) -> None:
        """Begin to load the page."""
        self._last = time.monotonic()
        answer = await self._browser.call("Page.navigate", self._session, url=url)
        if answer.get("errorText"):
            raise PageError("the browser could not open it")

    async def _settle(self, seconds: float) -> None:
        """Wait until the page is done, or for the shares of the seconds that it gets."""
        begin = time.monotonic()
        while (now := time.monotonic()) < begin + SETTLING * seconds:
            if self._loaded and not self._answering:
                text = await self._text()
                if now - self._last >= QUIET and (self._drawn(text) or now >= begin + DRAWING * seconds):
                    return
            await asyncio.sleep(LOOKED)

    async def _text(self) -> str:
        """Return the beginning of the text that the page shows, and note whether it has grown."""
        value = None
        with contextlib.suppress(CommandRefused):  # it is being replaced by another page of its site
            value = await self._run(f"({TEXT})({json.dumps(self._around)}, {LONGEST_TEXT})")
        try:
            characters, text = _TEXT_OF_PAGE.validate_python(value)
        except ValidationError:
            return ""
        if characters > self._characters:
            self._characters, self._last = characters, time.monotonic()
        return text[:LONGEST_TEXT]

    async def _snapshot(self, url: str, longest: int) -> str:
        parts = urlsplit(url)
        html = await self._run(f"({SNAPSHOT})({longest}, {json.dumps(f'{parts.scheme}://{parts.netloc}')})")
        if not isinstance(html, str):
            raise PageError("its scripts lead away from it")
        return html[:longest]

    async def _run(self, script: str) -> object:
        """Return the value of an expression, worked out where the page's scripts cannot reach; None of one that fails."""
        call = self._browser.call
        world = await call("Page.createIsolatedWorld", self._session, frameId=self._frame, worldName=_WORLD)
        place = world.get("executionContextId")
        answer = await call("Runtime.evaluate", self._session, expression=script, contextId=place, returnByValue=True)
        result = answer.get("result")
        return result.get("value") if isinstance(result, dict) else None

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


def _field(answer: dict[str, Any], name: str) -> str:
    """Return a text of an answer.

    Raises:
        PageError: it is none.
    """
    value = answer.get(name)
    if not isinstance(value, str):
        raise PageError("the browser answered in another form than it should")
    return value
