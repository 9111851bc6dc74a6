"""Reads a web page: fetches it over guarded connections within limits, and extracts the text that a person sees."""

import asyncio
import re
import ssl
from collections import defaultdict
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from functools import partial
from urllib.parse import unquote, urlsplit

import httpcore
from pydantic import BaseModel, Field, TypeAdapter

from schemas.card import Card
from schemas.clean_text import CleanLine
from schemas.evidence import SourceCategory
from services.run.errors import PageError
from services.run.settings import settings
from services.run.ui_text import say
from services.sandbox.slots import Slots
from services.sandbox.workers import Workers
from services.search.files.content_type import Kind, check_readable, declared_charset, kind_of
from services.search.files.converters import CONVERSIONS, MEGABYTE
from services.search.files.missing_text import has_drawn, shows_more
from services.search.hit import Hit
from services.search.pages.addresses import HostAllowance, Target, shown, target_of
from services.search.pages.extraction import MAX_LINKS, Extracted, Job
from services.search.pages.fetch import Check, Fetched, Limits, connections, fetch, status_problem
from services.search.pages.guard import ROBOTS, GuardedBackend, Resolve, Robots, resolve
from services.search.pages.rendering import Renderer
from services.search.source_kinds import category_of, site_of
from services.text.normal_form import normalise_text

