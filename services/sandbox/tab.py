"""One page in one browser: answers its requests by a function, and takes its HTML once it has drawn its text.

A page is done when it has loaded, waits for no answer, and for a short while neither asked for anything nor showed more text. One that
shows nothing of its own yet gets more time, as applications draw by timers, too. What is visible, the browser knows: computed styles, and
the boxes of the laid out page. Two scripts ask it in an isolated world, whose functions the page cannot replace.
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

_SEEN = r"""
  const clear = (colour) => colour === "transparent" || /^rgba\(.*, 0\)$/.test(colour);
  const tiny = (element, style, box) => style.overflow !== "visible" && (box.width <= 1 || box.height <= 1) &&
    (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
  const cutAway = (style) => /^rect\(([01]px[ ,]*){2}/.test(style.clip) ||
    /^(inset\((50|100)%|circle\(0)/.test(style.clipPath) || style.transform.startsWith("matrix(0, 0, 0, 0");
  const farOff = (box) => box.width > 0 && box.height > 0 &&
    (box.right + scrollX < -1000 || box.bottom + scrollY < -1000);
  const laidOut = (element) => {
    if (element.localName === "noscript") return false;  // it has no box, and its style does not tell
    const style = getComputedStyle(element);
    if (!style.display || style.display === "none" || style.contentVisibility === "hidden" || style.opacity < 0.01) return false;
    if (style.display === "contents") return true;
    const box = element.getBoundingClientRect();
    return !(tiny(element, style, box) || cutAway(style) || farOff(box));
  };
  const legible = (element) => {
    const style = getComputedStyle(element);
    return style.visibility === "visible" && parseFloat(style.fontSize) > 1 && parseFloat(style.textIndent) > -100 &&
      !clear(style.color) && style.color !== style.backgroundColor;
  };
"""
"""Two questions about an element: whether it has a place on the page, with all that is in it, and whether its own text can be read.
The second is asked for each element, as what is in it may have other colours and sizes."""

TEXT = f"""(around, longest) => {{{_SEEN}
  let characters = 0, text = "";
  const visit = (node) => {{
    if (node.nodeType === Node.TEXT_NODE) {{
      const piece = node.data.replace(/\\s+/g, " ").trim();
      if (!piece || (node.parentElement && !legible(node.parentElement))) return;
      characters += piece.length;
      if (text.length < longest) text += piece + "\\n";
    }} else if (node.nodeType !== Node.ELEMENT_NODE || (laidOut(node) && !(around && node.matches(around)))) {{
      if (node.shadowRoot) visit(node.shadowRoot);
      node.childNodes.forEach(visit);
    }}
  }};
  if (document.body) visit(document.body);
  return [characters, text.slice(0, longest)];
}}"""
"""Returns the length of the text outside of some elements, and its beginning, with each piece on a line."""

SNAPSHOT = f"""(longest, origin) => {{{_SEEN}
  if (location.origin !== origin) return null;
  const inert = document.implementation.createHTMLDocument("");
  const copied = (node) => {{
    const copy = inert.importNode(node, true);
    if (node.nodeType !== Node.ELEMENT_NODE) return copy;
    const elements = [node, ...node.querySelectorAll("*")];
    const copies = [copy, ...copy.querySelectorAll("*")];
    elements.forEach((element, place) => {{
      if (document.head && document.head.contains(element)) return;
      const here = copies[place];
      here.toggleAttribute("hidden", !laidOut(element));
      if (!legible(element))
        here.childNodes.forEach((child) => {{ if (child.nodeType === Node.TEXT_NODE) child.data = " "; }});
      if (element.shadowRoot) here.append(...[...element.shadowRoot.childNodes].map(copied));
    }});
    copies.forEach((here) => {{ if (here.localName === "style") here.textContent = ""; }});
    return copy;
  }};
  return copied(document.documentElement).outerHTML.slice(0, longest);
}}"""
"""Copies the page into a document that does nothing: what has no place on it is marked as hidden, text that cannot be read is left out,
and open shadow trees stand inside. Style sheets have been heeded and are empty. Of another origin, as of the browser's own page about
a fault, it gives nothing."""


QUIET = 1.0
"""Seconds without requests and without new text after which a loaded page is done."""
DRAWING = 0.3
"""Share of the time for a loaded page that shows no content yet."""
SETTLING = 0.6
"""Share of the time after which a page that is never quiet is taken as it is."""
LOOKED = 0.25
"""Seconds between two checks of its text."""
LONGEST_TEXT = 5_000
"""Maximum characters of its text that are judged."""
_WORLD = "leadline"
"""Name of the isolated world of the scripts: requests with one name share one world per page."""


@dataclass(frozen=True, slots=True)
class BrowserRequest:
    """A request of the page in the browser."""

    url: str
    method: str
    kind: str
    """Resource type in the protocol: `Document`, `Script`, `Stylesheet`, `XHR`, `Fetch`, `Image`, `Other` and so on."""
    main: bool
    """Whether the request belongs to the page itself, not to a frame in it."""
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class BrowserReply:
    """The response to a browser's request."""

    status: int
    headers: dict[str, str]
    body: bytes = b""


Serve = Callable[[BrowserRequest], Awaitable[BrowserReply | None]]
"""Answers a request; None refuses it."""
Drawn = Callable[[str], bool]
"""Tells from the page's visible text, one piece per line, whether it is the page's content."""


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
    """The browser ended before it got the page."""


class Tab:
    """One page in one browser."""

    def __init__(
        self, process: asyncio.subprocess.Process, serve: Serve, drawn: Drawn, around: Collection[str] = ()
    ) -> None:
        """Take a browser with commands and answers on its standard input and output; the rest is as of `render_page`."""
        self._serve, self._drawn, self._around = serve, drawn, ",".join(around)
        self._browser = DevTools(process, self._notice)
        self._session = self._frame = ""
        self._answering: set[asyncio.Task[object]] = set()
        self._loaded = False
        self._last = 0.0
        """Time of the last request, response or growth of the text."""
        self._characters = 0
        """Length of the longest text so far."""
        self._failed: Exception | None = None
        """Our own error in answering a request; the browser's end is not such an error."""

    async def html(self, url: str, seconds: float, longest: int) -> str:
        """Return the page's HTML once it is done.

        Raises:
            NotStarted: the browser ended before it got the page.
            PageError: the browser ended later, or the page cannot be loaded; the message is a part of a sentence.
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
        """Attach to the browser's first tab, and intercept all of its requests."""
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
        self._last = time.monotonic()
        answer = await self._browser.call("Page.navigate", self._session, url=url)
        if answer.get("errorText"):
            raise PageError("the browser could not open it")

    async def _settle(self, seconds: float) -> None:
        """Wait until the page is done, or until its share of the time is used up."""
        begin = time.monotonic()
        while (now := time.monotonic()) < begin + SETTLING * seconds:
            if self._loaded and not self._answering:
                text = await self._text()
                if now - self._last >= QUIET and (self._drawn(text) or now >= begin + DRAWING * seconds):
                    return
            await asyncio.sleep(LOOKED)

    async def _text(self) -> str:
        value = None
        with contextlib.suppress(CommandRefused):  # another page of the site is replacing it
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
        """Evaluate an expression in the isolated world; None if it fails."""
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
                self._do(self._browser.call("Page.handleJavaScriptDialog", self._session, accept=False))

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        """Run work in the background; if the browser ends meanwhile, the awaited call reports it."""
        task = asyncio.create_task(work)
        self._answering.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._answering.discard(task)
        self._last = time.monotonic()
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, Exception) and not isinstance(error, PageError):
            self._failed = error

    async def _answer(self, paused: _Paused) -> None:
        request = paused.request
        main = paused.frame_id == self._frame
        reply = await self._serve(BrowserRequest(request.url, request.method, paused.kind, main, request.headers))
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


def _field(answer: dict[str, Any], name: str) -> str:
    value = answer.get(name)
    if not isinstance(value, str):
        raise PageError("the browser answered in another form than it should")
    return value
