"""Rises, falls, years and texts that a claim reads out of a table must be those of the rows that it names."""

import pytest

from services.evidence.readings import read
from services.evidence.support import check_support
from services.evidence.table_trends import wrong_trend

COFFEE = (
    "| Province | Exports 2020 (tonnes) | Exports 2023 (tonnes) | Share of organic coffee 2023 (%) | Port | First year |\n|---|---|---|---|---|---|\n"
    "| Atarra | 8,420 | 9,150 | 12 | Selm | 1908 |\n| Mirasol | 15,700 | 13,880 | 31 | Orlo | 1931 |\n| Chaluma | 4,260 | 6,905 | 47 | Selm | 1954 |"
)
LINES = (
    "| 线路 | 2021年客流（人次） | 2023年客流（人次） | 公司 |\n|---|---|---|---|\n"
    "| 3路 | 12400 | 10900 | 通达 |\n| 8路 | 8700 | 11300 | 星河 |\n| 15路 | 6100 | 6500 | 星河 |"
)

SALES = "| City | Sales (m) | Change on year (%) | Share of food (%) |\n|---|---|---|---|\n| Lowick | 48 | 12.4 | 41 |\n| Marden | 97 | -2.3 | 36 |"
NIGHTS = "| 城市 | 夜间消费额（亿元） | 同比增速（%） |\n|---|---|---|\n| 临川 | 486 | 12.4 |\n| 望湖 | 312 | 1.5 |\n| 朔原 | 97 | -2.3 |"
RUNTIMES = "| Runtime | Licence | Rootless |\n|---|---|---|\n| Harbox | Apache 2.0 | yes |\n| Podrun | GPL 3 | no |"


@pytest.mark.parametrize(
    ("claim", "table", "instead"),
    [
        ("Exports of all provinces grew between 2020 and 2023.", COFFEE, "15,700 → 13,880"),
        ("Every province had higher exports in 2023 than in 2020.", COFFEE, "15,700 → 13,880"),
        ("Exports of Chaluma fell between 2020 and 2023.", COFFEE, "4,260 → 6,905"),
        ("Atarra had the largest increase in exports.", COFFEE, "4,260 → 6,905"),
        ("2021年至2023年，各条线路的客流都有所增长。", LINES, "12400 → 10900"),
        ("2023年3路的客流比2021年有所增加。", LINES, "12400 → 10900"),
        ("15路的客流增加最多。", LINES, "8700 → 11300"),
        ("Sales rose in all cities.", SALES, "-2.3"),
        ("朔原的夜间消费有所增长。", NIGHTS, "-2.3"),
    ],
)
def test_a_table_refutes_a_trend(claim: str, table: str, instead: str) -> None:
    wrong = wrong_trend(read(claim), [read(table)])
    assert wrong is not None
    assert wrong.instead == instead


@pytest.mark.parametrize(
    ("claim", "table"),
    [
        ("Exports of all provinces but Mirasol grew between 2020 and 2023.", COFFEE),
        ("Exports of Mirasol fell between 2020 and 2023.", COFFEE),
        ("Mirasol had higher exports in 2020 than in 2023.", COFFEE),
        ("Chaluma had the largest increase in exports.", COFFEE),
        ("只有8路和15路的客流有所增长。", LINES),
        ("2023年3路的客流比2021年有所减少。", LINES),
        ("8路的客流增加最多。", LINES),
        ("Sales rose in Lowick and fell in Marden.", SALES),
        ("朔原的夜间消费有所下降。", NIGHTS),
        ("2023年8路的客流比其他线路多出不少。", LINES),
    ],
)
def test_a_table_bears_out_a_trend(claim: str, table: str) -> None:
    assert wrong_trend(read(claim), [read(table)]) is None


@pytest.mark.parametrize(
    ("claim", "table", "failing"),
    [
        ("The port of Atarra is Orlo.", COFFEE, "table"),
        ("Mirasol exported in its first year, 1908.", COFFEE, "table"),
        ("Atarra exported more coffee in 2023 than Mirasol.", COFFEE, "table"),
        ("3路的公司是星河。", LINES, "table"),
        ("Sales in Marden rose by 2.3 percent.", SALES, "opposite"),
        ("Sales in Lowick grew by 41 percent.", SALES, "other"),
        ("望湖的夜间消费增速最低。", NIGHTS, "table"),
        ("All runtimes can be run rootless.", RUNTIMES, "table"),
        ("All runtimes have the licence GPL 3.", RUNTIMES, "table"),
        ("朔原的夜间消费额比临川高。", NIGHTS, "table"),
        ("The port of Atarra is Selm.", COFFEE, ""),
        ("Mirasol exported in its first year, 1931.", COFFEE, ""),
        ("Mirasol exported more coffee in 2023 than Atarra.", COFFEE, ""),
        ("8路的公司是星河。", LINES, ""),
        ("Sales in Marden fell by 2.3 percent.", SALES, ""),
        ("Growth in Lowick came to 12.4 percent.", SALES, ""),
        ("朔原的夜间消费增速最低。", NIGHTS, ""),
        ("临川的夜间消费额比朔原高。", NIGHTS, ""),
        ("Harbox can be run rootless.", RUNTIMES, ""),
    ],
)
def test_texts_and_years_belong_to_their_row(claim: str, table: str, failing: str) -> None:
    assert check_support(claim, [table]).failing == failing