AT_ONCE_A_HOST = 2
"""Maximum pages of one host fetched at the same time."""
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Status codes after which a later attempt may succeed."""
EXTRACTIONS = Slots(4)
"""Web pages from which text is extracted at once in this process, over all researches."""
PAGE_MEMORY = 1024 * MEGABYTE
"""Maximum bytes of address space for extracting the text of a web page, whose tree takes twenty times its size."""
LONGEST_ANSWER = 60_000_000
"""Maximum bytes of an answer: two million escaped characters."""


class PageLink(BaseModel):
    """A link in the text of a page."""

    url: CleanLine
    text: CleanLine


class Page(BaseModel):
    """A web page that was read."""

    url: str
    """As it was asked for."""
    final_url: CleanLine
    """Where redirects led."""
    title: CleanLine
    text: str
    """Normalised as the evidence store keeps it."""
    published: CleanLine | None = None
    """ISO date, only where the page itself states it."""
    card: Card = Card()
    """What the page says about itself."""
    site: CleanLine = ""
    """Name of who publishes it."""
    source_kind: SourceCategory = "general"
    fetched_at: str
    """ISO time, UTC."""
    cut: bool = False
    """Whether the text was longer than is kept."""
    rendered: bool = False
    """Whether a browser ran its scripts first."""
    links: list[PageLink] = Field(default_factory=list)
    """Links in the order of the text; empty if the caller asked for none."""

    def hit(self) -> Hit:
        """Return the page as a hit of a search provider."""
        return Hit(
            url=self.final_url,
            title=self.title,
            kind="web",
            text=self.text,
            published=self.published,
            card=self.card,
            site=self.site,
            source_kind=self.source_kind,
            rendered=self.rendered,
        )


class PageReader(AbstractAsyncContextManager["PageReader"]):
    """Reads pages; use as an async context manager, within one event loop.

    It keeps robots.txt rules and its extracting processes between pages, and no cookies, connections or credentials.
    """

    def __init__(
        self,
        allowance: HostAllowance | None = None,
        limits: Limits | None = None,
        *,
        links: bool = False,
        resolver: Resolve = resolve,
        dialler: httpcore.AsyncNetworkBackend | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Create a reader, by default of the hosts of LEADLINE_ALLOW_PRIVATE_HOSTS and with the system's authorities.

        Raises:
            SettingsError: LEADLINE_ALLOW_PRIVATE_HOSTS cannot be used.
        """
        self.allowance = (
            HostAllowance.parse(settings().leadline_allow_private_hosts) if allowance is None else allowance
        )
        self.limits = limits or Limits()
        self._links = links
        self._robots = Robots()
        self._backend = GuardedBackend(self.allowance, resolver, dialler)
        self._tls = tls
        self._renderer = Renderer(self.allowance, self._backend, tls)
        answers = TypeAdapter(Extracted)
        self._extractors = Workers(
            "services.search.pages.extract", answers, count=2, longest=LONGEST_ANSWER, memory=PAGE_MEMORY
        )
        self._office = Workers("services.search.pages.extract_office", answers, longest=LONGEST_ANSWER)
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE_A_HOST))

    async def __aexit__(self, *error: object) -> None:
        await self._extractors.__aexit__(*error)
        await self._office.__aexit__(*error)

    @property
    def problem(self) -> str:
        """Reason why the extracting processes are not confined; empty if they are, or if none has started."""
        return self._extractors.problem or self._office.problem

    async def read(self, url: str) -> Page:
        """Read one page.

        Raises:
            PageRefused: its address or a redirect's target is not public, or its robots.txt forbids reading it.
            PageError: the page cannot be fetched within the limits, or holds no readable text.
        """
        target = target_of(url, self.allowance)
        async with self._turns[target.host]:
            fetched = await self._fetch(target)
        try:
            extracted, rendered = await self._text_of(fetched)
        except PageError as error:
            message = say("page_unread", url=shown(fetched.target.url), reason=error)
            raise PageError(message, passing=error.passing) from None
        final, card = fetched.target.url, Card.model_validate(extracted.get("card", {}))
        return Page(
            url=url,
            final_url=final,
            title=card.heading or _name_of(final),
            text=extracted["text"],
            published=card.published or None,
            card=card,
            site=site_of(final, "web", extracted.get("publisher", "")),
            source_kind=category_of(final, extracted.get("claimed", "general")),
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            cut=extracted.get("cut", False),
            rendered=rendered,
            links=[PageLink(url=address, text=text) for address, text in extracted.get("links", [])[:MAX_LINKS]],
        )

    async def _fetch(self, target: Target) -> Fetched:
        try:
            async with asyncio.timeout(self.limits.seconds), connections(self._backend, self._tls) as pool:
                return await fetch(
                    pool, target, self.allowance, self.limits, check=self._check(pool), accepts=check_readable
                )
        except TimeoutError:
            raise PageError(
                say("page_unread", url=shown(target.url), reason=say("page_slow", seconds=f"{self.limits.seconds:g}")),
                passing=True,
            ) from None

    def _check(self, pool: httpcore.AsyncConnectionPool) -> Check:
        """Return the check that reads a site's robots.txt, over the same connections, before each request."""

        async def get(target: Target) -> Fetched:
            try:
                async with asyncio.timeout(ROBOTS.seconds):
                    return await fetch(pool, target, self.allowance, ROBOTS, cut=True)
            except TimeoutError:
                raise PageError(say("page_robots_late")) from None

        async def check(target: Target) -> None:
            await self._robots.check(target, get)

        return check

    async def _text_of(self, fetched: Fetched) -> tuple[Extracted, bool]:
        """Return the text of a page, and whether a browser ran its scripts first.

        Raises:
            PageError: the page has no text; the message is a part of a sentence.
        """
        plain = await self._extract(fetched)
        why = plain.get("needs_scripts")
        if not why:
            return _checked(plain), False
        before = plain.get("text", "")
        try:
            html = await self._renderer.render(fetched, self._check, partial(has_drawn, why, before))
            job: Job = {**self._job(fetched, "html"), "charset": "utf-8"}
            rendered = _checked(await self._run(job, html))
            if not shows_more(why, before, rendered["text"]):
                raise PageError(say("page_scripts_again"))  # noqa: TRY301 - the same end as of the others
        except PageError as error:
            if why == "shell":
                return plain, False
            reason = plain.get("error", say("page_scripts"))
            raise PageError(say("page_and", first=reason, second=error)) from None
        return rendered, True

    async def _extract(self, fetched: Fetched) -> Extracted:
        """Return the extracting process's result for a body: its text, or the reason of a failure."""
        if not 200 <= fetched.status < 300:
            raise PageError(status_problem(fetched.status), passing=fetched.status in _PASSING)
        if not fetched.body.strip():
            raise PageError(say("form_empty"))
        kind = kind_of(fetched.headers, fetched.body, fetched.target.url)
        return await self._run(self._job(fetched, kind), fetched.body)

    def _job(self, fetched: Fetched, kind: Kind) -> Job:
        return {
            "name": _name_of(fetched.target.url),
            "kind": kind,
            "charset": declared_charset(fetched.headers),
            "url": fetched.target.url,
            "characters": self.limits.characters,
            "links": self._links,
        }

    async def _run(self, job: Job, body: bytes) -> Extracted:
        page = job["kind"] in {"html", "text"}
        workers, slots = (self._extractors, EXTRACTIONS) if page else (self._office, CONVERSIONS)
        async with slots.held():
            extracted = await workers.run(job, body, self.limits.extract_seconds)
        if extracted is None or not extracted.keys() & {"text", "error"}:
            raise PageError(say("page_no_text"))
        if "error" in extracted:
            return extracted
        # The process sanitizes too, under its deadline, but a compromised process may return anything
        text = extracted["text"][: self.limits.characters]
        return {**extracted, "text": await asyncio.to_thread(normalise_text, text)}


def _checked(extracted: Extracted) -> Extracted:
    if "error" in extracted:
        raise PageError(extracted["error"])
    return extracted


def _name_of(url: str) -> str:
    """Return a short plain name for a page without a title: the last part of its path, else its host."""
    split = urlsplit(url)
    last = unquote(split.path.rstrip("/").rpartition("/")[2])
    stem = re.sub(r"\.\w{1,5}$", "", last)
    return re.sub(r"[^\w.-]+|^[.-]+", "-", stem).strip("-")[:60] or re.sub(r"[^\w.-]", "-", split.netloc)[:60]
