"""The unit that the line above a table gives its cells, a number with its share in a cell, and rates per unit."""

import pytest

from services.evidence.support import check_support

BUDGET = """Council spending by department, in £ million.

| Department | 2022 | 2023 |
|---|---|---|
| Bridges | 14.2 | 17.5 |
| Harbour | 8.1 | 6.6 |
"""
RIDERS = """各线路客运量（单位：万人次）

| 线路 | 2022年 | 2023年 |
|---|---|---|
| 一号线 | 310 | 425 |
| 二号线 | 198 | 176 |
"""
TRIAL = """| Arm | Patients | Recovered |
|---|---|---|
| Control | 150 | 45 (30.0%) |
| Treated | 160 | 88 (55.0%) |
"""
LAKE = "The parish covers 24 square kilometres and has 15,518 inhabitants. Its old deer park takes up 510 acres, the new one 30 acres."
TOWNSHIP = "全镇面积24平方公里，人口15518人。"


@pytest.mark.parametrize(
    ("claim", "quote", "holds"),
    [
        ("The council spent £17.5 million on bridges in 2023.", BUDGET, True),
        ("Spending on bridges in 2023 was £3.3 million more than in 2022.", BUDGET, True),
        ("The council spent £14.2 million on bridges in 2023.", BUDGET, False),
        ("Spending on bridges in 2023 was £4.1 million more than in 2022.", BUDGET, False),
        ("2023年一号线客运量为425万人次。", RIDERS, True),
        ("2023年一号线客运量为198万人次。", RIDERS, False),
        ("In the treated arm 55% recovered.", TRIAL, True),
        (
            "In the treated arm 88 of 160 patients recovered, 25 percentage points more than in the control arm.",
            TRIAL,
            True,
        ),
        ("In the treated arm 30% recovered.", TRIAL, False),
        ("The parish has about 650 inhabitants per square kilometre.", LAKE, True),
        ("The parish has about 950 inhabitants per square kilometre.", LAKE, False),
        ("The old deer park is seventeen times the size of the new one.", LAKE, True),
        ("The old deer park is nineteen times the size of the new one.", LAKE, False),
        ("平均每平方公里约有650人。", TOWNSHIP, True),
        ("平均每平方公里约有950人。", TOWNSHIP, False),
    ],
)
def test_a_number_is_compared_in_the_unit_of_its_table_and_per_unit(claim: str, quote: str, holds: bool) -> None:
    assert (not check_support(claim, [quote]).failing) is holds
