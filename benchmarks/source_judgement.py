"""What the judgement of sources does to the ranking of real questions, where the documents are given kinds.

    python -m benchmarks.source_judgement DATA

`DATA` holds HotpotQA as `benchmarks/retrieval.py` reads it. Every document plays a web page of some kind, in two ways: the pages that
answer a question are of one kind and the others of another; or all kinds are dealt out by chance. The ranking by words (BM25) is
compared with what `services/search/source_preference.py` makes of it. Recall at 5 of the pages that answer tells what the judgement
gains where they are of the better kind, and what it loses where they are of the worse.

Confirmation is measured on pages of our own invention (`invented`): of each thing two owners give the right figure, one of them low in
the ranking, and others tell of other things about it, half of them with the same number. How often `confirmed_figures.py` finds the pair, how often it takes
another page for confirmed, and where the pages with the right figure stand, without and with what confirmation weighs. Writes
`results/source_judgement.json`.
"""

import argparse
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import mean
from typing import get_args

from benchmarks.retrieval import rows
from schemas.evidence import SourceCategory
from services.search.confirmed_figures import confirmed
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
INVENTED: dict[str, tuple[list[str], list[tuple[str, str]], list[str]]] = {
    "English": (
        [
            f"the {name} {kind}"
            for name in ("Orvel", "Tasken", "Brimholt", "Quenlow", "Sarvik")
            for kind in ("dam", "canal", "tunnel", "bridge")
        ],
        [
            (
                "By the survey of the water board {} has a total length of {n} metres.",
                "Engineers who measured {} last year give a length of {n} metres for all of it.",
            ),
            (
                "When {} was finished, workers had moved {n} tonnes of granite for it.",
                "The parish chronicle says that {n} tonnes of granite were needed before {} was finished.",
            ),
        ],
        [
            "Visitors who come for the view find a path along {} and a café at its end.",
            "The ferry that crosses above {} is {n} metres away from the nearest inn.",
            "A ticket for the boat below {} costs {n} crowns in summer.",
            "The mayor promised new lamps for {}, and nobody has seen them yet.",
            "The museum near {} keeps {n} photographs of the works.",
            "In winter {} is closed for {n} hours a season, says the county.",
            "Painters have come to {} for two hundred years.",
            "The old mill beside {} ground {n} tonnes of rye a year.",
        ],
    ),
    "Chinese": (
        [
            f"{name}{kind}"
            for name in ("奥维", "塔斯肯", "布林", "昆洛", "萨维")
            for kind in ("大坝", "运河", "隧道", "大桥")
        ],
        [
            ("据水务局测量，{}全长{n}米。", "去年测量过{}的工程师称，它全长为{n}米。"),
            ("{}竣工时，工人共运走花岗岩{n}吨。", "地方志记载，修建{}共用去花岗岩{n}吨。"),
        ],
        [
            "游客沿着{}散步，尽头有一家咖啡馆。",
            "{}上游的渡口离最近的客栈有{n}米。",
            "夏天在{}下乘船的票价为{n}元。",
            "市长答应为{}换上新灯，至今没有人见到。",
            "{}旁边的博物馆收藏了{n}张施工照片。",
            "据县里说，{}每年冬天关闭{n}小时。",
            "两百年来，画家们常到{}写生。",
            "{}旁的老磨坊每年磨麦{n}吨。",
        ],
    ),
}
"""For each language: things, ways in which two owners give a figure of one, and what other pages say. None of it is real."""
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


@dataclass(frozen=True, slots=True)
class Page:
    """A page of one owner on a thing."""

    text: str
    right: bool
    """Whether it gives the figure that another owner gives, too."""


def invented(chance: random.Random, thing: str, texts: Sequence[tuple[str, str]], others: Sequence[str]) -> list[Page]:
    """Return pages on a thing, best first: two with the right figure, somewhere among the others.

    Args:
        chance: says where the right ones stand and what the figures are.
        thing: what they are about.
        texts: two ways to say the figure; `{}` is the thing, `{n}` the figure.
        others: what the other pages say; half of their figures are the same number, of something else.
    """
    figure, another = chance.sample(range(1_200, 9_800), 2)
    pages = [Page(text.format(thing, n=chance.choice([figure, another])), right=False) for text in others]
    for text in chance.choice(texts):
        pages.insert(chance.randrange(len(pages) + 1), Page(text.format(thing, n=figure), right=True))
    return pages


def confirmation() -> dict[str, dict[str, float]]:
    """Return what is found confirmed, in percent, and the mean place of the right pages without and with its weight."""
    chance = random.Random(SEED)  # noqa: S311 - invents pages, and guards nothing
    table = {}
    for language, (things, texts, others) in INVENTED.items():
        found, mistaken, before, after = [], [], [], []
        for thing in things:
            pages = invented(chance, thing, texts, others)
            hits = [Hit(url=f"https://owner{n}.example/p", title="", kind="web", text="") for n in range(len(pages))]
            places = range(len(pages))
            held = confirmed(places, [page.text for page in pages].__getitem__, hits.__getitem__)
            right = [place for place in places if pages[place].right]
            judged = Preference.of(thing, TODAY).ordered(places, hits.__getitem__, held)
            found.append(held.issuperset(right))
            mistaken.append(len(held.difference(right)) / (len(pages) - len(right)))
            before.append(mean(place + 1 for place in right))
            after.append(mean(judged.index(place) + 1 for place in right))
        table[f"confirmation, {language}"] = {
            "found": round(100 * mean(found), 1),
            "mistaken": round(100 * mean(mistaken), 1),
            "mean place without": round(mean(before), 2),
            "mean place with": round(mean(after), 2),
        }
    return table


def main() -> None:
    """Measure, write the results and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.source_judgement")
    parser.add_argument("data", type=Path, help="folder of the data sets")
    table = {**measure(rankings(parser.parse_args().data)), **confirmation()}
    RESULTS.write_text(json.dumps(table, indent=1) + "\n")
    for name, figures in table.items():
        print(f"{name}: {', '.join(f'{what} {figure}' for what, figure in figures.items())}")


if __name__ == "__main__":
    main()
