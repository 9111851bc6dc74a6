"""Pages that a run reads, within its limit: each address is fetched once per run, for all of its steps, rounds and tools.

The result is stored beside the run's journal, so that only a resumed run knows it: the next turn of a thread fetches
the page again. Each task's journal has its own account of what it was given. As many are kept as a run's limits let it
read; their texts lie in the evidence store, as those of all sources do.
"""

import asyncio
import hashlib
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from pydantic import BaseModel

from services.run.errors import LimitReached, PageError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.settings import settings
from services.run.ui_text import say
from services.search.filters import Filters
from services.search.followed_links import links_to_follow
from services.search.hit import Hit
from services.search.pages.addresses import is_public
from services.search.pages.fetch import page_limits
from services.search.pages.reader import Page, PageReader
from services.search.web import filters_of

MAX_TRIES = 3
"""Maximum requests of an address in a run while its fault may pass."""
MAX_TASKS = 200
"""Maximum recorded tasks and calls that requested a page; later ones pay for it again."""
_NAMESPACE = "pages"
_CALL = "\n"
"""Stands between the place of a task and that of its call."""
_reading: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
"""Locks by run and address: one task reads, other tasks wait and use the result."""

Read = Callable[[str], Awaitable[Page]]
"""Fetches the page of an address; a PageError gives the reason of a failure."""


async def complete(
    results: Sequence[Sequence[Hit]], read: Read, urls: Sequence[str], filters: Filters | None = None
) -> tuple[list[list[Hit]], list[str]]:
    """Read the pages of web hits with snippets, at these addresses; the filters hold again after redirects.

    Returns:
        The same lists, with texts for the hits whose pages were read; and the reasons of failures, each once.
    """
    pages: dict[str, Hit] = {}
    failures: list[str] = []
    for url, page in zip(urls, await asyncio.gather(*(_page_or_error(read, url) for url in urls)), strict=True):
        if isinstance(page, PageError):
            failures.append(str(page))
        elif filters is None or filters.permit(page.final_url):
            pages[url] = page.hit()
    return [[_completed(hit, pages) for hit in hits] for hits in results], list(dict.fromkeys(failures))


async def _page_or_error(read: Read, url: str) -> Page | PageError:
    try:
        return await read(url)
    except PageError as error:
        return error


def in_turns(results: Sequence[Sequence[Hit]]) -> list[str]:
    """Return the addresses of the snippets in turns: the first of every search, then the second of every search, and so on."""
    longest = max(map(len, results), default=0)
    ordered = [hits[place] for place in range(longest) for hits in results if place < len(hits)]
    return list(dict.fromkeys(hit.address_to_read for hit in ordered if hit.kind == "web" and hit.snippet_only))


def _completed(hit: Hit, pages: dict[str, Hit]) -> Hit:
    page = pages.get(hit.address_to_read)
    if page is None or not hit.snippet_only:
        return hit
    known: dict[str, object] = {"published": page.published or hit.published, "title": page.title or hit.title}
    if hit.publication is not None:  # a catalogue's data is better than a PDF's first page
        known = {
            "published": hit.published or page.published,
            "title": hit.title,
            "source_kind": hit.source_kind if page.source_kind == "general" else page.source_kind,
            "publication": hit.publication,
        }
    known["card"] = page.card.filled(hit.card) if hit.publication is None else hit.card.filled(page.card)
    return page.model_copy(update=known)


class StoredPage(BaseModel):
    """A page as the journal keeps it, or why it could not be read."""

    page: dict[str, Any] | None = None
    hash: str = ""
    problem: str = ""


class _ReadPage(BaseModel):
    stored: StoredPage
    tries: int = 1
    passing: bool = False
    """Whether the fault may have passed when it is asked for again."""
    places: list[str] = []
    """Places of the tasks and calls that asked for it, as the journal names them."""

    @property
    def settled(self) -> bool:
        return not self.passing or self.tries >= MAX_TRIES


class RunPages:
    """The pages that a task's run has read."""

    def __init__(self, run: Run, evidence: EvidenceStore, call: str = "") -> None:
        """Show the pages to a call that reads for some queries, and after a crash pays for these pages again."""
        self._run = run
        self._evidence = evidence
        self._place = f"{run.journal.place}{_CALL}{_item(call)}" if call else run.journal.place

    async def known(self, urls: Iterable[str]) -> set[str]:
        """Return the addresses that are free for this call: requested by an earlier one of its task, or by a task that ended before.

        A page requested by a parallel task counts again, without being fetched again: otherwise a task's remaining
        pages would depend on the other task's speed.
        """
        wanted = list(dict.fromkeys(urls))
        records = await asyncio.gather(*map(self._known, wanted))
        return {
            url
            for url, known in zip(wanted, records, strict=True)
            if known and known.settled and self._is_earlier(known)
        }

    async def read(self, url: str, fetch: Read) -> StoredPage:
        """Return the result of an address, fetched by the first task of the run that requests it."""
        if not self._run.journal.keeps:
            return (await self._fetched(url, fetch))[0]
        lock = _reading.setdefault((self._run.journal.key, url), asyncio.Lock())
        async with lock:
            known = await self._known(url)
            if known is None or not known.settled:
                stored, passing = await self._fetched(url, fetch)
                known = _ReadPage(
                    stored=stored,
                    tries=1 + (known.tries if known else 0),
                    passing=passing,
                    places=known.places if known else [],
                )
            if self._place not in known.places and len(known.places) < MAX_TASKS:
                known.places.append(self._place)
            await self._run.journal.keep(_NAMESPACE, _item(url), known.model_dump(mode="json"))
        return known.stored

    async def _known(self, url: str) -> _ReadPage | None:
        value = await self._run.journal.stored(_NAMESPACE, _item(url))
        return None if value is None else _ReadPage.model_validate(value)

    def _is_earlier(self, known: _ReadPage) -> bool:
        task = self._run.journal.place
        others = [place for place in known.places if place != self._place or place == task]
        return any(place.partition(_CALL)[0] == task or _step_of(place) < _step_of(task) for place in others)

    async def _fetched(self, url: str, fetch: Read) -> tuple[StoredPage, bool]:
        try:
            page = await fetch(url)
        except PageError as error:
            return StoredPage(problem=str(error)), error.passing
        key = await self._evidence.put_text(page.text)
        return StoredPage(page=page.model_dump(exclude={"text"}, mode="json"), hash=key), False


