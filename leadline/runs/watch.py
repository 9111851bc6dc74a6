"""Watches a report's question: reads its sources again, repeats its searches, and collects what is new.

No model is asked. What a search brings counts as new if neither the run nor an earlier check has seen its address or its
text; pages that are known are not read. The new sentences closest to the question are quoted.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, Field

from leadline.runs.recheck import ClaimNow, SourceNow, recheck
from leadline.runs.store import Home, RunRecord
from nodes.background_investigator import quote_best
from schemas.context import RunContext
from schemas.evidence import Excerpt, Source
from schemas.reporter import Report
from schemas.state import research_question
from services.evidence.views import evidence_views
from services.models.offline.closest import closest_passages, statements_in
from services.run.errors import JournalMiss, StoreError
from services.run.evidence_store import content_hash
from services.run.journal import Recording, run_key
from services.run.wishes import obeyed, wishes_of
from services.search.gather import Complete, Gathered, gather
from services.search.hit import Hit
from services.search.pages.fetch import page_limits
from services.search.pages.reader import PageReader
from services.search.providers import Providers, providers_for
from services.search.run_pages import complete, in_turns
from services.search.web import filters_of
from services.text.held_numbers import missing_quantities

_WATCHES = ("watches",)
MAX_QUERIES = 12
"""Maximum repeated searches of the run, those of the first plan first."""
PASSAGES = 40
"""Maximum passages of new sources to examine."""
FINDINGS, PER_SOURCE = 8, 2
"""Maximum sentences quoted from all new sources, and from each of them."""
MAX_KNOWN = 20_000
"""Maximum remembered addresses and hashes of earlier checks, latest first."""


class NewFinding(BaseModel):
    """A sentence of a source that is new to the report."""

    quote: str
    """As its source has it."""
    title: str
    url: str
    published: str = ""
    """ISO date; empty where it is unknown."""
    content_hash: str
    """Of the source's text, which is kept in the evidence store."""


class WatchResult(BaseModel):
    """What is new on a report since the last time."""

    question: str
    run_id: str
    locale: str
    since: str
    """ISO time of the last check; of the run where there was none."""
    checked: str
    """ISO time of this check."""
    holding: int
    """Claims that hold."""
    fell_before: int
    """Claims that had fallen at the last check and still do not hold."""
    claims: list[ClaimNow] = Field(default_factory=list)
    """Claims whose state is another than the last time, those that hold again included."""
    other_figures: list[ClaimNow] = Field(default_factory=list)
    """Claims that fell as their source gives another figure now; they are not among `claims`."""
    gone: list[SourceNow] = Field(default_factory=list)
    """Sources that could not be read and could the last time."""
    findings: list[NewFinding] = Field(default_factory=list)
    sources: int = 0
    """Sources that were found and that the run had not seen."""
    failures: list[str] = Field(default_factory=list)
    """Searches and pages that failed, in words."""

    @property
    def has_news(self) -> bool:
        """Whether the result has news."""
        return bool(self.claims or self.other_figures or self.gone or self.findings)

    @property
    def has_fallen(self) -> bool:
        """Whether a claim that held in the last check no longer holds."""
        return bool(self.other_figures) or any(claim.state == "fallen" for claim in self.claims)


class _Check(BaseModel):
    """What a check leaves for the next one."""

    checked: str
    claims: dict[str, str]
    """States by text."""
    sources: dict[str, str]
    """Likewise by id."""
    known: list[str]
    """Addresses and hashes of what its searches brought."""
    told: list[str] = []
    """Quotes of new findings so far."""


