"""Three search services side by side against the best of them alone, where no service has all documents.

    python -m benchmarks.providers DATA [--questions 100]

`DATA` holds HotpotQA as `benchmarks/retrieval.py` reads it. Each of three services on loopback has a part of the documents, dealt out by
a hash of their ids, ranks it by words (BM25) and answers in JSON. A file of records, as an operator writes one
(`LEADLINE_SEARCH_SERVICES`), leads the product's own client there; a run's choice (`north+south+west`) asks them, and the
researcher's gathering fuses what comes back. Recall at 10 of the documents that answer. Writes `results/providers.json`.
"""

import argparse
import asyncio
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean
from typing import Any
from urllib.parse import parse_qs, urlsplit

from langgraph.store.memory import InMemoryStore

from benchmarks.environment import plain_environment
from benchmarks.retrieval import rows
from schemas.context import RunContext
from services.run.evidence_store import EvidenceStore
from services.run.settings import forget_settings
from services.search.gather import gather
from services.search.hit import Hit, SearchProvider
from services.search.providers import Providers
from services.search.web import forget_web, web_search
from services.text.ranking import bm25
from services.text.tokens import tokens
from tests.fakes.http import Reply, Request, serving

RESULTS = Path(__file__).parent / "results" / "providers.json"
NAMES = ("north", "south", "west")
TOGETHER = "+".join(NAMES)
SETTING = "LEADLINE_SEARCH_SERVICES"
WHOLE = "whole"
"""A service that has every document: what more services could reach at most."""
DEPTH = 10
"""Documents that count: recall at this many."""
PASSAGES = 3 * DEPTH
"""Passages that the gathering is asked for: a document may have several."""

Document = dict[str, Any]
Held = dict[str, list[Document]]
"""The documents of each service."""
Deal = Callable[[str], set[str]]
"""From the id of a document to the services that have it."""


def _in_one(name: str) -> set[str]:
    return {NAMES[_hash(name) % len(NAMES)]}


def _in_two(name: str) -> set[str]:
    return set(NAMES) - _in_one(name)


def _in_one_or_two(name: str) -> set[str]:
    return _in_one(name) if _hash(f"how many have {name}") % 2 else _in_two(name)


DEALS: dict[str, Deal] = {
    "each document in one": _in_one,
    "half in one, half in two": _in_one_or_two,
    "each document in two": _in_two,
}


def _hash(text: str) -> int:
    """Return a number that is the same in every process."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


class Service:
    """A search service: its documents, ranked by words."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._terms = [tokens(f"{document['title']} {document['text']}") for document in documents]

    def answer(self, request: Request) -> Reply:
        """Answer a search: `q` is what is searched for, `n` how many results are wanted."""
        asked = parse_qs(urlsplit(request.path).query)
        scores = bm25(self._terms, tokens(asked["q"][0]))
        ranked = sorted(range(len(scores)), key=lambda place: -scores[place])[: int(asked["n"][0])]
        found = [self._documents[place] for place in ranked if scores[place] > 0]
        return Reply(body={"found": [{**document, "url": address_of(document["doc_id"])} for document in found]})


def address_of(name: str) -> str:
    """Return the address under which a document is found: each on a site of its own, so that no site's share is limited."""
    return f"https://{name}.example/"


def name_at(address: str) -> str:
    """Return the id of the document at an address."""
    return (urlsplit(address).hostname or "").removesuffix(".example")


def record(name: str, address: str) -> str:
    """Return a service's record as an operator writes it."""
    return f"""
[{name}]
title = "The {name} service"
address = "{address}"
path = "/search"
parameters = {{ q = "{{query}}", n = "{{limit}}" }}
results = "found"
[{name}.fields]
url = "url"
title = "title"
text = "text"
"""


@contextmanager
def served(held: Held) -> Iterator[None]:
    """Serve the services until the block ends, and let the settings name the file of their records."""
    before = os.environ.get(SETTING)
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        stack.callback(_set, before)
        records = [
            record(name, stack.enter_context(serving(Service(documents).answer))) for name, documents in held.items()
        ]
        file = Path(folder) / "services.toml"
        file.write_text("".join(records), "utf-8")
        _set(str(file))
        yield


