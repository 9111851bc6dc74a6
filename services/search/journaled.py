"""Searches, page reads and tables, recorded in the journal, so that a replay needs neither network nor documents."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from pydantic import BaseModel, Field

from schemas.coder import TableView
from schemas.events import Searched
from schemas.evidence import StepKind
from schemas.usage import CallUsage
from services.embedding.endpoint import ROLE
from services.run.errors import LimitReached, PageError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run, current_run
from services.run.settings import settings
from services.run.ui_text import problem_text, say
from services.search.followed_links import links_to_follow
from services.search.gather import Gathered, gather, with_failures
from services.search.hit import Hit
from services.search.pages.addresses import is_public
from services.search.pages.limits import page_limits
from services.search.pages.page_texts import complete, in_turns
from services.search.pages.reader import Page, PageReader
from services.search.providers import MAX_FILES_NAMED, FileNote, Providers, not_read, of_other_kinds, providers_for
from services.search.recorded_search import RecordedSearch
from services.search.run_pages import RunPages, StoredPage
from services.search.web import filters_of, named_pages
from services.text.normal_form import normalise_text

LINKS = "links"
"""Name under which pages reached by links are counted, beside the searches."""

MAX_UNREADABLE_NAMED = 50
"""Maximum unreadable files that the limits of a report name."""


class _Tables(BaseModel):
    described: list[str]


class _TableFiles(BaseModel):
    views: list[TableView]
    hashes: list[str]
    """Of the files' bytes in the evidence store."""


class Search(Gathered):
    """What gathering passages for some queries came to."""

    searches: int = 0
    """Searches that were made: queries times providers."""
    not_made: int = 0
    """Searches for which the limit left no room."""
    pages: int = 0
    """Pages that were read, those to which links led included."""
    followed: dict[str, list[str]] = Field(default_factory=dict)
    """Addresses to which links led, by the page with the link."""
    not_read: int = 0
    """Pages for which the limit left no room."""
    words_only: bool = False
    """Whether documents were searched by their words alone because no embedding model is installed."""
    unreadable: list[tuple[str, str]] = Field(default_factory=list)
    """Files of the documents that could not be read, each with the reason; a few of many."""
    unread: list[str] = Field(default_factory=list)
    """Files of the documents that were not read in time; a few of many."""
    unread_count: int = 0
    """Number of such files."""
    other_kinds: dict[str, int] = Field(default_factory=dict)
    """Number of files of each kind that is not read, most files first."""
    notes: list[FileNote] = Field(default_factory=list)
    """What is to be known of how files of the documents were read."""
    files: int = 0
    """Number of files of the documents, whether they could be read or not."""
    embedding: CallUsage = CallUsage()
    """What embedding at an endpoint used: the queries, and passages that were not embedded yet."""

    def limits(self, run: Run, locale: str) -> list[str]:
        """Return the messages about missing results: limits, and failed searches and pages."""
        searches = [say("search_limit", locale, limit=run.context.max_searches)] if self.not_made else []
        pages = [say("page_limit", locale, limit=run.context.max_pages)] if self.not_read else []
        words = [say("searched_words_only", locale)] if self.words_only else []
        return [*searches, *pages, *words, *self._files(locale), *self.trouble(locale)]

    def _files(self, locale: str) -> list[str]:
        """Return the messages about files that were not searched, each of them the same in every search of a run."""
        unreadable = [say("file_unreadable", locale, file=file, reason=reason) for file, reason in self.unreadable]
        further = [say("more_files_not_searched", locale)] if len(unreadable) > MAX_UNREADABLE_NAMED else []
        notes = [note.message(locale) for note in self.notes]
        late = not_read(self.unread, self.unread_count, self.files, locale)
        return [*unreadable[:MAX_UNREADABLE_NAMED], *further, *late, *of_other_kinds(self.other_kinds, locale), *notes]

    def trouble(self, locale: str) -> list[str]:
        """Return the error messages in the language of the run."""
        return [problem_text(failure, locale, "search_trouble") for failure in self.failures]


