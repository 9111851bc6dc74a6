"""An embedding model at an OpenAI-compatible endpoint; a run's requests are journaled, counted, and within its budget.

Vectors of passages are kept in the folder's index by the content of their sources, so each passage is paid for once,
whatever runs search it; vectors of queries are kept in the journal of the run that asks.
"""

import base64
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from pydantic import BaseModel

from schemas.usage import CallUsage
from services.embedding.vectors import Vectors
from services.run.errors import LimitReached, SearchError
from services.run.prices import price_at
from services.run.scope import current_run
from services.run.secrecy import shown_address, without_secrets
from services.run.ui_text import told
from services.text.length import estimate_cjk

ROLE = "embedding"
"""Name under which a run's usage lists embedding."""
REQUEST_SECONDS, SECONDS_A_TEXT, MOST_SECONDS = 12.0, 1.0, 60.0
"""Seconds of one request, which is repeated twice: the base, the addition for each text, and the maximum."""
_UNRELATED = (
    "The tide table for the harbour is printed every January.",
    "Her grandmother taught her to bake rye bread.",
    "The court set aside the ruling on appeal.",
    "新的地铁线路将于明年开通。",
    "细胞通过有丝分裂进行增殖。",
    "他在比赛中打进了三个球。",
)
"""Sentences without relation to each other; their cosines give the floor of an unknown model."""


class _Embedded(BaseModel):
    """Vectors as the journal keeps them."""

    rows: int
    data: str
    """Their float32 numbers, base64."""
    used: CallUsage

    @classmethod
    def of(cls, vectors: Vectors, used: CallUsage) -> "_Embedded":
        """Pack vectors."""
        return cls(rows=len(vectors), data=base64.b64encode(vectors.tobytes()).decode(), used=used)

    def vectors(self) -> Vectors:
        """Unpack the vectors."""
        return np.frombuffer(base64.b64decode(self.data), dtype=np.float32).reshape(self.rows, -1)


@dataclass(slots=True)
class OpenAIEmbeddings:
    """A model at an OpenAI-compatible endpoint, with the fields of a local model."""

    model: str
    base_url: str | None
    key: str
    by_sentence: bool = False
    batch: int = 64
    max_passages: int | None = None
    weight: float = 1.0
    words: float = 1.0
    name: str = field(init=False)
    _scale: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        self.name = f"{self.model} at {shown_address(self.base_url) if self.base_url else 'openai'}"

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts of the index.

        Raises:
            SearchError: the endpoint refused, could not be reached, or sent an invalid answer, or the run's limits
                leave no room.
        """
        answer = await self._paid(texts)
        current_run().embedding += answer.used
        return answer.vectors()

    async def query(self, text: str) -> Vectors:
        """Embed a query, or return its recorded vector; a single row."""
        return await self._once(text[:200], [text])

    async def scale(self) -> tuple[float, float]:
        """Return `floor` and `span`, measured once by the model's similarity of unrelated sentences."""
        if self._scale is None:
            vectors = await self._once("sentences that have nothing in common", _UNRELATED)
            cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
            floor = float(np.clip(cosines.mean(), 0.0, 0.9))
            self._scale = floor, 0.6 * (1.0 - floor)
        return self._scale

    async def _once(self, name: str, texts: Sequence[str]) -> Vectors:
        run = current_run()
        request = {"model": self.name, "texts": list(texts)}
        known = await run.journal.once(ROLE, name, request, _Embedded, lambda: self._paid(texts))
        if not known.fresh:
            run.budget.spend(known.answer.used.tokens, known.answer.used.cost or 0.0)
        run.embedding += known.answer.used
        return known.answer.vectors()

    async def _paid(self, texts: Sequence[str]) -> _Embedded:
        """Request vectors, if the run's limits leave room."""
        run = current_run()
        price = await price_at(self.model, self.base_url)
        if price is None and run.context.max_cost is not None:
            raise self._failure("its price is not known, and max_cost is set; name the price in LEADLINE_PRICES")
        estimate = sum(len(text) // 4 + 1 + estimate_cjk(text) for text in texts)
        try:
            held = run.budget.reserve(
                estimate, 1, (price.input / 1e6, price.output / 1e6) if price else None, min_output=1
            )
        except LimitReached as limit:
            raise SearchError(**told("vectors_limit", limit=limit)) from None
        started = time.monotonic()
        try:
            vectors, tokens = await self._request(texts)
        except BaseException:
            run.budget.settle(held, 0, 0.0)
            raise
        tokens = tokens or estimate
        cost = price.cost(tokens, 0) if price else None
        run.budget.settle(held, tokens, cost or 0.0)
        used = CallUsage(calls=1, input_tokens=tokens, seconds=round(time.monotonic() - started, 3), cost=cost)
        return _Embedded.of(vectors, used)

    async def _request(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Return the vectors and the endpoint's token count, 0 if it reports none."""
        from openai import AsyncOpenAI, OpenAIError

        seconds = min(MOST_SECONDS, REQUEST_SECONDS + SECONDS_A_TEXT * (len(texts) - 1))
        try:
            async with AsyncOpenAI(base_url=self.base_url, api_key=self.key, timeout=seconds) as client:
                answer = await client.embeddings.create(model=self.model, input=list(texts), encoding_format="float")
            rows = [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]
            vectors = np.array(rows, dtype=np.float32)
            tokens = int(answer.usage.prompt_tokens) if answer.usage else 0
        except (OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise self._failure(without_secrets(" ".join(str(error).split()))[:200] or type(error).__name__) from None
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._failure(f"{len(vectors)} vectors came back for {len(texts)} texts")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        scaled: Vectors = vectors / np.maximum(lengths, 1e-9)
        return scaled, tokens

    def _failure(self, why: str) -> SearchError:
        return SearchError(
            f"The embedding model {self.model} did not answer as expected ({why}). Check LEADLINE_EMBEDDINGS_MODEL and "
            "LEADLINE_EMBEDDINGS_BASE_URL, or leave them out to search with what is installed."
        )