def _set(file: str | None) -> None:
    """Let the settings name a file of records, or none."""
    if file is None:
        os.environ.pop(SETTING, None)
    else:
        os.environ[SETTING] = file
    forget_settings()
    forget_web()


class Recorded:
    """A search that remembers which documents it brought."""

    def __init__(self, search: SearchProvider) -> None:
        self._search, self.name = search, search.name
        self.brought: set[str] = set()

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Search as the one behind it does."""
        hits = await self._search.search(query, limit)
        self.brought |= {name_at(hit.url) for hit in hits}
        return hits


async def found(question: str, choice: str) -> tuple[list[str], set[str]]:
    """Return the documents of the first passages that a choice of searches brings to a question, and all that a search brought.

    Raises:
        RuntimeError: a service failed, so that the figures would not be those of three.
    """
    searches = [Recorded(search) for search in web_search(RunContext(search=choice))]
    gathered = await gather(
        [question], Providers(web=list(searches)), evidence=EvidenceStore(InMemoryStore()), limit=PASSAGES
    )
    if gathered.failures:
        raise RuntimeError("; ".join(gathered.failures))
    addresses = [gathered.sources[passage.content_hash].url for passage in gathered.passages]
    first = list(dict.fromkeys(map(name_at, addresses)))[:DEPTH]
    return first, set().union(*(search.brought for search in searches))


async def measure(corpus: Sequence[Document], queries: Sequence[Document]) -> dict[str, Any]:
    """Return recall of each service alone, of the three side by side, and of one that has everything, in each deal."""
    figures: dict[str, Any] = {}
    for deal, holders in DEALS.items():
        parts = {name: [document for document in corpus if name in holders(document["doc_id"])] for name in NAMES}
        with served({**parts, WHOLE: list(corpus)}):
            recalls = {choice: await recall(queries, choice) for choice in (*NAMES, TOGETHER, WHOLE)}
        figures[deal] = {
            "documents": {name: len(documents) for name, documents in parts.items()},
            "alone": {name: recalls[name] for name in NAMES},
            "best alone": max((recalls[name] for name in NAMES), key=lambda one: one["recall@10"]),
            "side by side": recalls[TOGETHER],
            "one with all documents": recalls[WHOLE],
        }
    return figures


async def recall(queries: Sequence[Document], choice: str) -> dict[str, float]:
    """Return, in percent, gold documents among the first ten, questions with all of theirs, and gold in any place."""
    among_first, anywhere = [], []
    for query in queries:
        gold = set(query["gold_ids"])
        first, brought = await found(query["question"], choice)
        among_first.append(len(gold.intersection(first)) / len(gold))
        anywhere.append(len(gold & brought) / len(gold))
    return {
        "recall@10": round(100 * mean(among_first), 1),
        "all": round(100 * mean(share == 1 for share in among_first), 1),
        "brought": round(100 * mean(anywhere), 1),
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    lines = [
        f"| documents | {' | '.join(NAMES)} | best alone | side by side | brought by the three | one with all documents |",
        "|" + "---|" * (len(NAMES) + 5),
    ]
    for deal, of_deal in figures.items():
        three = of_deal["side by side"]
        shown = [*of_deal["alone"].values(), of_deal["best alone"], three]
        columns = [f"{one['recall@10']:.1f} / {one['all']:.0f}" for one in shown]
        whole = of_deal["one with all documents"]
        columns += [f"{three['brought']:.1f}", f"{whole['recall@10']:.1f} / {whole['all']:.0f}"]
        lines.append(f"| {deal} | {' | '.join(columns)} |")
    return "\n".join(lines)


async def main() -> None:
    """Measure, write the results and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--questions", type=int, default=100, help="only the first ones")
    chosen = parser.parse_args()
    for name in os.environ.keys() - plain_environment().keys():
        del os.environ[name]
    queries = rows(chosen.data, "hotpotqa_queries100")[: chosen.questions]
    figures = await measure(rows(chosen.data, "hotpotqa_corpus"), queries)
    RESULTS.write_text(json.dumps({"questions": len(queries), "deals": figures}, indent=1) + "\n", "utf-8")
    print(table(figures))


if __name__ == "__main__":
    asyncio.run(main())
