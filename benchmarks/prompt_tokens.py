"""Tokens of passages that a researcher's prompt needs to hold the same evidence, ranked as the product does and otherwise.

    python -m benchmarks.prompt_tokens DATA

Each question is searched through the product's index and gathering. The product's prompt at the depth `quick` (hybrid ranking,
second hop, a budget of tokens) holds some share of the gold evidence; asked is how many tokens other prompts need for the same share. A
prompt is filled in its order until the next piece would go beyond a budget, which is the same for all questions of a set.
Writes `benchmarks/results/prompt_tokens.json`.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore

from benchmarks.retrieval import rows, write_corpus
from schemas.depth import LEVELS, Level
from schemas.evidence import Passage, Source
from services.models.prompt_fit import passage_tokens, passages_within
from services.run.evidence_store import EvidenceStore
from services.search.documents import Documents, open_documents
from services.search.gather import gather
from services.search.hit import Hit
from services.search.hybrid import Ways
from services.search.providers import Providers
from services.turn.rounds import MIN_PASSAGES, TOKENS_A_PASSAGE

RESULTS = Path(__file__).parent / "results" / "prompt_tokens.json"
POOL = 50
"""Passages that other prompts may draw on."""
STEP, MOST = 25, 20_000
"""Budgets that are tried, in tokens."""
PRODUCT = "ranked, second hop, token budget (the product)"


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that takes room in a prompt."""

    tokens: int
    gold: frozenset[str]
    """Gold evidence that it holds."""


@dataclass(frozen=True, slots=True)
class Task:
    """A set of questions over one corpus."""

    name: str
    corpus: str
    queries: str
    articles: bool = False
    """Whether paragraphs of one title are one document, and evidence is the paragraph's passage with the answer."""


TASKS = [
    Task("HotpotQA", "hotpotqa_corpus", "hotpotqa_queries100"),
    Task("MuSiQue", "musique_corpus", "musique_queries50"),
    Task("XQuAD en, whole articles", "xquad_en_corpus", "xquad_en_queries595", articles=True),
    Task("XQuAD zh, whole articles", "xquad_zh_corpus", "xquad_zh_queries595", articles=True),
]


@dataclass(slots=True)
class Measured:
    """One way of filling prompts: the pieces for each question, in their order."""

    prompts: list[list[Piece]] = field(default_factory=list)
    wanted: list[frozenset[str]] = field(default_factory=list)

    def at(self, budget: int) -> tuple[float, float]:
        """Return mean recall and mean tokens of prompts within a budget; the first piece is always in."""
        recalls, spent = [], []
        for pieces, wanted in zip(self.prompts, self.wanted, strict=True):
            held: set[str] = set()
            used = 0
            for place, piece in enumerate(pieces):
                if place and used + piece.tokens > budget:
                    break
                used += piece.tokens
                held |= piece.gold & wanted
            recalls.append(len(held) / len(wanted))
            spent.append(used)
        return sum(recalls) / len(recalls), sum(spent) / len(spent)

    def until(self, recall: float) -> dict[str, float | bool]:
        """Return the tokens that the smallest budget takes which reaches a recall, or those of everything."""
        for budget in range(STEP, MOST + STEP, STEP):
            found, tokens = self.at(budget)
            if found >= recall:
                break
        return {"tokens": round(tokens), "recall": round(100 * found, 1), "reached": found >= recall}


def write_articles(corpus: Sequence[dict[str, Any]], folder: Path) -> None:
    """Lay a corpus out as one Markdown file for each title, its paragraphs below headings with their ids."""
    folder.mkdir()
    titles = dict.fromkeys(page["title"] for page in corpus)
    for number, title in enumerate(titles):
        parts = [f"## {page['doc_id']}\n\n{page['text']}" for page in corpus if page["title"] == title]
        (folder / f"{number:03}.md").write_text(f"# {title.replace('_', ' ')}\n\n" + "\n\n".join(parts) + "\n", "utf-8")


