"""What passes for an inference: conclusions that follow, and wrong claims that are marked as inferred from their passages.

`inferences.jsonl` holds invented premises with conclusions that follow and with wrong ones, each wrong in one way. The part
`choose` may be looked at while the rules are changed, the part `report` only to be measured. `claims.py` holds claims that
are wrong in one way; marked as inference, they are to be refused. Each is tried with its passages whole, with every sentence
of them as an excerpt of its own, and also behind words that announce a conclusion.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.claims import OWN, claim_sets
from services.evidence.inference import check_marked
from services.text.passages import sentences
from services.text.tokens import has_cjk

LEADS = {
    "as written": ("", ""),
    "therefore": ("Therefore, ", "因此，"),
    "suggests": ("This suggests that ", "这表明，"),
}


def conclusions(part: str) -> list[dict[str, Any]]:
    """Return the conclusions of a part, right and wrong ones."""
    lines = (OWN / "inferences.jsonl").read_text("utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["part"] == part]


def outcome(text: str, quotes: Sequence[str], titles: Sequence[str], question: str = "") -> str:
    """Return what a sentence that is marked as inference counts as: `inferred`, `supported`, `unverified` or `contradicted`."""
    kind, verdict = check_marked(text, quotes, titles, question=question)
    if verdict.failing:
        return "contradicted" if verdict.refutes else "unverified"
    return "inferred" if kind == "conclusion" else "supported"


def of_claim(claim: Mapping[str, Any], *, lead: str = "as written", split: bool = False) -> str:
    """Return what a claim counts as that is marked as inferred from its passages.

    Args:
        claim: of `claims.py`.
        lead: of `LEADS`.
        split: each sentence of the passages is an excerpt of its own.
    """
    text, premises = claim["claim"], list(zip(claim["passages"], claim["titles"], strict=True))
    if split:
        premises = [(text[span.start : span.end], title) for text, title in premises for span in sentences(text)]
    return outcome(
        LEADS[lead][has_cjk(text)] + text, [quote for quote, _ in premises], [title for _, title in premises]
    )


def measure(data: Path) -> dict[str, Any]:
    """Count what right and wrong conclusions, and wrong claims by their kinds, count as."""
    result: dict[str, Any] = {}
    for part in ("choose", "report"):
        for row in conclusions(part):
            counts = result.setdefault(f"{row['label']}, {row['language']}, {part}", Counter())
            counts[outcome(row["claim"], row["premises"], row["titles"], row["question"])] += 1
    for name, claims in claim_sets(data).items():
        wrong = [claim for claim in claims if claim["label"] != "supported"]
        for lead in LEADS:
            for split in (False, True):
                counted = Counter(of_claim(claim, lead=lead, split=split) for claim in wrong)
                result[f"wrong claims, {name}, {lead}, {'sentences' if split else 'passages'}"] = counted
        passed = Counter(claim["kind"] for claim in wrong if of_claim(claim) == "inferred")
        result[f"inferred by kind, {name}"] = passed
    return result


if __name__ == "__main__":
    figures = measure(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data"))
    sys.stdout.write(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
