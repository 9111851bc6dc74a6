"""Passages of known sources that a question means, whatever its words and its language: by the vectors that the index has."""

import asyncio
from collections.abc import Container

from pydantic import BaseModel

from schemas.usage import CallUsage
from services.embedding.endpoint import ROLE
from services.run.errors import LeadlineError
from services.run.evidence_store import content_hash
from services.run.scope import Run, current_run
from services.search.pool import Key
from services.search.providers import providers_for

DEPTH = 20
"""Passages of a folder that are looked through for known sources."""


class _Meant(BaseModel):
    places: list[Key]
    embedding: CallUsage = CallUsage()


async def similar_passages(run: Run, question: str, known: Container[str]) -> list[Key]:
    """Return passages of known sources that are clearly like a question, best first; none where the index has no vectors.

    Nothing is embedded but the question. A folder that cannot be opened has none: the search that follows says so.

    Args:
        run: whose documents are looked through; its journal keeps what came out.
        question: in any language that the embedding model knows.
        known: content hashes of the sources that count.
    """

    async def work() -> _Meant:
        try:
            documents = (await providers_for(run.context)).documents
        except LeadlineError:
            return _Meant(places=[])
        documents = [document for document in documents if document.models]
        hits = [hit for document in documents for hit in await document.search(question, DEPTH, "meaning")]
        keys = await asyncio.to_thread(lambda: [content_hash(hit.text) for hit in hits])
        places = [
            (key, passage.start, passage.end)
            for hit, key in zip(hits, keys, strict=True)
            if key in known
            for passage in hit.passages
        ]
        return _Meant(places=places, embedding=current_run().take_embedding())

    entry = await run.journal.once("meant", question[:200], {"question": question}, _Meant, work)
    if entry.answer.embedding.calls:
        run.count_call(ROLE, entry.answer.embedding, fresh=entry.fresh)
    return entry.answer.places