def gold_of(task: Task, query: dict[str, Any]) -> Callable[[str, str, int, int], frozenset[str]]:
    """Return what tells the gold evidence in `text[start:end]` of a document."""
    wanted = frozenset(query["gold_ids"])
    answers = [answer.lower() for answer in query.get("answers", [])]

    def document(url: str, text: str, start: int, end: int) -> frozenset[str]:
        return wanted & {Path(url).stem}

    def paragraph(url: str, text: str, start: int, end: int) -> frozenset[str]:
        held = set()
        for found in re.finditer(r"^## (\S+)$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
            inside = text[max(start, found.start()) : min(end, found.end())].lower()
            if found[1] in wanted and any(answer in inside for answer in answers):
                held.add(found[1])
        return frozenset(held)

    return paragraph if task.articles else document


async def gathered_passages(
    question: str, providers: Providers, evidence: EvidenceStore, level: Level
) -> tuple[list[Passage], dict[str, Source]]:
    """Return the passages of a step's first prompt at a level, and their sources by content hash."""
    limit = level.passage_tokens // TOKENS_A_PASSAGE
    found = await gather([question], providers, evidence=evidence, limit=limit, document_hits=level.hits)
    return passages_within(found.passages, level.passage_tokens, MIN_PASSAGES), found.sources


async def prompts(task: Task, query: dict[str, Any], documents: Documents) -> dict[str, list[Piece]]:
    """Return the pieces of each way's prompt for one question."""
    gold = gold_of(task, query)

    def passages(hits: Sequence[Hit]) -> list[Piece]:
        return [
            Piece(
                passage_tokens(hit.text[passage.start : passage.end]),
                gold(hit.url, hit.text, passage.start, passage.end),
            )
            for hit in hits
            for passage in hit.passages or []
        ]

    async def searched(ways: Ways) -> list[Hit]:
        return await documents.search(query["question"], POOL, ways)

    evidence = EvidenceStore(InMemoryStore())
    providers = Providers(documents=[documents])
    shown, sources = await gathered_passages(query["question"], providers, evidence, LEVELS["quick"])

    async def gathered(some: Sequence[Passage]) -> list[Piece]:
        texts = {key: await evidence.get_text(key) for key in {passage.content_hash for passage in some}}
        return [
            Piece(
                passage_tokens(passage.text),
                gold(sources[passage.content_hash].url, texts[passage.content_hash], passage.start, passage.end),
            )
            for passage in some
        ]

    hybrid, words = await searched("both"), await searched("words")
    in_order = [
        hit.model_copy(update={"passages": sorted(hit.passages or [], key=lambda passage: passage.start)})
        for hit in sorted(hybrid, key=lambda hit: hit.url)
    ]
    return {
        PRODUCT: await gathered(shown),
        "ranked by words and meaning": passages(hybrid),
        "ranked by words (BM25)": passages(words),
        "whole documents, ranked": [
            Piece(passage_tokens(hit.text), gold(hit.url, hit.text, 0, len(hit.text))) for hit in hybrid
        ],
        f"not ranked: the {POOL} passages found, in the folder's order": passages(in_order),
    }


async def measure(task: Task, data: Path, work: Path) -> dict[str, Any]:
    """Ask all questions of a set and compare the prompts."""
    folder, corpus = work / task.corpus, rows(data, task.corpus)
    (write_articles if task.articles else write_corpus)(corpus, folder)
    documents = await open_documents(folder, work / "home")
    ways: dict[str, Measured] = {}
    for query in rows(data, task.queries):
        for way, pieces in (await prompts(task, query, documents)).items():
            pieces_of_way = ways.setdefault(way, Measured())
            pieces_of_way.prompts.append(pieces)
            pieces_of_way.wanted.append(frozenset(query["gold_ids"]))
    recall, tokens = ways.pop(PRODUCT).at(MOST)
    product = {"tokens": round(tokens), "recall": round(100 * recall, 1), "reached": True}
    return {
        "models": documents.models,
        "ways": {PRODUCT: product} | {way: pieces_of_way.until(recall) for way, pieces_of_way in ways.items()},
    }


def table(measured: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    ways = list(next(iter(measured.values()))["ways"])
    lines = [f"| prompt | {' | '.join(measured)} |", "|" + "---|" * (len(measured) + 1)]
    for way in ways:
        found = [figures["ways"][way] for figures in measured.values()]
        cells = [
            f"{figures['tokens']:,}" + (f" ({figures['recall']})" if way == PRODUCT or not figures["reached"] else "")
            for figures in found
        ]
        lines.append(f"| {way} | {' | '.join(cells)} |")
    return "\n".join(lines)


async def main() -> None:
    """Measure all sets, print a table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory() as work:
        measured = {task.name: await measure(task, data, Path(work)) for task in TASKS}
    print(table(measured))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(measured, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
