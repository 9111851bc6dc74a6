"""Claim support without a model: the product's check of sentences, on WiCE's development part and on claims written for it.

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
from benchmarks.claims import claim_sets, measure_claims
from benchmarks.classification import figures
from benchmarks.retrieval import rows
from services.check.support import check_support, lexical_share
from services.embedding.cross_lingual import MODEL
from services.embedding.models import embedders
from services.run.settings import settings
from services.text.ranking import bm25
from services.text.sentence_ranking import coverage, rank_sentences
from services.text.tokens import tokens

RESULTS = Path(__file__).parent / "results" / "support.json"
KINDS = {"claim": "claims, whole page", "oracle": "claims, gold chunks"}
"""Files of the data are named `wice_<kind>_<part>`."""
PASSAGES = (1, 3, 6, 8, 10, 12, 15, 20, 30)
"""Lengths of a passage, in sentences, for which the area is told."""


def ranked_area(truth: Sequence[bool], scores: Sequence[float]) -> float:
    """Return the area under the ROC curve, in percent: how often a positive scores above a negative."""
    positives = [score for score, positive in zip(scores, truth, strict=True) if positive]
    negatives = [score for score, positive in zip(scores, truth, strict=True) if not positive]
    wins = sum((former > other) + 0.5 * (former == other) for former in positives for other in negatives)
    return round(100 * wins / max(1, len(positives) * len(negatives)), 1)


def area_spread(truth: Sequence[bool], area: float) -> float:
    """Return the standard error of an area, in percent, after Hanley and McNeil, "The Meaning and Use of the Area" (1982)."""
    former, positives, negatives = area / 100, sum(truth), len(truth) - sum(truth)
    first, second = former / (2 - former) - former**2, 2 * former**2 / (1 + former) - former**2
    variance = former * (1 - former) + (positives - 1) * first + (negatives - 1) * second
    return round(100 * math.sqrt(variance / max(1, positives * negatives)), 1)


def measure(examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Judge each claim by its evidence and compare with the annotation."""
    titles = [[example["meta"].get("claim_title", "")] if "meta" in example else [] for example in examples]
    verdicts = [
        check_support(example["claim"], example["evidence"], title)
        for example, title in zip(examples, titles, strict=True)
    ]
    passed = [not verdict.fault for verdict in verdicts]
    supported = [example["label"] == "supported" for example in examples]
    unsupported = [example["label"] == "not_supported" for example in examples]
    missing = [1 - coverage(example["claim"], example["evidence"]) for example in examples]
    scattered = [1 - lexical_share(example["claim"], "\n".join(example["evidence"])) for example in examples]
    reasons: dict[str, int] = {}
    for verdict in verdicts:
        reasons[verdict.fault or "passed"] = reasons.get(verdict.fault or "passed", 0) + 1
    return {
        "claims": len(examples),
        "supported": {
            "check": figures(supported, passed),
            "always supported": figures(supported, [True] * len(passed)),
        },
        "not supported": {
            "check": figures(unsupported, [not supported for supported in passed]),
            "always not supported": figures(unsupported, [True] * len(passed)),
        },
        "not supported, by the share of words": {
            "one passage": [area := ranked_area(unsupported, missing), area_spread(unsupported, area)],
            "whole page": ranked_area(unsupported, scattered),
            "by sentences of a passage": {
                str(size): ranked_area(
                    unsupported, [1 - coverage(example["claim"], example["evidence"], size) for example in examples]
                )
                for size in PASSAGES
            },
        },
        "verdicts": dict(sorted(reasons.items())),
    }


def evidence_recall(examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Rank each page's sentences for its claim, and return the share of a set that supports it among the first ones.

    In percent with its standard error, over claims that have any such set; BM25 alone is what they are compared with.
    """
    some = support_choice.bearing_ones(examples)
    orders = {
        "ranked": [rank_sentences(example["claim"], example["evidence"]) for example in some],
        "BM25": [_by_words(example["claim"], example["evidence"]) for example in some],
    }
    return {
        name: {
            f"recall@{depth}": support_choice.with_spread(
                [support_choice.recall(example, order, depth) for example, order in zip(some, found, strict=True)]
            )
            for depth in support_choice.DEPTHS
        }
        for name, found in orders.items()
    }


def _by_words(claim: str, evidence: Sequence[str]) -> list[int]:
    scores = bm25([tokens(text) for text in evidence], tokens(claim))
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))


def _named(data: Path, kind: str) -> list[str]:
    return sorted(file.name.removesuffix(".jsonl.gz") for file in data.glob(f"wice_{kind}_*.jsonl.gz"))


def main() -> None:
    """Measure all sets, print a table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    sets = {name: about for kind, about in KINDS.items() for name in _named(data, kind)}
    measured: dict[str, Any] = {name: measure(rows(data, name)) for name in sets}
    print("| set | asked | answer | F1 | balanced accuracy |\n|---|---|---|---|---|")
    for name, about in sets.items():
        for asked in ("supported", "not supported"):
            for answer, row in measured[name][asked].items():
                print(f"| {about} | {asked} | {answer} | {row['f1']} | {row['balanced_accuracy']} |")
    for name, about in sets.items():
        print(f"\nAUROC, {about}: {json.dumps(measured[name]['not supported, by the share of words'])}")
    measured["claims"] = {name: measure_claims(claims, check_support) for name, claims in claim_sets(data).items()}
    print("\n| claims | right ones passed | wrong ones caught |\n|---|---|---|")
    for name, figures_of in measured["claims"].items():
        print(
            f"| {name} | {figures_of['right passed']} % of {figures_of['right']} | "
            f"{figures_of['wrong caught']} % of {figures_of['wrong']} |"
        )
    pages = [row for name in _named(data, "claim") for row in rows(data, name)]
    measured["evidence sentences"] = evidence_recall(pages) | {"choice": support_choice.choice(pages)}
    print(json.dumps(measured["evidence sentences"], indent=1))
    model = next((embedder for embedder in embedders(settings()) if embedder.name.split()[0] == MODEL), None)
    if model is not None:
        within = {name: asyncio.run(support_meaning.within(rows(data, name), model)) for name in sets}
        across = asyncio.run(support_meaning.across(data, model))
        measured["meaning"] = {"model": model.name, "one language": within, "two languages": across}
        print(json.dumps(measured["meaning"], ensure_ascii=False, indent=1))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(measured, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
