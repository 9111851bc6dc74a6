"""Finds passages of known sources that match a question by meaning, with the vectors of the index."""

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
"""Passages of a folder to examine for known sources."""


class _Meant(BaseModel):
    places: list[Key]
    embedding: CallUsage = CallUsage()


async def similar_passages(run: Run, question: str, known: Container[str]) -> list[Key]:
    """Return passages of known sources that are clearly similar to a question, best first; none if the index has no vectors.

    Only the question is embedded. A folder that cannot be opened is skipped: the following search reports it.

    Args:
        run: the run with its documents; its journal records the result.
        question: the question, in any language of the embedding model.
        known: content hashes of the known sources.
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
