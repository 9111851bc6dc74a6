"""Recalls remembered statements that answer a question, by words and by meaning, as evidence before the web search.

Statements that are older than the question allows are checked again: their documents and pages are read anew, and they count where every
quote still stands there, as proven today. The others are not used; the search that follows looks for what there is now.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from pydantic import BaseModel

from schemas.evidence import Excerpt, Source
from schemas.memory import MemoryEntry
from schemas.options import DAYS, TimeRange
from schemas.results import RECALLED
from schemas.state import ResearchState
from services.run.errors import LeadlineError, LimitReached, PageError, StoreError
from services.run.evidence_store import EvidenceStore
from services.run.memory_store import memory_of, memory_owner
from services.run.scope import Run
from services.run.settings import settings
from services.run.ui_text import say
from services.search.providers import providers_for
from services.search.run_pages import may_read_web, page_once
from services.search.web import filters_of
from services.text.clause_cover import answering_places, near_best
from services.text.dates import wanted_time
from services.text.duplicates import fingerprint
from services.text.instructions import gives_instruction
from services.text.quote_location import locate
from services.text.ranking import bm25, fuse
from services.text.tokens import tokens
from services.turn.memory_keeping import likenesses

MAX_STATEMENTS = 6
"""Maximum remembered statements shown for a question."""
MIN_TEXTS = 100
"""Minimum number of statements assumed when the words of a question are weighted by rarity."""
MAX_CHECKED = 4
"""Maximum sources that are read again for checks."""
MEANT = 0.4
"""Minimum cosine of a statement and a question for the statement to be relevant, in any languages. Chosen on one half
of XQuAD's questions, asked of 595 statements; docs/runs.md has the figures of the other half. Below 0.35 every fourth
question gets an irrelevant statement."""

MAX_DAYS = 365
"""Maximum age in days of any remembered statement."""


@dataclass(slots=True)
class Remembered:
    """Remembered statements on a question."""

    excerpts: list[Excerpt] = field(default_factory=list)
    """Excerpts with the ids `M0-1`, `M0-2`, …, most relevant first."""
    sources: dict[str, Source] = field(default_factory=dict)
    unproven: int = 0
    """Number of statements that were too old and whose quotes could not be found again."""


class _Found(BaseModel):
    entries: list[MemoryEntry] = []


class _Reading(BaseModel):
    """A source as it is now."""

    hash: str = ""
    """Of its text; empty where it could not be read."""
    at: str = ""


async def recall_memory(run: Run, question: str, today: str, evidence: EvidenceStore) -> Remembered:
    """Search the user's remembered statements for a question.

    Args:
        run: the run with its user, choices, journal and budget.
        question: the question, in any language; other languages are compared by meaning, if a local embedding model is
            installed.
        today: ISO date of the question.
        evidence: the store of the sources' texts.
    """

    async def work() -> _Found:
        owner = memory_owner(settings())
        entries = await memory_of(evidence.store, owner) if owner is not None else []
        permitted = await asyncio.to_thread(_usable, run, entries)
        likeness = await likenesses(question, permitted)
        ranked = await asyncio.to_thread(_ranked, question, permitted, likeness)
        found: list[MemoryEntry] = []
        for entry in ranked:
            if len(found) < MAX_STATEMENTS and await _is_whole(entry, evidence):
                found.append(entry.model_copy(update={"vectors": {}}))
        return _Found(entries=found)

    request = {"question": question, "today": today}
    found = (await run.journal.once("memory", question[:200], request, _Found, work)).answer.entries
    oldest = oldest_allowed(question, today, run.context.time_range)
    stale = [entry for entry in found if entry.known_from < oldest]
    readings = await _read_again(run, stale, evidence)
    remembered = Remembered()
    for entry in found:
        proven = entry if entry.known_from >= oldest else await _proven_anew(entry, readings, evidence)
        if proven is None:
            remembered.unproven += 1
        else:
            _add(remembered, proven)
    return remembered


def _usable(run: Run, entries: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """Return the statements whose sources a run may use; instructions, which an earlier version remembered, are none."""
    return [
        entry
        for entry in entries
        if _is_permitted(run, entry)
        and not any(map(gives_instruction, [entry.claim, *(excerpt.quote for excerpt in entry.excerpts)]))
    ]


def _is_permitted(run: Run, entry: MemoryEntry) -> bool:
    """Tell whether a run may use a statement's sources: pages of sites that it excludes are not used."""
    filters = filters_of(run.context)
    return all(
        filters.in_time(source.published) and (source.kind != "web" or filters.permit(source.url, source.source_kind))
        for source in entry.sources.values()
    )


def _ranked(question: str, entries: Sequence[MemoryEntry], likeness: Sequence[float]) -> list[MemoryEntry]:
    """Return the statements that may answer a question, by words and by meaning, most relevant first."""
    held = [tokens(" ".join([entry.claim, *(excerpt.quote for excerpt in entry.excerpts)])) for entry in entries]
    titles = [set(tokens(" ".join(source.title for source in entry.sources.values()))) for entry in entries]
    answering = answering_places(question, held, titles, MIN_TEXTS)
    by_words = [place for place in near_best(bm25(held, tokens(question))) if place in answering]
    by_meaning = sorted(range(len(entries)), key=lambda place: -likeness[place])
    clear = [place for place in by_meaning if likeness[place] >= MEANT]
    return [entries[place] for place in fuse([by_words, clear])]


