"""What meaning adds to the check of claims: a threshold is chosen on one half of the data and measured on the other.

Called by `benchmarks/support.py`. Within one language the cosine of a claim with the nearest sentence of its evidence is
asked on top of the check. Across languages it is what the product asks: XQuAD's parallel paragraphs give sentences whose
translation the other language's paragraph holds, and the same sentences with a paragraph that does not hold it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.classification import figures
from benchmarks.retrieval import rows
from services.check.support import MEANING, check_support
from services.embedding.cross_lingual import cosines
from services.embedding.models import Embedder
from services.text.passages import sentences

STEPS = [place / 50 for place in range(51)]
"""Thresholds that are tried."""
_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence with its evidence, and what is known of the two."""

    group: str
    """Cases of one group are in one half."""
    claim: str
    evidence: Sequence[str]
    title: str
    supported: bool

    @property
    def half(self) -> int:
        """Return which half the case is in."""
        return hashlib.sha256(self.group.encode()).digest()[0] % 2


def accuracy(truth: Sequence[bool], said: Sequence[bool]) -> tuple[float, float]:
    """Return F1 of the positive class and balanced accuracy, in percent."""
    found = figures(truth, said)
    return found["f1"], found["balanced_accuracy"]


async def within(examples: Sequence[dict[str, Any]], model: Embedder) -> dict[str, Any]:
    """Measure the check with and without a threshold of meaning on top, in one language."""
    cases = [
        Case(
            example["meta"]["id"],
            example["claim"],
            example["evidence"],
            example["meta"]["claim_title"],
            example["label"] == "supported",
        )
        for example in examples
    ]
    passed = [not check_support(case.claim, case.evidence, [case.title]).fault for case in cases]
    near = await _cosines(cases, model)
    found: dict[str, Any] = {}
    for half in (0, 1):
        tuning = [place for place, case in enumerate(cases) if case.half == half]
        held = [place for place, case in enumerate(cases) if case.half != half]
        best = max(STEPS, key=lambda bar: (_figures(cases, tuning, [p and c >= bar for p, c in zip(passed, near, strict=True)])[0], -bar))  # fmt: skip
        found[f"half {2 - half}"] = {
            "claims": len(held),
            "check": _figures(cases, held, passed),
            "check and meaning": _figures(cases, held, [p and c >= best for p, c in zip(passed, near, strict=True)]),
            "threshold from the other half": best,
        }
    return found


async def across(data: Path, model: Embedder) -> dict[str, Any]:
    """Measure the check of sentences against paragraphs in another language, with and without meaning."""
    english, chinese = rows(data, "xquad_en_corpus"), rows(data, "xquad_zh_corpus")
    found: dict[str, Any] = {}
    for name, claims, evidence in (
        ("Chinese sentences, English evidence", chinese, english),
        ("English sentences, Chinese evidence", english, chinese),
    ):
        cases = _parallel(claims, evidence)
        near = await _cosines(cases, model)
        plain = [not check_support(case.claim, case.evidence).fault for case in cases]

        def judged(bar: float, cases: Sequence[Case] = cases, near: Sequence[float] = near) -> list[bool]:
            scale = MEANING - bar  # `check_support` compares with its own threshold
            verdicts = (
                check_support(case.claim, case.evidence, likeness=lambda *_, c=c: c + scale)
                for case, c in zip(cases, near, strict=True)
            )
            return [not verdict.fault for verdict in verdicts]

        tuning = [place for place, case in enumerate(cases) if case.half == 0]
        held = [place for place, case in enumerate(cases) if case.half == 1]
        bars = STEPS[15:40]
        scores = {bar: _figures(cases, tuning, judged(bar))[1] for bar in bars}
        found[name] = {
            "claims": len(held),
            "check": _figures(cases, held, plain),
            "check and meaning": _figures(cases, held, judged(MEANING)),
            "balanced accuracy by threshold, tuning half": {str(bar): scores[bar] for bar in bars[::5]},
            "best threshold of the tuning half": max(scores, key=lambda bar: (scores[bar], -bar)),
        }
    return found


def _figures(cases: Sequence[Case], places: Sequence[int], said: Sequence[bool]) -> tuple[float, float]:
    return accuracy([cases[place].supported for place in places], [said[place] for place in places])


async def _cosines(cases: Sequence[Case], model: Embedder) -> list[float]:
    found: list[float] = []
    for start in range(0, len(cases), 50):
        found += await cosines([(case.claim, case.evidence) for case in cases[start : start + 50]], model)
    return found


def _parallel(claims: Sequence[dict[str, Any]], evidence: Sequence[dict[str, Any]]) -> list[Case]:
    """Pair each sentence with the parallel paragraph, with its neighbour, and with it less the parallel sentence."""
    cases: list[Case] = []
    for place, (own, other) in enumerate(zip(claims, evidence, strict=True)):
        said, parts = _sentences(own["text"]), _sentences(other["text"])
        near = [
            sentence
            for sentence in evidence[max(0, place - 1) : place + 2]
            if sentence is not other and sentence["title"] == other["title"]
        ]
        for number, claim in enumerate(said):
            cases.append(Case(own["title"], claim, parts, "", True))
            if near:
                cases.append(Case(own["title"], claim, _sentences(near[-1]["text"]), "", False))
            if len(said) == len(parts) > 1:
                cases.append(Case(own["title"], claim, parts[:number] + parts[number + 1 :], "", False))
    return cases


def _sentences(text: str) -> list[str]:
    return [part for span in sentences(text) if len(part := text[span.start : span.end]) >= _SHORTEST]
