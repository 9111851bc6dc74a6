"""What a user waits for who searches a large folder: the first passages, the same with an index, each further query.

    python -m benchmarks.scale [--files 10000]

Writes so many Markdown files of made-up words (10,000 are 150 MB), searches them by the product's own index and models, and
writes `benchmarks/results/folder.json`.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measurement import RESULTS, machine, write_results
from services.search.documents import open_documents

PASSAGES_A_FILE = 20
WORDS = 110
CHARACTERS_A_FILE = 15_000


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
    result: dict[str, Any] = {"files": files, "megabytes": round(size / 1e6)}
    for name in ("without an index", "with one"):
        begin = time.perf_counter()
        documents = await open_documents(folder, work / "home")
        await documents.search("What does file 7 say?", 10)
        result[f"seconds_to_first_passages {name}"] = round(time.perf_counter() - begin, 1)
    times, processor_times = [], []
    for query in queries:
        begin, used = time.perf_counter(), time.process_time()
        await documents.search(query, 10)
        times.append(time.perf_counter() - begin)
        processor_times.append(time.process_time() - used)
    return {
        **result,
        "passages": documents.index.passages(),
        "seconds_a_query_at_most": round(max(times), 2),
        "processor_seconds_a_query_at_most": round(max(processor_times), 2),
        "machine": machine(),
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


def main() -> None:
    """Measure a folder and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    with tempfile.TemporaryDirectory() as work:
        result = asyncio.run(measure_folder(parser.parse_args().files, Path(work)))
    write_results(RESULTS / "folder.json", result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
