"""Results of a computation by groups are a chart, each time alike."""

import json

import pytest

from schemas.evidence_view import EvidenceView
from services.models.offline.group_charts import group_charts
from tests.services.models.offline.prompts_of import finding, report


def charts_of(quote: str, kind: str = "computation") -> list[dict[str, object]]:
    view = EvidenceView(id="E1-1", title="Computation", kind=kind, quote=quote)
    return [json.loads(block.removeprefix("```chart\n").removesuffix("\n```")) for block in group_charts([view])]


@pytest.mark.parametrize(
    ("quote", "unit", "names", "values"),
    [
        (
            "By method, the mean of depth in soundings.csv (22 rows): wire 8,333.78, piano wire 5,917.5, twine -3.",
            "", ["wire", "piano wire", "twine"], [8333.78, 5917.5, -3],
        ),
        ("By town, the share of x in a.csv (9 rows): A 50%, B 30%, C 20%.", "%", ["A", "B", "C"], [50, 30, 20]),
        ("按方法，深度.csv中深度的平均值（22行）：测深线 8,333.5、绳 5,917、麻线 3,658。", "", ["测深线", "绳", "麻线"], [8333.5, 5917, 3658]),
    ],
)  # fmt: skip
def test_three_groups_or_more_are_a_chart(quote: str, unit: str, names: list[str], values: list[float]) -> None:
    [chart] = charts_of(quote)
    assert (chart["type"], chart["unit"], chart["categories"]) == ("bar", unit, names)
    assert chart["series"] == [{"values": values}]
    assert chart["sources"] == ["E1-1"]


@pytest.mark.parametrize(
    "quote",
    [
        "The mean of depth in soundings.csv (22 rows) is 4,331.86.",
        "By method, the mean of depth (22 rows): wire 8,333.78, rope 5,917.57.",
        "By method, the mean of depth (22 rows): wire 8, rope 5, wire 3.",
        "Rows without a value: none, some, many.",
    ],
)
def test_anything_else_is_none(quote: str) -> None:
    assert charts_of(quote) == []


def test_what_no_program_computed_is_none() -> None:
    assert charts_of("By town: A 50, B 30, C 20.", kind="document") == []


def test_a_computation_is_told_once_and_by_the_opening() -> None:
    held = finding("The total of depth in harbour.csv is 400.", "A line of 61 fathoms is kept in the harbour.")
    held.evidence[0].kind, held.evidence[0].title = "computation", "Computation over harbour.csv: total of depth"
    text = report("What is the total of depth in the table?", held)
    assert text.count("is 400") == 1
