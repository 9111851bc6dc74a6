"""What the judgement of sources does to the ranking of real questions, where the documents are given kinds.

    python -m benchmarks.source_judgement DATA

`DATA` holds HotpotQA as `benchmarks/retrieval.py` reads it. Every document plays a web page of some kind, in two ways: the pages that
answer a question are of one kind and the others of another; or all kinds are dealt out by chance. The ranking by words (BM25) is
compared with what `services/search/source_preference.py` makes of it. Recall at 5 of the pages that answer tells what the judgement
gains where they are of the better kind, and what it loses where they are of the worse.

Writes `results/source_judgement.json`.
"""

import argparse
import json
import random
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from statistics import mean
from typing import get_args

from benchmarks.retrieval import rows
from schemas.evidence import SourceCategory
from services.search.hit import Hit
from services.search.source_preference import Preference
from services.text.ranking import bm25
from services.text.tokens import tokens

RESULTS = Path(__file__).parent / "results" / "source_judgement.json"
TODAY, SEED, RANKED, DEPTH = date(2026, 11, 23), 13, 30, 5
ADDRESSES: dict[SourceCategory, str] = {
    "general": "https://site{}.example/page",
    "academic": "https://arxiv.org/abs/{}",
    "news": "https://www.reuters.com/world/{}",
    "code": "https://github.com/someone/{}",
    "official": "https://office{}.gov/report",
    "reference": "https://en.wikipedia.org/wiki/{}",
    "forum": "https://www.reddit.com/r/wire/{}",
    "company": "https://maker{}.example/products/wire",
    "personal": "https://writer{}.substack.com/p/wire",
}
Deal = Callable[[bool, random.Random], SourceCategory]
"""Gives a page its kind; it is told whether the page answers."""
WORLDS: dict[str, tuple[Deal, tuple[SourceCategory, ...]]] = {
    "all of one kind": (lambda answers, chance: "general", ()),
    "official answers, others general": (lambda answers, chance: "official" if answers else "general", ()),
    "a forum answers, others general": (lambda answers, chance: "forum" if answers else "general", ()),
    "official answers, others forums": (lambda answers, chance: "official" if answers else "forum", ()),
    "a forum answers, others official": (lambda answers, chance: "forum" if answers else "official", ()),
    "kinds by chance": (lambda answers, chance: chance.choice(get_args(SourceCategory)), ()),
    "news answers, a tenth of the others news, news preferred": (
        lambda answers, chance: "news" if answers or chance.random() < 0.1 else "general",
        ("news",),
    ),
    "general answers, a tenth of the others news, news preferred": (
        lambda answers, chance: "news" if not answers and chance.random() < 0.1 else "general",
        ("news",),
    ),
}


def rankings(data: Path) -> list[tuple[str, list[int], set[int]]]:
    """Return of each question the best documents by words, and those that answer it, by their places in the corpus."""
    corpus = rows(data, "hotpotqa_corpus")
    texts = [tokens(f"{document['title']} {document['text']}") for document in corpus]
    places = {document["doc_id"]: place for place, document in enumerate(corpus)}
    found = []
    for query in rows(data, "hotpotqa_queries100"):
        scores = bm25(texts, tokens(query["question"]))
        best = sorted(range(len(corpus)), key=lambda place: -scores[place])[:RANKED]
        found.append((query["question"], best, {places[name] for name in query["gold_ids"]}))
    return found


def measure(found: Sequence[tuple[str, list[int], set[int]]]) -> dict[str, dict[str, float]]:
    """Return recall at 5 in percent, without and with the judgement, in each world."""
    table = {}
    for name, (deal, preferred) in WORLDS.items():
        chance = random.Random(SEED)  # noqa: S311 - deals kinds out, and guards nothing
        before, after = [], []
        for question, ranked, answering in found:
            hits = {
                place: Hit(url=ADDRESSES[deal(place in answering, chance)].format(place), title="", kind="web", text="")
                for place in ranked
            }
            judged = Preference.of(question, TODAY, preferred=preferred).ordered(ranked, hits.__getitem__)
            before.append(len(answering.intersection(ranked[:DEPTH])) / len(answering))
            after.append(len(answering.intersection(judged[:DEPTH])) / len(answering))
        table[name] = {"without": round(100 * mean(before), 1), "with": round(100 * mean(after), 1)}
    return table


def main() -> None:
    """Measure, write the results and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.source_judgement")
    parser.add_argument("data", type=Path, help="folder of the data sets")
    table = measure(rankings(parser.parse_args().data))
    RESULTS.write_text(json.dumps(table, indent=1) + "\n")
    for name, figures in table.items():
        print(f"{name}: {', '.join(f'{what} {figure}' for what, figure in figures.items())}")


if __name__ == "__main__":
    main()