async def watched(home: Home, record: RunRecord, report: Report, values: Mapping[str, Any]) -> WatchResult:
    """Check a report's claims and search for news on its question; the next check starts from this one.

    Raises:
        DocumentsError: a folder of its documents is gone.
        BadInput: a search that the run chose is no longer set up.
    """
    before = await home.store.aget(_WATCHES, record.id)
    last = _Check.model_validate(before.value) if before is not None else None
    now = datetime.now(UTC).isoformat()
    since = last.checked if last is not None else record.created
    known, searched_at = await _known_to_run(home, record, values)
    known |= set(last.known if last is not None else [])
    sources, claims = await recheck(report, record.context)
    searched = _Searched(record.context, values, known, searched_at if last is None else datetime.fromisoformat(since))
    gathered = await searched.again(home)
    changed = _changed(claims, last)
    question = research_question(values)  # type: ignore[arg-type]  # the values are the state
    told = last.told if last is not None else []
    replacing = {claim.now for claim in changed} | {*told}
    findings = await _findings(question, gathered, await _texts_before(home, values), replacing)
    fallen = [claim for claim in changed if claim.state == "fallen" and claim.now]
    figures = [claim for claim in fallen if missing_quantities(claim.was, [claim.now])]
    await home.store.aput(
        _WATCHES,
        record.id,
        _Check(
            checked=now,
            claims={claim.text: claim.state for claim in claims},
            sources={source.id: source.state for source in sources},
            known=list(dict.fromkeys([*searched.brought, *(last.known if last is not None else [])]))[:MAX_KNOWN],
            told=list(dict.fromkeys([*(finding.quote for finding in findings), *told]))[:MAX_KNOWN],
        ).model_dump(mode="json"),
        index=False,
    )
    return WatchResult(
        question=report.question,
        run_id=record.id,
        locale=values.get("locale") or "en-US",
        since=since,
        checked=now,
        holding=sum(claim.state == "holds" for claim in claims),
        fell_before=len(
            {claim.text for claim in claims if claim.state == "fallen"} - {claim.text for claim in changed}
        ),
        claims=[claim for claim in changed if claim not in figures],
        other_figures=figures,
        gone=[
            source
            for source in sources
            if source.state == "gone" and (last is None or last.sources.get(source.id) != "gone")
        ],
        findings=findings,
        sources=len({passage.content_hash for passage in gathered.passages}),
        failures=gathered.failures,
    )


def _changed(claims: Sequence[ClaimNow], last: _Check | None) -> list[ClaimNow]:
    """Return the claims whose state has changed since the last check, each once; before the first check, all checkable claims held."""
    states = last.claims if last is not None else {}
    return [
        claim
        for claim in {claim.text: claim for claim in claims}.values()
        if claim.state != "not checked" and claim.state != states.get(claim.text, "holds")
    ]


async def _known_to_run(home: Home, record: RunRecord, values: Mapping[str, Any]) -> tuple[set[str], datetime]:
    """Return the addresses and hashes of all search results of the run, and the time of its first search."""
    known = {name for key, source in values.get("sources", {}).items() for name in (key, source.url)}
    searched = datetime.fromisoformat(record.created)
    try:
        recording = await Recording.load(home.store, run_key(record.id, values["turn"]), record.id)
    except JournalMiss:
        return known, searched
    times: list[datetime] = []
    for entry in recording.entries.values():
        answer = entry.answer or {}
        if entry.kind == "gather":
            known |= {name for key, source in answer.get("sources", {}).items() for name in (key, source["url"])}
            times.append(datetime.fromisoformat(entry.at))
        elif entry.kind == "search":
            known |= {str(hit.get("url")) for hit in answer.get("hits", [])}
    return known, min(times, default=searched)