async def gather_once(
    run: Run,
    queries: Sequence[str],
    evidence: EvidenceStore,
    limit: int,
    question: str = "",
    where: Literal["everywhere", "web", "documents"] = "everywhere",
    source_kind: StepKind = "general",
    followed: Mapping[str, Sequence[str]] | None = None,
) -> Search:
    """Gather passages for queries within the limits, or return the recorded result.

    Web searches and pages are journaled one by one, too, so that a crash amid them repeats none.

    Args:
        run: the run with its choices, journal and budget.
        queries: statements or questions.
        evidence: the store for texts.
        limit: maximum number of passages.
        question: the user's question; pages that it names are read.
        where: which of the run's providers to ask.
        source_kind: kind of sources with a small bonus, by which `auto` chooses searches.
        followed: addresses of followed links in this step, by page; None to follow no links.

    Raises:
        LimitReached: no searches are left.
    """

    async def work() -> Search:
        available = await providers_for(run.context, source_kind)
        web = [RecordedSearch(run, provider, evidence) for provider in available.web] if where != "documents" else []
        providers = Providers([*web], available.documents if where != "web" else [])
        wanted = len(queries) * len(providers.all)
        affordable, affordable_providers = _within(run.budget.take_searches(wanted), queries, providers)
        unread = [file for documents in providers.documents for file in documents.unread]
        run.tell_searching(affordable, [provider.name for provider in affordable_providers.all])
        made = len(affordable) * len(affordable_providers.all)
        pages = _Pages(run, evidence, affordable, followed if run.context.level.links else None)
        gathered = await gather(
            affordable,
            affordable_providers,
            evidence=evidence,
            limit=limit,
            complete=pages.complete,
            named=[*(named_pages(question) if may_read_web(run) else []), *_pasted(run)],
            hits=run.context.max_results,
            document_hits=max(run.context.max_results, run.context.level.hits),
            question=question,
            source_kind=source_kind,
            preferred=run.context.prefer_kinds,
            filters=filters_of(run.context),
        )
        return Search(
            passages=gathered.passages,
            sources=gathered.sources,
            searched=[
                *with_failures(gathered.searched, {name: why for search in web for name, why in search.failed.items()}),
                *([Searched(name=LINKS, hits=pages.by_links)] if pages.followed else []),
            ],
            failures=gathered.failures,
            titles=gathered.titles,
            searches=made,
            not_made=wanted - made,
            pages=pages.read,
            not_read=pages.not_read,
            followed=pages.followed,
            words_only=any(documents.words_only for documents in providers.documents),
            unreadable=[file for documents in providers.documents for file in documents.unreadable][
                : MAX_UNREADABLE_NAMED + 1
            ],
            unread=unread[:MAX_FILES_NAMED],
            unread_count=len(unread),
            other_kinds=providers.other_kinds,
            notes=providers.notes,
            files=providers.files,
            embedding=current_run().take_embedding(),
        )

    request = {"queries": list(queries), "limit": limit, "question": question}
    if where != "everywhere":
        request["where"] = where
    if source_kind != "general":
        request["source_kind"] = source_kind
    if followed:
        request["followed"] = {page: list(urls) for page, urls in followed.items()}
    entry = await run.journal.once("gather", "; ".join(queries)[:200], request, Search, work)
    search = entry.answer
    run.count(searches=search.searches, pages=search.pages)
    for key in dict.fromkeys(passage.content_hash for passage in search.passages):
        run.tell_source(search.sources[key])
    if search.embedding.calls:
        run.count_call(ROLE, search.embedding, fresh=entry.fresh)
    if not entry.fresh:
        run.budget.take_searches(search.searches)
        run.budget.take_pages(search.pages)
    return search


def _pasted(run: Run) -> list[Hit]:
    """Return the text that the question brings along, as a document to cite."""
    text = normalise_text(run.wishes.text)
    title = say("pasted_text", run.locale)
    return [Hit(url=title, title=title, kind="document", text=text)] if text else []