def _item(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _step_of(place: str) -> int:
    """Return the graph step of a task, counted from the turn's first step."""
    return int(place.partition(":")[0] or 0)


def may_read_web(run: Run) -> bool:
    """Tell whether a run may access the web."""
    return (run.context.search or settings().leadline_search) not in {"documents", "none"}


class GatheredPages:
    """Reads the pages of web hits within the limit of pages; each page is recorded."""

    def __init__(
        self, run: Run, evidence: EvidenceStore, queries: Sequence[str], followed: Mapping[str, Sequence[str]] | None
    ) -> None:
        self.read = 0
        self.not_read = 0
        self.followed: dict[str, list[str]] = {}
        self.by_links = 0
        """Number of read pages that links led to."""
        self._run = run
        self._evidence = evidence
        self._queries = queries
        self._call = "\n".join(queries)
        self._followed_before = followed

    async def complete(self, results: list[list[Hit]]) -> tuple[list[list[Hit]], list[str]]:
        """Replace snippets by the texts of their pages, and return errors."""
        urls, self.not_read = await self._granted(in_turns(results))
        if not urls:
            return results, []
        pages: dict[str, Page] = {}

        async def read(url: str) -> Page:
            pages[url] = page = await _recorded_page(self._run, reader, self._evidence, url, self._call)
            return page

        async with PageReader(limits=page_limits(), links=_wants_links(self._run)) as reader:
            completed, failures = await complete(results, read, urls, filters_of(self._run.context))
            if self._followed_before is not None:
                in_order = [pages[url] for url in in_turns(results) if url in pages]
                by_links = await self._follow(in_order, reader, self._followed_before)
                self.by_links = len(by_links)
                completed.append(by_links)
            if reader.problem and sys.platform == "linux":
                failures = [*failures, say("files_read_unlocked", self._run.context.locale, reason=reader.problem)]
        return completed, failures

    async def _granted(self, urls: Sequence[str]) -> tuple[list[str], int]:
        """Return the addresses to read, which are free for this call or within the limits, and how many others there are no pages left for."""
        known = await RunPages(self._run, self._evidence, self._call).known(urls)
        fresh = [url for url in urls if url not in known][: self._run.context.level.pages]
        granted = fresh[: self._run.budget.take_pages(len(fresh)) if fresh else 0]
        self.read += len(granted)
        return [url for url in urls if url in known or url in granted], len(fresh) - len(granted)

    async def _follow(
        self, pages: Sequence[Page], reader: PageReader, followed: Mapping[str, Sequence[str]]
    ) -> list[Hit]:
        """Read pages that links of other pages lead to, within the depth and the limit of pages."""
        level, filters = self._run.context.level, filters_of(self._run.context)

        chosen = await asyncio.to_thread(
            links_to_follow,
            [page for page in pages if filters.permit(page.final_url, page.source_kind)],
            self._queries,
            level.pages,
            per_page=level.links,
            followed=followed,
            known={url for page in pages for url in (page.url, page.final_url)},
            permit=lambda url: is_public(url, reader.allowance) and filters.permit(url),
        )
        granted, _ = await self._granted([link.url for link in chosen])
        chosen = [link for link in chosen if link.url in granted]
        for link in chosen:
            self.followed.setdefault(link.page, []).append(link.url)
        read = partial(_recorded_page, self._run, reader, self._evidence, call=self._call)
        snippets = [Hit(url=link.url, title=link.url, kind="web", text="", snippet_only=True) for link in chosen]
        [hits], _ = await complete([snippets], read, [link.url for link in chosen], filters)
        return [hit for hit in hits if hit.text]


async def page_once(run: Run, url: str, evidence: EvidenceStore) -> Page:
    """Read a page, or return the recorded page.

    Raises:
        LimitReached: no page reads are left.
        PageError: the page cannot be read.
    """
    if not await RunPages(run, evidence).known([url]):
        if not run.budget.take_pages(1):
            raise LimitReached("page_limit", run.context.max_pages or 0)
        run.count(pages=1)
    async with PageReader(limits=page_limits(), links=_wants_links(run)) as reader:
        page = await _recorded_page(run, reader, evidence, url)
    filters = filters_of(run.context)
    if not filters.permit(page.final_url, page.source_kind) or not filters.in_time(page.published):
        raise PageError(say("page_excluded", url=page.final_url))
    return page


def _wants_links(run: Run) -> bool:
    """Tell whether links of pages are followed in the run, since tasks reuse pages that other tasks read."""
    return run.context.level.links > 0


async def _recorded_page(run: Run, reader: PageReader, evidence: EvidenceStore, url: str, call: str = "") -> Page:
    """Read a page, or return the page or the error that the journal or the run holds."""

    async def work() -> StoredPage:
        return await RunPages(run, evidence, call).read(url, reader.read)

    stored = (await run.journal.once("page", url[:200], {"url": url}, StoredPage, work)).answer
    if stored.page is None:
        raise PageError(stored.problem)
    return Page(**stored.page, text=await evidence.get_text(stored.hash))