class _Searched:
    """The repeated searches of a run, without known results."""

    def __init__(self, context: RunContext, values: Mapping[str, Any], known: set[str], since: datetime) -> None:
        self.brought: list[str] = []
        """Addresses and hashes of new results."""
        self._context = obeyed(context, wishes_of(values.get("triage"))).context
        self._known = known
        self._since = since
        self._question = research_question(values)  # type: ignore[arg-type]  # the values are the state
        steps = [step for plan in values.get("plans") or [] for step in plan.steps]
        self._queries = [self._question, *(query for step in steps for query in step.queries)]

    async def again(self, home: Home) -> Gathered:
        """Search, read new pages, and return the best passages of new sources."""
        providers = await providers_for(self._context)
        max_searches = self._context.max_searches or MAX_QUERIES
        async with PageReader(limits=page_limits()) as reader:
            gathered = await gather(
                list(dict.fromkeys(self._queries))[: min(max_searches, MAX_QUERIES)],
                providers,
                evidence=home.evidence,
                limit=PASSAGES,
                complete=self._complete(providers, reader),
                hits=self._context.max_results,
                document_hits=max(self._context.max_results, self._context.level.hits),
                question=self._question,
                preferred=self._context.prefer_kinds,
                filters=filters_of(self._context),
            )
        return await self._only_new(gathered, providers)

    async def _only_new(self, gathered: Gathered, providers: Providers) -> Gathered:
        """Leave out the passages of known sources, to which links and names in new ones led."""
        sources = {passage.content_hash: gathered.sources[passage.content_hash] for passage in gathered.passages}
        new = {key: source for key, source in sources.items() if await self._is_new(source, key, providers)}
        self.brought += [name for key, source in new.items() for name in (source.url, key)]
        passages = [passage for passage in gathered.passages if passage.content_hash in new]
        return gathered.model_copy(update={"passages": passages})

    def _complete(self, providers: Providers, reader: PageReader) -> Complete:
        async def read_new(results: list[list[Hit]]) -> tuple[list[list[Hit]], list[str]]:
            keys = await asyncio.to_thread(
                lambda: {hit.text: content_hash(hit.text) for hits in results for hit in hits}
            )
            new_hits = [[hit for hit in hits if await self._is_new(hit, keys[hit.text], providers)] for hits in results]
            self.brought += dict.fromkeys(
                name for hits in new_hits for hit in hits for name in (hit.url, keys[hit.text])
            )
            pages = min(self._context.max_pages or self._context.level.pages, self._context.level.pages)
            return await complete(new_hits, reader.read, in_turns(new_hits)[:pages], filters_of(self._context))

        return read_new

    async def _is_new(self, found: Hit | Source, key: str, providers: Providers) -> bool:
        """Tell whether a text with a content hash is new; an unchanged document that the run did not use is not."""
        if found.kind != "document":
            return found.url not in self._known
        if key in self._known:
            return False
        times = await asyncio.gather(*(document.changed(found.url) for document in providers.documents))
        return any(time is not None and time >= self._since for time in times)


async def _texts_before(home: Home, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of the run's documents at the time of the run, by address."""
    sources: list[Source] = [source for source in values.get("sources", {}).values() if source.kind == "document"]
    texts: dict[str, str] = {}
    for source in sources:
        try:
            text = await home.evidence.get_text(source.content_hash)
        except StoreError:  # the store was cleared: the whole document counts as new
            continue
        texts[source.url] = f"{texts.get(source.url, '')}\n{text}"  # folders of one name may share addresses
    return texts


async def _findings(
    question: str, gathered: Gathered, before: Mapping[str, str], replacing: Collection[str]
) -> list[NewFinding]:
    """Quote each new source's sentences that are closest to the question, the closest first.

    No news are the sentences of earlier texts of documents (`before`, by address), and those told with a claim or before (`replacing`).
    """
    excerpts: dict[str, list[Excerpt]] = {}
    for place, passage in enumerate(gathered.passages, 1):
        quoted = quote_best(passage, question, f"W1-{place}")
        excerpts.setdefault(passage.content_hash, []).append(quoted)
    findings: dict[str, tuple[float, NewFinding]] = {}
    for key, of_source in excerpts.items():
        source = gathered.sources[key]
        sentences = [
            view.model_copy(update={"quote": quote})
            for view in evidence_views(of_source, gathered.sources)
            for quote in statements_in(view.quote)
            if quote not in replacing and quote not in before.get(source.url, "")
        ]
        for view, score in await asyncio.to_thread(closest_passages, question, sentences, PER_SOURCE):
            finding = NewFinding(
                quote=view.quote,
                title=source.title,
                url=source.url,
                published=source.published or "",
                content_hash=key,
            )
            findings.setdefault(view.quote, (score, finding))
    ranked = sorted(findings.values(), key=lambda entry: -entry[0])
    return [finding for _, finding in ranked][:FINDINGS]
