"""Claim support without a model: the product's check of sentences, on WiCE's development part and on claims written for it.

    python -m benchmarks.support DATA

Of WiCE is asked whether a claim is supported by its evidence, against partially or not supported. `claims_en.jsonl` and `claims_zh.jsonl` hold right paraphrases, and claims that are wrong in one way,
by kind, with their passages. A passage is an invented text, or names a part of a document of the data: its corpus, the document and
where it starts and ends; the text itself stays outside of the project. Passages of the part `choose` may be looked at while the check
is changed, those of the part `report` only to be measured. Claims that name a `set` were written later than the others, before the
check was measured on them, and are counted apart. Writes `benchmarks/results/support.json`.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measurement import RESULTS, write_results
from benchmarks.retrieval import rows
from services.check.support import check_support

OWN = Path(__file__).parent
KINDS = {"claim": "claims, whole page", "oracle": "claims, gold chunks"}
"""Files of the data are named `wice_<kind>_<part>`."""


def claim_sets(data: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the claims by set: those of the data, and our own by language, part and, for later ones, the set that they name.

    Claims on documents that the data does not hold are left out.
    """
    texts = _Texts(data)
    sets = {"claims_dev": rows(data, "claims_dev")} if (data / "claims_dev.jsonl.gz").exists() else {}
    for language in ("en", "zh"):
        lines = (OWN / f"claims_{language}.jsonl").read_text("utf-8").splitlines()
        for claim in map(json.loads, lines):
            later = f"_{claim['set']}" if "set" in claim else ""
            passages = [passage if isinstance(passage, str) else texts.part(passage) for passage in claim["passages"]]
            if None not in passages:
                named = f"claims_{language}_{claim['part']}{later}"
                sets.setdefault(named, []).append({**claim, "passages": passages})
    return sets


class _Texts:
    """The documents of the data, read when a passage names one."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._corpora: dict[str, dict[str, str]] = {}

    def part(self, passage: Mapping[str, Any]) -> str | None:
        """Return the text of a passage; None where the data does not hold its corpus."""
        corpus = passage["corpus"]
        if corpus not in self._corpora:
            there = (self._data / f"{corpus}.jsonl.gz").exists()
            self._corpora[corpus] = {row["doc_id"]: row["text"] for row in rows(self._data, corpus)} if there else {}
        text = self._corpora[corpus].get(passage["doc_id"])
        return None if text is None else text[passage["start"] : passage["end"]]


def measure_claims(claims: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Judge claims, and count by label, kind and status which pass; claims that are judged wrongly are listed."""
    passed: dict[str, dict[str, list[bool]]] = {"supported": defaultdict(list), "unsupported": defaultdict(list)}
    failing = []
    right_of: dict[str, list[bool]] = defaultdict(list)
    for claim in claims:
        verdict = check_support(claim["claim"], claim["passages"], claim["titles"])
        reason = verdict.fault
        status = "unproved" if verdict.certain else "suspected" if reason else "supported"
        right_of[status].append(claim["label"] == "supported")
        passed[claim["label"]][claim["kind"]].append(not reason)
        if (claim["label"] == "supported") is bool(reason):
            failing.append({"claim": claim["claim"], "kind": claim["kind"], "fault": reason})
    right = [ok for kind in passed["supported"].values() for ok in kind]
    wrong = [not ok for kind in passed["unsupported"].values() for ok in kind]
    return {
        "right": len(right),
        "right passed": _share(right),
        "wrong": len(wrong),
        "wrong caught": _share(wrong),
        "right by kind": {kind: f"{sum(ok)} of {len(ok)}" for kind, ok in sorted(passed["supported"].items())},
        "wrong by kind": {
            kind: f"{len(ok) - sum(ok)} of {len(ok)}" for kind, ok in sorted(passed["unsupported"].items())
        },
        "right by status": {status: f"{sum(ok)} of {len(ok)}" for status, ok in sorted(right_of.items())},
        "judged wrongly": failing,
    }


def _share(values: Sequence[bool]) -> float:
    return round(100 * sum(values) / max(1, len(values)), 1)


def measure_wice(examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Judge each claim by its evidence and compare with the annotation."""
    titles = [[example["meta"].get("claim_title", "")] if "meta" in example else [] for example in examples]
    verdicts = [
        check_support(example["claim"], example["evidence"], title)
        for example, title in zip(examples, titles, strict=True)
    ]
    passed = [not verdict.fault for verdict in verdicts]
    supported = [example["label"] == "supported" for example in examples]
    return {
        "claims": len(examples),
        "supported": {
            "check": classified(supported, passed),
            "always supported": classified(supported, [True] * len(passed)),
        },
        "verdicts": dict(sorted(Counter(verdict.fault or "passed" for verdict in verdicts).items())),
    }


def classified(truth: Sequence[bool], answers: Sequence[bool]) -> dict[str, float]:
    """Return F1 of the positive class and balanced accuracy, in percent."""
    hits = sum(expected and answer for expected, answer in zip(truth, answers, strict=True))
    rejected = sum(not expected and not answer for expected, answer in zip(truth, answers, strict=True))
    positives, negatives = sum(truth), len(truth) - sum(truth)
    precision, recall = hits / max(1, sum(answers)), hits / max(1, positives)
    return {
        "f1": round(200 * precision * recall / max(1e-9, precision + recall), 1),
        "balanced_accuracy": round(50 * (recall + rejected / max(1, negatives)), 1),
        "precision": round(100 * precision, 1),
        "recall": round(100 * recall, 1),
    }


def _named(data: Path, kind: str) -> list[str]:
    return sorted(file.name.removesuffix(".jsonl.gz") for file in data.glob(f"wice_{kind}_*.jsonl.gz"))


def main() -> None:
    """Measure all sets, print a table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    sets = {name: about for kind, about in KINDS.items() for name in _named(data, kind)}
    measured: dict[str, Any] = {name: measure_wice(rows(data, name)) for name in sets}
    print("| set | answer | F1 | balanced accuracy |\n|---|---|---|---|")
    for name, about in sets.items():
        for answer, row in measured[name]["supported"].items():
            print(f"| {about} | {answer} | {row['f1']} | {row['balanced_accuracy']} |")
    measured["claims"] = {name: measure_claims(claims) for name, claims in claim_sets(data).items()}
    print("\n| claims | right ones passed | wrong ones caught |\n|---|---|---|")
    for name, counts in measured["claims"].items():
        print(
            f"| {name} | {counts['right passed']} % of {counts['right']} | {counts['wrong caught']} % of {counts['wrong']} |"
        )
    write_results(RESULTS / "support.json", measured)


if __name__ == "__main__":
    main()
