"""Searches and tables, recorded in the journal, so that a replay needs neither network nor documents."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from schemas.clean_text import CleanLine
from schemas.coder import TableView, TextView
from schemas.events import Searched
from schemas.evidence import StepKind
from schemas.files_read import FilesRead, furthest
from schemas.usage import CallUsage
from services.embedding.endpoint import ROLE
from services.run.errors import SearchError, SearchRefused, problem_text
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run, current_run
from services.run.ui_text import say
from services.sandbox.sandbox import Sandbox
from services.search.all_texts import SUFFIX
from services.search.files.table_profile import ALL_DESCRIBED, DESCRIBED, Table, names_of
from services.search.files_read import files_read, overview
from services.search.gather import Gathered, gather, with_failures
from services.search.hit import Hit, SearchProvider
from services.search.providers import Providers, providers_for
from services.search.run_pages import GatheredPages, may_read_web
from services.search.web import Answered, FailOver, filters_of, named_pages
from services.text.normal_form import normalise_text

LINKS = "links"
"""Name under which pages reached by links are counted, beside the searches."""

SECOND_TRY = 0.5
"""Seconds before the second attempt after a passing fault."""


class _Tables(BaseModel):
    described: list[str]


class Overview(BaseModel):
    """What the run's folders hold, a line each."""

    lines: list[CleanLine] = Field(default_factory=list)
    only_folders: bool = False
    """Whether nothing else can be searched."""


class _TableFiles(BaseModel):
    views: list[TableView]
    hashes: list[str]
    """Of the files' bytes in the evidence store."""
    rows: list[str] = Field(default_factory=list)
    """Columns and first rows of each of these, in brief; empty for texts."""
    about: list[TextView] = Field(default_factory=list)
    """Texts that describe the tables."""


@dataclass(frozen=True, slots=True)
class TableFiles:
    """Tables for programs, with the files of all texts where these are wanted, too."""

    views: list[TableView]
    about: list[TextView]
    """Texts that describe the tables."""
    files: dict[str, bytes]
    """By name."""
    rows: dict[str, str]
    """Columns and first rows of each table by the name of its file."""


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
    embedding: CallUsage = CallUsage()
    """What embedding at an endpoint used: the queries, and passages that were not embedded yet."""
    files: FilesRead = FilesRead()
    """How the files of the searched folders were read."""

    def limits(self, run: Run, locale: str) -> list[str]:
        """Return the messages about missing results: limits, and failed searches and pages; not those about files, which the next search may read."""
        searches = [say("search_limit", locale, limit=run.context.max_searches)] if self.not_made else []
        pages = [say("page_limit", locale, limit=run.context.max_pages)] if self.not_read else []
        words = [say("searched_words_only", locale)] if self.words_only else []
        return [*searches, *pages, *words, *self.trouble(locale)]

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

    Web searches and pages are journaled one by one, too, so that a crash amid them repeats none. Pages that the
    question names are read. `source_kind` gets a bonus, and `auto` chooses searches by it. `followed` has the addresses
    of followed links in this step, by page; None follows no links.

    Raises:
        LimitReached: no searches are left.
    """

    async def work() -> Search:
        available = await providers_for(run.context, source_kind)
        web = [RecordedSearch(run, provider, evidence) for provider in available.web] if where != "documents" else []
        providers = Providers([*web], available.documents if where != "web" else [])
        wanted = len(queries) * len(providers.all)
        affordable, affordable_providers = _within(run.budget.take_searches(wanted), queries, providers)
        run.emit_searching(affordable, [provider.name for provider in affordable_providers.all])
        made = len(affordable) * len(affordable_providers.all)
        pages = GatheredPages(run, evidence, affordable, followed if run.context.level.links else None)
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
        searched = with_failures(
            gathered.searched, {name: why for search in web for name, why in search.failed.items()}
        )
        if pages.followed:
            searched.append(Searched(name=LINKS, hits=pages.by_links))
        return Search(
            **dict(gathered) | {"searched": searched},
            searches=made,
            not_made=wanted - made,
            pages=pages.read,
            not_read=pages.not_read,
            followed=pages.followed,
            words_only=any(documents.words_only for documents in providers.documents),
            embedding=current_run().take_embedding(),
            files=files_read(providers.documents),
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
    run.files = furthest(run.files, search.files)
    for key in dict.fromkeys(passage.content_hash for passage in search.passages):
        run.emit_source(search.sources[key])
    if search.embedding.calls:
        run.count_call(ROLE, search.embedding, fresh=entry.fresh)
    if not entry.fresh:
        run.budget.take_searches(search.searches)
        run.budget.take_pages(search.pages)
    return search


def _pasted(run: Run) -> list[Hit]:
    text = normalise_text(run.wishes.text)
    title = say("pasted_text", run.locale)
    return [Hit(url=title, title=title, kind="document", text=text)] if text else []


def _within(granted: int, queries: Sequence[str], providers: Providers) -> tuple[Sequence[str], Providers]:
    """Select queries and providers for a number of searches: fewer queries first, then fewer providers."""
    everywhere = len(providers.all)
    if not everywhere or granted >= everywhere:
        return queries[: granted // everywhere] if everywhere else queries, providers
    web = providers.web[:granted]
    return queries[:1], Providers(web, providers.documents[: granted - len(web)])


async def overview_once(run: Run) -> Overview:
    """Describe what the run's folders hold, or return the recorded description."""

    async def work() -> Overview:
        providers = await providers_for(run.context)
        folders = providers.documents
        listings = [await asyncio.to_thread(documents.index.listing) for documents in folders]
        files = [
            (f"{documents.index.folder.name}/{path}", title)
            for documents, of_folder in zip(folders, listings, strict=True)
            for path, title in of_folder
        ]
        return Overview(lines=overview(files), only_folders=bool(files) and not providers.web)

    return (await run.journal.once("overview", "overview", {}, Overview, work)).answer


