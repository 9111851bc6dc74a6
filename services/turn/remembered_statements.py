"""Remembers the proven statements of reports, and recalls those that answer a question as evidence before the web search.

Remembered is what is quoted or supported, from sources that can be read again, and no instructions. Statements are found by words, and
by meaning where a local embedding model is installed. Those older than the question allows are not used; the search that follows looks
for what there is now.
"""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
from pydantic import BaseModel, ValidationError

from schemas.evidence import Claim, Excerpt, Source
from schemas.memory import MemoryEntry
from schemas.options import DAYS, TimeRange
from schemas.reporter import Report
from schemas.results import RECALLED
from schemas.state import ResearchState
from services.embedding.models import fast_model
from services.embedding.vectors import Vectors, pack, unpack
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.run.log import log
from services.run.memory_store import entry_id, memory_of, memory_owner, remember
from services.run.scope import Run
from services.run.settings import settings
from services.run.ui_text import say
from services.search.web import filters_of
from services.text.dates import wanted_time
from services.text.instructions import gives_instruction
from services.text.questions import answering_places, near_best
from services.text.quote_location import locate
from services.text.ranking import bm25, fuse
from services.text.tokens import tokens

KINDS = frozenset(["web", "document"])
"""Kinds of sources that can be read again; results of computations, databases and tools are valid only for their run."""