async def _is_whole(entry: MemoryEntry, evidence: EvidenceStore) -> bool:
    """Tell whether the store holds the texts of a statement's sources, with each quote in its place."""
    try:
        texts = {key: await evidence.get_text(key) for key in entry.sources}
    except StoreError:
        return False
    return all(
        texts.get(excerpt.content_hash, "")[excerpt.start : excerpt.end] == excerpt.quote for excerpt in entry.excerpts
    )


async def _read_again(run: Run, stale: Sequence[MemoryEntry], evidence: EvidenceStore) -> dict[str, _Reading]:
    """Read the sources of outdated statements again, in order, as far as the limits allow."""
    sources = {key: source for entry in stale for key, source in entry.sources.items()}
    readings: dict[str, _Reading] = {}
    for key, source in list(sources.items())[:MAX_CHECKED]:
        if source.kind == "document":
            readings[key] = await _document_now(run, source.url, evidence)
        elif may_read_web(run) and not (source.snippet_only or source.abstract_only):
            readings[key] = await _page_now(run, source.url, evidence)
    return readings


async def _document_now(run: Run, url: str, evidence: EvidenceStore) -> _Reading:
    async def work() -> _Reading:
        try:
            documents = (await providers_for(run.context)).documents
        except LeadlineError:
            return _Reading()  # the following search reports the error
        hits = [hit for folder in documents if (hit := await folder.at(url)) is not None]
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return _Reading(hash=await evidence.put_text(hits[0].text), at=at) if hits else _Reading()

    return (await run.journal.once("document", url[:200], {"url": url}, _Reading, work)).answer


async def _page_now(run: Run, url: str, evidence: EvidenceStore) -> _Reading:
    try:
        page = await page_once(run, url, evidence)
    except (LimitReached, PageError):
        return _Reading()
    return _Reading(hash=await evidence.put_text(page.text), at=page.fetched_at)


async def _proven_anew(
    entry: MemoryEntry, readings: dict[str, _Reading], evidence: EvidenceStore
) -> MemoryEntry | None:
    """Return a statement with its quotes in the current texts of its sources; None if a quote is missing."""
    excerpts: list[Excerpt] = []
    sources: dict[str, Source] = {}
    for excerpt in entry.excerpts:
        reading = readings.get(excerpt.content_hash)
        if reading is None or not reading.hash:
            return None
        text = await evidence.get_text(reading.hash)
        unchanged = reading.hash == excerpt.content_hash
        place = (excerpt.start, excerpt.end) if unchanged else await asyncio.to_thread(locate, excerpt.quote, text)
        if place is None:
            return None
        start, end = place
        now = {"content_hash": reading.hash, "quote": text[start:end], "start": start, "end": end}
        excerpts.append(excerpt.model_copy(update=now))
        source = entry.sources[excerpt.content_hash]
        print_of = source.fingerprint if unchanged else await asyncio.to_thread(fingerprint, text)
        sources[reading.hash] = source.model_copy(
            update={"content_hash": reading.hash, "fetched_at": reading.at, "known_from": "", "fingerprint": print_of}
        )
    return entry.model_copy(update={"excerpts": excerpts, "sources": sources})


def _add(remembered: Remembered, entry: MemoryEntry) -> None:
    """Add a statement's quotes, each once."""
    known = {(excerpt.content_hash, excerpt.start, excerpt.end) for excerpt in remembered.excerpts}
    for excerpt in entry.excerpts:
        if (excerpt.content_hash, excerpt.start, excerpt.end) not in known:
            number = len(remembered.excerpts) + 1
            remembered.excerpts.append(excerpt.model_copy(update={"id": f"M{RECALLED}-{number}"}))
    remembered.sources |= entry.sources


def oldest_allowed(question: str, today: str, time_range: TimeRange | None = None) -> str:
    """Return the earliest ISO date of a proof that the question accepts.

    A question about the present accepts only today; a question about a past time accepts proofs from after that time.

    Args:
        question: the question, in English or Chinese.
        today: ISO date of the question.
        time_range: the run's maximum age of pages, if chosen.
    """
    now = date.fromisoformat(today)
    oldest = [now - timedelta(days=MAX_DAYS)]
    if time_range is not None:
        oldest.append(now - timedelta(days=DAYS[time_range]))
    if (wanted := wanted_time(question, now)) is not None:
        oldest.append(now if wanted.now else date(wanted.last + 1, 1, 1))
    return min(max(oldest), now).isoformat()


def reused_limits(state: ResearchState, text: str) -> list[str]:
    """Return limits about evidence of earlier turns, and about cited statements remembered from other threads."""
    return [*_of_the_thread(state), *_remembered(state, text)]


def _of_the_thread(state: ResearchState) -> list[str]:
    recalled = state["results"].get(RECALLED)
    if recalled is None:
        return []
    sources = {excerpt.content_hash for excerpt in recalled.excerpts}
    return [say("reused", state["locale"], quotes=len(recalled.excerpts), sources=len(sources))]


def _remembered(state: ResearchState, text: str) -> list[str]:
    excerpts = state["background"].excerpts if state["background"] else []
    cited = [excerpt for excerpt in excerpts if f"[{excerpt.id}]" in text]
    days = [day for excerpt in cited if (day := state["sources"][excerpt.content_hash].known_from)]
    return [say("remembered", state["locale"], quotes=len(days), day=min(days))] if days else []