async def tables_once(run: Run, text: str, limit: int, found: Collection[str]) -> list[str]:
    """Describe the tables that are nearest to a text (`Providers.nearest_tables`) and the files of all texts, or return what was recorded."""

    async def work() -> _Tables:
        providers = await providers_for(run.context)
        near, others = await asyncio.to_thread(providers.overview_of_tables, text, limit, found)
        tables = [*near, *await _all_texts(providers, text)]
        max_chars = min(DESCRIBED, ALL_DESCRIBED // max(1, len(tables)))
        return _Tables(described=[*(table.describe(max_chars) for table in tables), *names_of(others)])

    return (await run.journal.once("tables", "tables", {"text": text, "limit": limit}, _Tables, work)).answer.described


async def _all_texts(providers: Providers, text: str) -> list[Table]:
    """Return the files of all texts, where programs can read them."""
    texts = await providers.all_texts(text)
    return texts if texts and await Sandbox().runs_programs() else []


async def table_files_once(
    run: Run, text: str, evidence: EvidenceStore, limit: int, found: Collection[str]
) -> TableFiles:
    """Return the tables relevant to a text, and the files of all texts that it names; without a limit of tables these alone, of each folder."""

    async def work() -> _TableFiles:
        providers = await providers_for(run.context)
        described = await _all_texts(providers, text) if SUFFIX in text or not limit else []
        named = [table for table in described if table.view.file in text or not limit]
        near = await asyncio.to_thread(providers.nearest_tables, text, limit, found) if limit else []
        about = await asyncio.to_thread(providers.about_tables, near)
        tables = [*named, *near]
        parts = [part for table in tables for part in (table, *table.parts)]
        files = await asyncio.gather(*(asyncio.to_thread(part.read) for part in parts))
        hashes = [await evidence.put_bytes(data) for data in files]
        rows = ["" if part.view.holds_texts else part.view.shown for part in parts]
        return _TableFiles(views=[table.view for table in tables], hashes=hashes, rows=rows, about=about)

    stored = (await run.journal.once("tables", text[:200], {"text": text, "limit": limit}, _TableFiles, work)).answer
    names = [name for view in stored.views for name in (view.file, *view.also)]
    rows: dict[str, str] = {}
    for name, shown in zip(names, stored.rows, strict=False):
        rows[name] = "\n".join(filter(None, [rows.get(name), shown]))  # sheets are of one file
    files = {name: await evidence.get_bytes(key) for name, key in zip(names, stored.hashes, strict=True)}
    return TableFiles(stored.views, stored.about, files, rows)


class _StoredHits(BaseModel):
    """Hits as the journal keeps them: their texts lie in the evidence store."""

    hits: list[Hit]
    hashes: list[str]
    failed: dict[str, str] = Field(default_factory=dict)
    """Why each search failed that another one stood in for, by its name."""


class RecordedSearch:
    """A web search with answers recorded in the journal."""

    def __init__(self, run: Run, provider: SearchProvider, evidence: EvidenceStore) -> None:
        self.name = provider.name
        self.failed: dict[str, str] = {}
        """Reason of each failed search that another one replaced, by its name."""
        self._run = run
        self._provider = provider
        self._evidence = evidence

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Search, or return the recorded answer."""

        async def work() -> _StoredHits:
            try:
                answer = await self._answer(query, limit)
            except SearchRefused:
                raise
            except SearchError:
                await asyncio.sleep(SECOND_TRY)
                answer = await self._answer(query, limit)
            hashes = [await self._evidence.put_text(hit.text) for hit in answer.hits]
            hits = [hit.model_copy(update={"text": ""}) for hit in answer.hits]
            return _StoredHits(hits=hits, hashes=hashes, failed=answer.failed)

        request = {"provider": self.name, "query": query, "limit": limit}
        stored = (await self._run.journal.once("search", query[:200], request, _StoredHits, work)).answer
        self.failed |= {name: why for name, why in stored.failed.items() if name not in self.failed}
        texts = [await self._evidence.get_text(key) for key in stored.hashes]
        return [hit.model_copy(update={"text": text}) for hit, text in zip(stored.hits, texts, strict=True)]

    async def _answer(self, query: str, limit: int) -> Answered:
        if isinstance(self._provider, FailOver):
            return await self._provider.answer(query, limit)
        return Answered(await self._provider.search(query, limit), {})
