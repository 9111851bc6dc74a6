"""A web search with recorded answers, so that a replay needs no network and a crash repeats no request."""

import asyncio

from pydantic import BaseModel, Field

from services.run.errors import SearchError, SearchRefused
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.failover import Answered, FailOver
from services.search.hit import Hit, SearchProvider

SECOND_TRY = 0.5
"""Seconds before the second attempt after a passing fault."""


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
