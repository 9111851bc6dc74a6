"""How document search grows: an index of many made-up passages, its build, its queries and the memory they take.

Called by `benchmarks/retrieval.py --scale PASSAGES`. Embedding is timed on a sample of passages; the others get vectors
near one of the sample's, for what is measured of them is storage and search.

Run as a program (`make bench WHAT=scale`), it writes 10,000 files (150 MB) and measures what a user waits for: the first
passages, those of a folder that has its index, and each further query; `results/folder.json` has the last figures.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from services.embedding.models import Embedder
from services.embedding.vectors import pack, unpack
from services.search.documents import open_documents
from services.search.hybrid import embed, hybrid
from services.search.index import FileState, FolderIndex

SAMPLE = 300
PASSAGES_A_FILE = 20
WORDS = 110
QUERIES = 30


CHARACTERS_A_FILE = 15_000
RESULTS = Path(__file__).parent / "results" / "folder.json"


def write_folder(folder: Path, files: int) -> int:
    """Write so many files of made-up words, with headings, into subfolders, and return their bytes."""
    chance = random.Random(7)  # noqa: S311 - nothing secret
    vocabulary = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 10))) for _ in range(40_000)]
    size = 0
    for number in range(files):
        text = f"# File {number}\n\n{_text(chance, vocabulary)[:CHARACTERS_A_FILE]}"
        place = folder / str(number % 50) / f"{number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        size += place.write_text(text)
    return size


async def measure_folder(files: int, work: Path) -> dict[str, Any]:
    """Measure the seconds to the first passages of a new folder, to those of the same one opened again, and of further queries."""
    folder = work / "folder"
    size = await asyncio.to_thread(write_folder, folder, files)
    queries = [
        f"What does file {number} say about {(folder / str(number % 50) / f'{number}.md').read_text().split()[9]}?"
        for number in range(7, files, files // 10)
    ]
    result: dict[str, Any] = {"files": files, "megabytes": round(size / 1e6), "processors": os.cpu_count()}
    for name in ("without an index", "with one"):
        begin = time.perf_counter()
        documents = await open_documents(folder, work / "home")
        await documents.search("What does file 7 say?", 10)
        result[f"seconds_to_first_passages {name}"] = round(time.perf_counter() - begin, 1)
    times = []
    for query in queries:
        begin = time.perf_counter()
        await documents.search(query, 10)
        times.append(time.perf_counter() - begin)
    return {
        **result,
        "passages": documents.index.passages(),
        "seconds_a_query_at_most": round(max(times), 2),
        "load": round(os.getloadavg()[0], 1),
    }


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


def main() -> None:
    """Measure a folder and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    with tempfile.TemporaryDirectory() as work:
        result = asyncio.run(measure_folder(parser.parse_args().files, Path(work)))
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
