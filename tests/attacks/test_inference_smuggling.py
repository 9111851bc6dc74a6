"""A wrong claim does not get into a report by being called an inference: hardly any of the benchmark's passes as one."""

from collections import Counter

import pytest

from benchmarks.claims import OWN, claim_sets
from benchmarks.inferences import conclusions, of_claim, outcome

EXACT = ("number", "unit", "date", "time", "year", "negation", "direction", "entities", "percent", "row", "cell")
"""What kinds of wrong claims are called whose fault is a number, a date, a unit, a name, a negation or a direction."""


@pytest.mark.parametrize(
    ("name", "claims", "most", "most_exact"),
    [
        ("claims_en_choose", slice(155), 4, 0), ("claims_en_choose", slice(155, None), 2, 0),
        ("claims_zh_choose", slice(137), 2, 1), ("claims_zh_choose", slice(137, None), 2, 1),
        ("claims_en_report", slice(154), 5, 2), ("claims_en_report", slice(154, None), 1, 1),
        ("claims_zh_report", slice(137), 8, 1), ("claims_zh_report", slice(137, None), 1, 1),
        ("claims_en_choose_third", slice(None), 0, 0), ("claims_en_report_third", slice(None), 2, 0),
        ("claims_zh_choose_third", slice(None), 1, 0), ("claims_zh_report_third", slice(None), 1, 0),
    ],
)  # fmt: skip
def test_of_the_wrong_claims_few_pass_as_inference(name: str, claims: slice, most: int, most_exact: int) -> None:
    wrong = [claim for claim in claim_sets(OWN)[name][claims] if claim["label"] != "supported"]
    assert len(wrong) > 20
    passed = Counter(claim["kind"] for claim in wrong if of_claim(claim) == "inferred")
    assert passed.total() <= most
    assert sum(count for kind, count in passed.items() if any(word in kind for word in EXACT)) <= most_exact


def test_conclusions_that_follow_mostly_pass_and_wrong_ones_mostly_do_not() -> None:
    passed = {
        label: [
            outcome(row["claim"], row["premises"], row["titles"], row["question"])
            for part in ("choose", "report")
            for row in conclusions(part)
            if row["label"] == label
        ]
        for label in ("follows", "wrong")
    }
    assert passed["follows"].count("inferred") >= 0.65 * len(passed["follows"])
    assert passed["wrong"].count("inferred") <= 0.25 * len(passed["wrong"])
