"""Claim support without a model: the product's check of sentences against quotes, on WiCE's development part.

    python -m benchmarks.support DATA

Asked is whether a claim is supported by its evidence (against partially or not supported) and whether it is not
supported at all (against the rest). The check judges in one go, so no threshold is fitted. Then: which of a page's
sentences bear the claim, as the product ranks them, and what meaning adds where the local model is installed. Writes
`benchmarks/results/support.json`.
"""

import argparse
import asyncio
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import support_choice, support_meaning
from benchmarks.retrieval import rows
from services.evidence.bearing import covered, ranked
from services.evidence.meaning import MODEL
from services.evidence.ranking import bm25
from services.evidence.support import check_support, lexical_share
from services.search.embeddings import embedders
from services.search.tokens import tokens
from services.settings import settings

RESULTS = Path(__file__).parent / "results" / "support.json"
SETS = {"wice_claim_dev": "claims, whole page", "wice_oracle_dev": "claims, gold chunks"}
PASSAGES = (1, 3, 6, 8, 10, 12, 15, 20, 30)
"""Lengths of a passage, in sentences, for which the area is told."""


def figures(truth: Sequence[bool], said: Sequence[bool]) -> dict[str, float]:
    """Return F1 of the positive class and balanced accuracy, in percent."""
    hits = sum(one and other for one, other in zip(truth, said, strict=True))
    rejected = sum(not one and not other for one, other in zip(truth, said, strict=True))
    positives, negatives = sum(truth), len(truth) - sum(truth)
    precision, recall = hits / max(1, sum(said)), hits / max(1, positives)
    return {
        "f1": round(200 * precision * recall / max(1e-9, precision + recall), 1),
        "balanced_accuracy": round(50 * (recall + rejected / max(1, negatives)), 1),
        "precision": round(100 * precision, 1),
        "recall": round(100 * recall, 1),
    }


def ranked_area(truth: Sequence[bool], scores: Sequence[float]) -> float:
    """Return the area under the ROC curve, in percent: how often a positive scores above a negative."""
    positives = [score for score, one in zip(scores, truth, strict=True) if one]
    negatives = [score for score, one in zip(scores, truth, strict=True) if not one]
    wins = sum((one > other) + 0.5 * (one == other) for one in positives for other in negatives)
    return round(100 * wins / max(1, len(positives) * len(negatives)), 1)


def area_spread(truth: Sequence[bool], area: float) -> float:
    """Return the standard error of an area, in percent, after Hanley and McNeil, "The Meaning and Use of the Area" (1982)."""
    one, positives, negatives = area / 100, sum(truth), len(truth) - sum(truth)
    first, second = one / (2 - one) - one**2, 2 * one**2 / (1 + one) - one**2
    variance = one * (1 - one) + (positives - 1) * first + (negatives - 1) * second
    return round(100 * math.sqrt(variance / max(1, positives * negatives)), 1)


def measure(examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Judge each claim by its evidence and compare with the annotation."""
    titles = [[example["meta"].get("claim_title", "")] if "meta" in example else [] for example in examples]
    verdicts = [
        check_support(example["claim"], example["evidence"], title)
        for example, title in zip(examples, titles, strict=True)
    ]
    passed = [not verdict.failing for verdict in verdicts]
    supported = [example["label"] == "supported" for example in examples]
    unsupported = [example["label"] == "not_supported" for example in examples]
    missing = [1 - covered(example["claim"], example["evidence"]) for example in examples]
    scattered = [1 - lexical_share(example["claim"], "\n".join(example["evidence"])) for example in examples]
    reasons: dict[str, int] = {}
    for verdict in verdicts:
        reasons[verdict.failing or "passed"] = reasons.get(verdict.failing or "passed", 0) + 1
    return {
        "claims": len(examples),
        "supported": {
            "check": figures(supported, passed),
            "always supported": figures(supported, [True] * len(passed)),
        },
        "not supported": {
            "check": figures(unsupported, [not one for one in passed]),
            "always not supported": figures(unsupported, [True] * len(passed)),
            "area": [area := ranked_area(unsupported, missing), area_spread(unsupported, area)],
            "area by passage": {
                str(size): ranked_area(
                    unsupported, [1 - covered(example["claim"], example["evidence"], size) for example in examples]
                )
                for size in PASSAGES
            },
            "area_of_word_share": ranked_area(unsupported, scattered),
        },
        "verdicts": dict(sorted(reasons.items())),
    }


def evidence_recall(examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Rank each page's sentences for its claim, and return the share of a set that supports it among the first ones.

    In percent with its standard error, over claims that have any such set; BM25 alone is what they are compared with.
    """
    some = support_choice.bearing_ones(examples)
    orders = {
        "ranked": [ranked(one["claim"], one["evidence"]) for one in some],
        "BM25": [_by_words(one["claim"], one["evidence"]) for one in some],
    }
    return {
        name: {
            f"recall@{depth}": support_choice.with_spread(
                [support_choice.recall(one, order, depth) for one, order in zip(some, found, strict=True)]
            )
            for depth in support_choice.DEPTHS
        }
        for name, found in orders.items()
    }


def _by_words(claim: str, evidence: Sequence[str]) -> list[int]:
    scores = bm25([tokens(text) for text in evidence], tokens(claim))
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))


def main() -> None:
    """Measure all sets, print a table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    measured: dict[str, Any] = {name: measure(rows(data, name)) for name in SETS}
    print("| set | asked | answer | F1 | balanced accuracy |\n|---|---|---|---|---|")
    for name, about in SETS.items():
        for asked in ("supported", "not supported"):
            for answer, one in measured[name][asked].items():
                if isinstance(one, dict):
                    print(f"| {about} | {asked} | {answer} | {one['f1']} | {one['balanced_accuracy']} |")
        print(f"| {about} | not supported | area, its spread | {measured[name]['not supported']['area']} | |")
    pages = rows(data, "wice_claim_dev")
    measured["evidence sentences"] = evidence_recall(pages) | {"choice": support_choice.choice(pages)}
    print(json.dumps(measured["evidence sentences"], indent=1))
    model = next((one for one in embedders(settings()) if one.name.split()[0] == MODEL), None)
    if model is not None:
        within = {name: asyncio.run(support_meaning.within(rows(data, name), model)) for name in SETS}
        across = asyncio.run(support_meaning.across(data, model))
        measured["meaning"] = {"model": model.name, "one language": within, "two languages": across}
        print(json.dumps(measured["meaning"], ensure_ascii=False, indent=1))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(measured, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
