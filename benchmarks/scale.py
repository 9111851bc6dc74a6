"""How document search grows: an index of many made-up passages, its build, its queries and the memory they take.

Called by `benchmarks/retrieval.py --scale PASSAGES`. Embedding is timed on a sample of passages; the others get vectors
near one of the sample's, for what is measured of them is storage and search.
"""

import asyncio
import random
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np

from services.embedding.models import Embedder
from services.embedding.vectors import pack, unpack
from services.search.hybrid import embed, hybrid
from services.search.index import FileState, FolderIndex

SAMPLE = 300
PASSAGES_A_FILE = 20
WORDS = 110
QUERIES = 30


def _text(chance: random.Random, vocabulary: list[str]) -> str:
    weights = [1 / (place + 10) for place in range(len(vocabulary))]
    parts = []
    for number in range(PASSAGES_A_FILE):
        words = chance.choices(vocabulary, weights, k=WORDS)
        parts.append(
            f"## Part {number}\n\n" + ". ".join(" ".join(words[at : at + 22]) for at in range(0, WORDS, 22)) + "."
        )
    return "\n\n".join(parts)


async def measure(passages: int, models: list[Embedder], work: Path) -> dict[str, Any]:
    """Build an index of so many passages and search it."""
    chance = random.Random(7)  # noqa: S311 - nothing secret
    vocabulary = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(4, 9))) for _ in range(20_000)]
    folder = work / "scale"
    folder.mkdir()
    index = FolderIndex(folder, work / "home")
    texts = [_text(chance, vocabulary) for _ in range(-(-passages // PASSAGES_A_FILE))]
    begin = time.perf_counter()
    for number, text in enumerate(texts):
        index.add(FileState(f"{number}.md", len(text), 1), {"text": text, "title": f"File {number}", "published": None})
    result: dict[str, Any] = {
        "passages": index.passages(),
        "seconds_to_index_words": round(time.perf_counter() - begin, 1),
    }
    noise = np.random.default_rng(7)
    for model in models:
        begin = time.perf_counter()
        batches = index.vectors.missing(model.name, SAMPLE)
        sample = [f"{article.title}. {article.text}" for article in next(batches)]
        vectors = np.concatenate(
            [await model.passages(sample[at : at + model.batch]) for at in range(0, SAMPLE, model.batch)]
        )
        result[f"passages_a_second {model.name}"] = round(SAMPLE / (time.perf_counter() - begin), 1)
        for batch in index.vectors.missing(model.name, 2_000):
            near = vectors[noise.integers(0, len(vectors), len(batch))] + noise.normal(
                0, 0.02, (len(batch), vectors.shape[1])
            )
            near = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)
            own = {article.passage: pack(near[at : at + 1]) for at, article in enumerate(batch)}
            parts = {key: data * 5 for key, data in own.items()} if model.by_sentence else {}
            index.vectors.add(model.name, own, parts)
        await embed(index, model)
        assert len(unpack(pack(vectors[:2]), vectors.shape[1])) == 2
    queries = [" ".join(chance.choices(vocabulary[:5_000], k=8)) for _ in range(QUERIES)]
    for ways in ("words", "both"):
        times = []
        for query in queries:
            begin = time.perf_counter()
            await hybrid(index, models, query, 10, "words" if ways == "words" else "both")
            times.append(time.perf_counter() - begin)
        result[f"milliseconds_a_query {ways}"] = {
            "first": round(1000 * times[0], 1),
            "median": round(1000 * sorted(times)[len(times) // 2], 1),
        }
    size = await asyncio.to_thread(
        lambda: sum(path.stat().st_size for path in (work / "home").rglob("*") if path.is_file())
    )
    result["megabytes_of_index"] = round(size / 1e6)
    result["megabytes_of_memory_at_most"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return result
