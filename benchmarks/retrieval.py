"""Retrieval over documents, measured through the product's own index, search and gathering.

    python -m benchmarks.retrieval DATA [--set hotpotqa]...

`DATA` is a folder of gzipped JSON lines: `<set>_corpus` with `doc_id`, `title`, `text`, `<set>_queries…` with
`question`, `gold_ids`. Nothing of it is kept. Writes `benchmarks/results/retrieval.json`.
"""

import argparse
import asyncio
import gzip
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore

from benchmarks.measurement import RESULTS, read_results, write_results
from services.run.evidence_store import EvidenceStore
from services.search.documents import Documents, open_documents
from services.search.gather import gather
from services.search.hybrid import Ways
from services.search.providers import Providers

LIMIT = 12
"""Passages asked for, as the researcher asks."""


@dataclass(frozen=True, slots=True)
class Task:
    """A set of questions over one corpus."""

    name: str
    corpus: str
    queries: str
    depth: int
    """Ranks that count: recall@depth."""
    reach: str = ""
    """What to reach."""


TASKS = [
    Task("HotpotQA", "hotpotqa_corpus", "hotpotqa_queries100", 5, "97 / 93"),
    Task("MuSiQue", "musique_corpus", "musique_queries50", 5, "72 / 45"),
    Task("XQuAD en", "xquad_en_corpus", "xquad_en_queries595", 1, "96"),
    Task("XQuAD zh", "xquad_zh_corpus", "xquad_zh_queries595", 1, "95"),
    Task("XQuAD en→zh", "xquad_zh_corpus", "xquad_en_queries595", 1, "80"),
    Task("XQuAD zh→en", "xquad_en_corpus", "xquad_zh_queries595", 1, "78"),
    Task("CMRC 2018", "cmrc2018_dev_corpus", "cmrc2018_queries1610", 1, "98"),
]

Ranker = Callable[[str], Awaitable[list[str]]]
"""From a question to ids of documents, best first."""


def rows(data: Path, name: str) -> list[dict[str, Any]]:
    """Read a file of the data folder."""
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write_corpus(corpus: Sequence[dict[str, Any]], folder: Path) -> None:
    """Lay a corpus out as a folder of Markdown files, as a user would have one."""
    folder.mkdir()
    for document in corpus:
        title = document["title"].replace("_", " ")
        (folder / f"{document['doc_id']}.md").write_text(f"# {title}\n\n{document['text']}\n", "utf-8")


def rankers(documents: Documents) -> dict[str, Ranker]:
    """Return the ways of searching that are compared; the last is what the researcher does."""

    def searched(ways: Ways) -> Ranker:
        async def ranker(question: str) -> list[str]:
            return [Path(hit.url).stem for hit in await documents.search(question, LIMIT, ways)]

        return ranker

    async def with_hop(question: str) -> list[str]:
        evidence = EvidenceStore(InMemoryStore())
        found = await gather([question], Providers(documents=[documents]), evidence=evidence, limit=LIMIT)
        urls = [found.sources[passage.content_hash].url for passage in found.passages]
        return list(dict.fromkeys(Path(url).stem for url in urls))

    if not documents.models:
        return {"BM25": searched("words"), "BM25 + hop": with_hop}
    return {
        "BM25": searched("words"),
        "vectors": searched("meaning"),
        "hybrid": searched("both"),
        "hybrid + hop": with_hop,
    }


async def measure(task: Task, data: Path, work: Path) -> dict[str, Any]:
    """Index a corpus and ask its questions in each way."""
    folder = work / task.corpus
    if not folder.exists():
        write_corpus(rows(data, task.corpus), folder)
    begin = time.perf_counter()
    documents = await open_documents(folder, work / "home")
    built = time.perf_counter() - begin
    queries = rows(data, task.queries)
    answers: dict[str, Any] = {}
    for way, ranker in rankers(documents).items():
        begin = time.perf_counter()
        shares = []
        for query in queries:
            gold = set(query["gold_ids"])
            found = (await ranker(query["question"]))[: task.depth]
            shares.append(len(gold.intersection(found)) / len(gold))
        answers[way] = {
            f"recall@{task.depth}": round(100 * sum(shares) / len(shares), 1),
            "all": round(100 * sum(share == 1 for share in shares) / len(shares), 1),
            "milliseconds_a_query": round(1000 * (time.perf_counter() - begin) / len(queries), 1),
        }
    return {
        "models": documents.models,
        "documents": documents.count,
        "queries": len(queries),
        "seconds_to_open": round(built, 1),
        "ways": answers,
    }


def table(tasks: Sequence[Task], measured: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    ways = list(next(iter(measured.values()))["ways"])
    lines = [f"| set | metric | {' | '.join(ways)} | reach |", "|" + "---|" * (len(ways) + 3)]
    for task in tasks:
        single = task.depth == 1
        figures = [
            f"{figures[f'recall@{task.depth}']:.1f}" + ("" if single else f" / {figures['all']:.0f}")
            for figures in measured[task.name]["ways"].values()
        ]
        metric = f"recall@{task.depth}" + ("" if single else " / all gold in 5")
        lines.append(f"| {task.name} | {metric} | {' | '.join(figures)} | {task.reach} |")
    return "\n".join(lines)


def save(part: str, measured: dict[str, Any]) -> None:
    """Put figures into the results, beside those of other models."""
    known = read_results(RESULTS / "retrieval.json")
    known[part] = known.get(part, {}) | measured
    write_results(RESULTS / "retrieval.json", known)


async def main() -> None:
    """Measure the sets that are asked for, print a table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", action="append", help="only the sets whose name begins so")
    chosen = parser.parse_args()
    tasks = [
        task
        for task in TASKS
        if not chosen.set or any(task.name.lower().startswith(name.lower()) for name in chosen.set)
    ]
    if not tasks:
        parser.error(f"--set: no set begins so; there are {', '.join(task.name for task in TASKS)}")
    measured: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as work:
        for task in tasks:
            measured[task.name] = await measure(task, chosen.data, Path(work))
            models = [name.split()[0] for name in measured[task.name]["models"]]
            save(" + ".join(models) or "words alone", {task.name: measured[task.name]})
    print(table(tasks, measured))


if __name__ == "__main__":
    asyncio.run(main())
