"""Selects the statements of a report to remember: quoted or supported, from sources that can be read again, and no instructions.

Each is kept with its vector of a local embedding model, if one is installed, so that it is found by its meaning, too.
"""

import asyncio
import base64
from collections.abc import Sequence

import numpy as np
from pydantic import ValidationError

from schemas.evidence import Claim, Excerpt, Source
from schemas.memory import MemoryEntry
from schemas.reporter import Report
from services.embedding.models import fast_model
from services.embedding.vectors import Vectors, pack, unpack
from services.run.evidence_store import EvidenceStore
from services.run.log import log
from services.run.memory_store import entry_id, memory_owner, remember
from services.run.scope import Run
from services.run.settings import settings
from services.text.instructions import gives_instruction
from services.text.quote_location import locate

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
