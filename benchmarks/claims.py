"""Claims written for the benchmark of the check: right paraphrases, and claims that are wrong in one way, by kind.

`claims_en.jsonl` and `claims_zh.jsonl` hold them with their passages. A passage is an invented text, or names a part of a
document of the data: its corpus, the document and where it starts and ends; the text itself stays outside of the project.
Passages of the part `choose` may be looked at while the check is changed, those of the part `report` only to be measured.
Claims that name a `set` were written later than the others, before the check was measured on them, and are counted apart.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.retrieval import rows
from services.check.verdict import Verdict

OWN = Path(__file__).parent
Judge = Callable[[str, Sequence[str], Sequence[str]], Verdict]
"""Takes a claim, its passages and their titles, and returns what fails."""


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


def measure_claims(claims: Sequence[Mapping[str, Any]], judge: Judge) -> dict[str, Any]:
    """Judge claims, and count by label, kind and status which pass; claims that are judged wrongly are listed."""
    passed: dict[str, dict[str, list[bool]]] = {"supported": defaultdict(list), "unsupported": defaultdict(list)}
    failing = []
    right_of: dict[str, list[bool]] = defaultdict(list)
    for claim in claims:
        verdict = judge(claim["claim"], claim["passages"], claim["titles"])
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
