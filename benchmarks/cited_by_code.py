"""What code cites for sentences that cite nothing: each claim of the benchmark, without its citation, among other passages.

    python -m benchmarks.cited_by_code DATA

A claim is looked for among its own passages and 20 others, and among all passages of its set. A right claim should be
cited to its own passage, a wrong one to none: what the check of cited sentences lets pass (`benchmarks.support`) passes
here too, and what matters is that no other passage is found for it. Writes `benchmarks/results/cited_by_code.json`.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.claims import claim_sets
from schemas.evidence import Excerpt
from services.reports.checking.claim_check import ClaimCheck
from services.reports.checking.code_citations import CodeCitations
from services.reports.labels import ENGLISH

RESULTS = Path(__file__).parent / "results" / "cited_by_code.json"
OTHERS = 20
"""Passages beside a claim's own."""


def measure(claims: Sequence[Mapping[str, Any]], others: int | None) -> dict[str, Any]:
    """Count what code cites for claims.

    Args:
        claims: of one set.
        others: passages among which each is looked for besides its own; None for all of the set.
    """
    pool = {
        passage: title for claim in claims for passage, title in zip(claim["passages"], claim["titles"], strict=True)
    }
    chance = random.Random(1)  # noqa: S311 - it chooses passages, and keeps no secret
    counts: dict[str, Counter[str]] = {"supported": Counter(), "unsupported": Counter()}
    started = time.process_time()
    for claim in claims:
        own = list(dict.fromkeys(claim["passages"]))
        rest = [passage for passage in pool if passage not in own]
        shown = own + (rest if others is None else chance.sample(rest, min(others, len(rest))))
        chance.shuffle(shown)
        excerpts = [
            Excerpt(id=f"E1-{place}", content_hash=pool[passage], quote=passage, start=0, end=len(passage))
            for place, passage in enumerate(shown, 1)
        ]
        titles = {title: title for title in pool.values()}
        by_id = {excerpt.id: excerpt for excerpt in excerpts}
        check = ClaimCheck(by_id, titles, {}, {}, "", ENGLISH, citing=CodeCitations(excerpts, titles))
        judged = check.sentence(claim["claim"], ())
        cited = [by_id[key].quote for key in judged.citations] if judged else []
        counts[claim["label"]]["none" if not cited else "own" if cited[0] in own else "another"] += 1
    seconds = time.process_time() - started
    return {
        **{label: dict(count) for label, count in counts.items()},
        "ms a claim": round(1000 * seconds / len(claims)),
    }


def main() -> None:
    """Measure all sets, print a table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    measured = {
        name: {"among 20 others": measure(claims, OTHERS), "among all": measure(claims, None)}
        for name, claims in claim_sets(parser.parse_args().data).items()
    }
    print(
        "| claims | among | right: own, another, none | wrong: own, another, none | ms a claim |\n|---|---|---|---|---|"
    )
    for name, ways in measured.items():
        for among, row in ways.items():
            right, wrong = (
                ", ".join(str(row[label].get(found, 0)) for found in ("own", "another", "none"))
                for label in ("supported", "unsupported")
            )
            print(f"| {name} | {among.removeprefix('among ')} | {right} | {wrong} | {row['ms a claim']} |")
    RESULTS.write_text(json.dumps(measured, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
