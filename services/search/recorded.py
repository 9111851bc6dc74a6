"""Searches and tables that the journal knows are not read again, so that a replay needs neither network nor documents."""

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, Field

from schemas.coder import TableView
from schemas.evidence import Passage, Source
from services.evidence.store import EvidenceStore
from services.messages import say
from services.runs import Run
from services.search.gather import gather
from services.search.providers import Providers, providers_for


class _Tables(BaseModel):
    described: list[str]


class _TableFiles(BaseModel):
    views: list[TableView]
    hashes: list[str]
    """Of the files' bytes in the evidence store."""


class Search(BaseModel):
    """What gathering passages for some queries came to."""

    passages: list[Passage] = Field(default_factory=list)
    """Best first."""
    sources: dict[str, Source] = Field(default_factory=dict)
    """By content hash."""
    failures: list[str] = Field(default_factory=list)
    """Searches that failed, in words."""
    searches: int = 0
    """Searches that were made: queries times providers."""
    not_made: int = 0
    """Searches for which the limit left no room."""

    def limits(self, run: Run, locale: str) -> list[str]:
        """Say what the limit of searches left out, if anything."""
        return [say("search_limit", locale, limit=run.context.max_searches)] if self.not_made else []


async def gather_once(run: Run, queries: Sequence[str], evidence: EvidenceStore, limit: int) -> Search:
    """Gather passages for queries, as many as the limit of searches leaves room for, unless this very search is known.

    Raises:
        LimitReached: no search is left.
    """

    async def work() -> Search:
        providers = await providers_for(run.context)
        wanted = len(queries) * len(providers.all)
        granted = run.budget.take_searches(wanted)
        affordable, fewer = _within(granted, queries, providers)
        made = len(affordable) * len(fewer.all)
        found = await gather(affordable, fewer, evidence=evidence, limit=limit)
        return Search(
            passages=found.passages,
            sources=found.sources,
            failures=found.failures,
            searches=made,
            not_made=wanted - made,
        )

    request = {"queries": list(queries), "limit": limit}
    known = await run.journal.once("search", "; ".join(queries)[:200], request, Search, work)
    run.count(searches=known.answer.searches)
    if not known.fresh:
        run.budget.take_searches(known.answer.searches)
    return known.answer


def _within(granted: int, queries: Sequence[str], providers: Providers) -> tuple[Sequence[str], Providers]:
    """Choose the queries and providers for a number of searches: fewer queries first, then fewer providers."""
    everywhere = len(providers.all)
    if not everywhere or granted >= everywhere:
        return queries[: granted // everywhere] if everywhere else queries, providers
    web = providers.web[:granted]
    return queries[:1], Providers(web, providers.documents[: granted - len(web)])


async def tables_once(run: Run, limit: int) -> list[str]:
    """Describe the tables among the run's documents."""

    async def work() -> _Tables:
        providers = await providers_for(run.context)
        return _Tables(described=[table.describe() for table in providers.tables()][:limit])

    return (await run.journal.once("tables", "tables", {"limit": limit}, _Tables, work)).answer.described


async def table_files_once(
    run: Run, text: str, evidence: EvidenceStore, limit: int
) -> tuple[list[TableView], dict[str, bytes]]:
    """Return the tables that a text is about: their profiles, and their files by name."""

    async def work() -> _TableFiles:
        tables = (await providers_for(run.context)).tables_for(text, limit)
        files = await asyncio.gather(*(asyncio.to_thread(table.path.read_bytes) for table in tables))
        hashes = [await evidence.put_bytes(data) for data in files]
        return _TableFiles(views=[table.view for table in tables], hashes=hashes)

    known = await run.journal.once("tables", text[:200], {"text": text, "limit": limit}, _TableFiles, work)
    views = known.answer.views
    return views, {
        view.file: await evidence.get_bytes(key) for view, key in zip(views, known.answer.hashes, strict=True)
    }