def may_read_web(run: Run) -> bool:
    """Tell whether a run may access the web."""
    return (run.context.search or settings().leadline_search) not in {"documents", "none"}


class _Pages:
    """Reads the pages of web hits within the limit of pages; each page is recorded."""

    def __init__(
        self,
        run: Run,
        evidence: EvidenceStore,
        queries: Sequence[str],
        followed: Mapping[str, Sequence[str]] | None,
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
        urls = await self._granted(in_turns(results))
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

    async def _granted(self, urls: Sequence[str]) -> list[str]:
        """Return the addresses to read: those that the run has already read, and others within the limit."""
        known = await RunPages(self._run, self._evidence, self._call).known(urls)
        fresh = [url for url in urls if url not in known][: self._run.context.level.pages]
        granted = fresh[: self._run.budget.take_pages(len(fresh)) if fresh else 0]
        self.read += len(granted)
        self.not_read += len(fresh) - len(granted)
        return [url for url in urls if url in known or url in granted]

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
        free = await RunPages(self._run, self._evidence, self._call).known(link.url for link in chosen)
        fresh = [link for link in chosen if link.url not in free]
        granted = fresh[: self._run.budget.take_pages(len(fresh)) if fresh else 0]
        self.read += len(granted)
        chosen = [link for link in chosen if link.url in free or link in granted]
        for link in chosen:
            self.followed.setdefault(link.page, []).append(link.url)
        read = partial(_recorded_page, self._run, reader, self._evidence, call=self._call)
        snippets = [Hit(url=link.url, title=link.url, kind="web", text="", snippet_only=True) for link in chosen]
        [found], _ = await complete([snippets], read, [link.url for link in chosen], filters)
        return [hit for hit in found if hit.text]


async def page_once(run: Run, url: str, evidence: EvidenceStore) -> Page:
    """Read a page, or return the recorded page.

    Args:
        run: the run with its journal and limit of pages.
        url: an address from a search, the user or the plan, as the caller has checked.
        evidence: the store for its text.

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
        raise PageError(f"{page.final_url} is from a site, of a kind, or of a date that this run excludes.")
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


def _within(granted: int, queries: Sequence[str], providers: Providers) -> tuple[Sequence[str], Providers]:
    """Select queries and providers for a number of searches: fewer queries first, then fewer providers."""
    everywhere = len(providers.all)
    if not everywhere or granted >= everywhere:
        return queries[: granted // everywhere] if everywhere else queries, providers
    web = providers.web[:granted]
    return queries[:1], Providers(web, providers.documents[: granted - len(web)])


async def tables_once(run: Run, text: str, limit: int) -> list[str]:
    """Describe the tables among the run's documents that are nearest to a text, or return the recorded descriptions."""

    async def work() -> _Tables:
        providers = await providers_for(run.context)
        return _Tables(described=[table.describe() for table in providers.nearest_tables(text, limit)])

    return (await run.journal.once("tables", "tables", {"limit": limit}, _Tables, work)).answer.described


async def table_files_once(
    run: Run, text: str, evidence: EvidenceStore, limit: int
) -> tuple[list[TableView], dict[str, bytes]]:
    """Return the tables relevant to a text: their profiles, and their files by name."""

    async def work() -> _TableFiles:
        tables = (await providers_for(run.context)).tables_for(text, limit)
        files = await asyncio.gather(*(asyncio.to_thread(table.read) for table in tables))
        hashes = [await evidence.put_bytes(data) for data in files]
        return _TableFiles(views=[table.view for table in tables], hashes=hashes)

    stored = (await run.journal.once("tables", text[:200], {"text": text, "limit": limit}, _TableFiles, work)).answer
    files = zip(stored.views, stored.hashes, strict=True)
    return stored.views, {view.file: await evidence.get_bytes(key) for view, key in files}