async def with_vectors(entries: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """Return statements with their vectors; unchanged if no model is installed."""
    model = fast_model()
    if model is None or not entries:
        return list(entries)
    vectors = await model.passages([entry.claim for entry in entries])
    return [
        entry.model_copy(update={"vectors": {model.name: base64.b64encode(pack(row[None])).decode()}})
        for entry, row in zip(entries, vectors, strict=True)
    ]


async def likenesses(question: str, entries: Sequence[MemoryEntry]) -> list[float]:
    """Return the cosine of each statement with a question; 0 without a model, or without a vector of the statement."""
    model = fast_model()
    if model is None or not any(model.name in entry.vectors for entry in entries):
        return [0.0] * len(entries)
    wanted = (await model.query(question))[0]
    return [_cosine(entry.vectors.get(model.name, ""), wanted) for entry in entries]


def _cosine(packed: str, wanted: Vectors) -> float:
    data = base64.b64decode(packed)
    if len(data) != len(pack(wanted[None])):
        return 0.0
    return float(np.clip(unpack(data, len(wanted))[0] @ wanted, -1.0, 1.0))


async def remember_report(run: Run, report: Report, evidence: EvidenceStore) -> None:
    """Remember the proven statements of a report for the run's user, if the run enables that. A replay remembers nothing.

    Raises:
        StoreUnwritable: the store cannot be written.
    """
    owner = memory_owner(settings())
    if not run.context.memory or run.journal.replays or owner is None:
        return
    entries = await asyncio.to_thread(proven_statements, report, run.thread)
    log("remembered", statements=await remember(evidence.store, owner, await with_vectors(entries)))


def proven_statements(report: Report, run_id: str) -> list[MemoryEntry]:
    """Return the statements of a report to remember, each with its proof."""
    excerpts = {excerpt.id: excerpt for excerpt in report.excerpts}
    sources = {source.content_hash: source for source in report.sources}
    entries = {}
    for claim in report.citations:
        cited = [excerpts[key] for key in claim.citations if key in excerpts]
        if entry := _entry(claim, cited, sources, report.question, run_id):
            entries[entry.id] = entry
    return list(entries.values())


def _entry(
    claim: Claim, cited: list[Excerpt], sources: dict[str, Source], question: str, run_id: str
) -> MemoryEntry | None:
    """Return a statement with its proof; None if it has no proof, or if the proof cannot be read again."""
    keys = dict.fromkeys(excerpt.content_hash for excerpt in cited)
    if claim.status not in {"quoted", "supported"} or not cited or len(cited) < len(claim.citations):
        return None
    proof = [_without_instruction(excerpt, claim.text) for excerpt in cited]
    if gives_instruction(claim.text) or None in proof:
        return None
    if any(key not in sources or sources[key].kind not in KINDS for key in keys):
        return None
    remembered = {key: _remembered(sources[key]) for key in keys}
    days = [source.known_from for source in remembered.values()]
    if not all(days):
        return None
    try:
        return MemoryEntry(
            id=entry_id(claim.text),
            claim=claim.text,
            status=claim.status,
            known_from=min(days),
            question=question,
            run=run_id,
            excerpts=[excerpt.model_copy(update={"id": "", "confirmed_by": []}) for excerpt in proof if excerpt],
            sources=remembered,
        )
    except ValidationError:
        return None


def _without_instruction(excerpt: Excerpt, claim: str) -> Excerpt | None:
    """Return an excerpt whose quote tells nobody to do anything, cut to the statement's own words if need be; None if it cannot be cut."""
    if not gives_instruction(excerpt.quote):
        return excerpt
    place = locate(claim, excerpt.quote)
    if place is None:
        return None
    start, end = place
    cut = {"quote": excerpt.quote[start:end], "start": excerpt.start + start, "end": excerpt.start + end}
    return excerpt.model_copy(update=cut)


def _remembered(source: Source) -> Source:
    """Return a source in its remembered form: dated by the day on which it was read, without a number in a report."""
    known_from = source.known_from or source.fetched_at[:10]
    return source.model_copy(update={"known_from": known_from, "number": None, "duplicate_of": None})


MAX_STATEMENTS = 6
"""Maximum remembered statements shown for a question."""
MIN_TEXTS = 100
"""Minimum number of statements assumed when the words of a question are weighted by rarity."""
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


class _Recalled(BaseModel):
    entries: list[MemoryEntry] = []


async def recall_memory(run: Run, question: str, today: str, evidence: EvidenceStore) -> Remembered:
    """Search the user's remembered statements for a question.

    Other languages are compared by meaning, if a local embedding model is installed.
    """

    async def work() -> _Recalled:
        owner = memory_owner(settings())
        entries = await memory_of(evidence.store, owner) if owner is not None else []
        permitted = await asyncio.to_thread(_usable, run, entries)
        likeness = await likenesses(question, permitted)
        ranked = await asyncio.to_thread(_ranked, question, permitted, likeness)
        usable: list[MemoryEntry] = []
        for entry in ranked:
            if len(usable) < MAX_STATEMENTS and await _is_whole(entry, evidence):
                usable.append(entry.model_copy(update={"vectors": {}}))
        return _Recalled(entries=usable)

    request = {"question": question, "today": today}
    recalled = (await run.journal.once("memory", question[:200], request, _Recalled, work)).answer.entries
    oldest = oldest_allowed(question, today, run.context.time_range)
    remembered = Remembered()
    for entry in recalled:
        if entry.known_from >= oldest:
            _add(remembered, entry)
    return remembered


def _usable(run: Run, entries: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """Return the statements whose sources a run may use; instructions, which an earlier version remembered, are left out."""
    return [
        entry
        for entry in entries
        if _is_permitted(run, entry)
        and not any(map(gives_instruction, [entry.claim, *(excerpt.quote for excerpt in entry.excerpts)]))
    ]


def _is_permitted(run: Run, entry: MemoryEntry) -> bool:
    filters = filters_of(run.context)
    return all(
        filters.in_time(source.published) and (source.kind != "web" or filters.permit(source.url, source.source_kind))
        for source in entry.sources.values()
    )


def _ranked(question: str, entries: Sequence[MemoryEntry], likeness: Sequence[float]) -> list[MemoryEntry]:
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


def _add(remembered: Remembered, entry: MemoryEntry) -> None:
    known = {excerpt.place for excerpt in remembered.excerpts}
    for excerpt in entry.excerpts:
        if excerpt.place not in known:
            number = len(remembered.excerpts) + 1
            remembered.excerpts.append(excerpt.model_copy(update={"id": f"M{RECALLED}-{number}"}))
    remembered.sources |= entry.sources


async def without_changed(remembered: Remembered, read: Mapping[str, Source], evidence: EvidenceStore) -> Remembered:
    """Leave out the quotes whose address was read in this run, and no longer has them; a snippet or an abstract tells nothing of the rest."""
    known = {address for source in remembered.sources.values() for address in source.addresses}
    texts: dict[str, str] = {}
    for key, source in read.items():
        if not (source.snippet_only or source.abstract_only) and known.intersection(source.addresses):
            text = await evidence.get_text(key)
            texts |= {address: f"{texts.get(address, '')}\n{text}" for address in source.addresses}

    def stands(excerpt: Excerpt) -> bool:
        addresses = remembered.sources[excerpt.content_hash].addresses
        now = [texts[address] for address in addresses if address in texts]
        return not now or any(excerpt.quote in text for text in now)

    excerpts = [excerpt for excerpt in remembered.excerpts if stands(excerpt)]
    kept = {excerpt.content_hash for excerpt in excerpts}
    return Remembered(excerpts, {key: source for key, source in remembered.sources.items() if key in kept})


def oldest_allowed(question: str, today: str, time_range: TimeRange | None = None) -> str:
    """Return the earliest ISO date of a proof that the question accepts.

    A question about the present accepts only today; a question about a past time accepts proofs from after that time.
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
    limits: list[str] = []
    if (recalled := state["results"].get(RECALLED)) is not None:
        sources = {excerpt.content_hash for excerpt in recalled.excerpts}
        limits.append(say("reused", state["locale"], quotes=len(recalled.excerpts), sources=len(sources)))
    excerpts = state["background"].excerpts if state["background"] else []
    cited = [excerpt for excerpt in excerpts if f"[{excerpt.id}]" in text]
    if days := [day for excerpt in cited if (day := state["sources"][excerpt.content_hash].known_from)]:
        limits.append(say("remembered", state["locale"], quotes=len(days), day=min(days)))
    return limits
