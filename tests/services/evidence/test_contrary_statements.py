"""Exceptions, contrasts, ordinals, joint shares and other words by which a statement can say the contrary of its quotes."""

import pytest

from services.evidence.support import check_support

ENTRY = "Entry is free for visitors under 18, except during the summer exhibitions. The museum opens every day."
PIERS = (
    "The inspectors traced most of the cracks to an alkali reaction in the concrete rather than to the floods of 2015."
)
FILM = "《纸船》是乌兰图雅执导的第二部剧情长片，由谷岳编剧。"
NOVEL = "Harl wrote her second novel in 1931, two years after her marriage."
GRADS = "Nurses and welders together accounted for nearly half of all approvals."
COURT = "一审法院判令合和食品支付168万元，并驳回其反诉。"
NET = "截至6月末，网络已覆盖全省所有县城和约七成的乡镇。"
SCHOOLS = "调查覆盖城区小学97所、乡村小学45所。"
RAIL = (
    "| Year | Passengers (million) | Freight (thousand tonnes) |\n|---|---|---|\n| 2010 | 3.6 | 870 |\n"
    "| 2015 | 4.4 | 655 |\n| 2020 | 1.9 | 690 |"
)
SHOPS = "| 业态 | 2021年门店数 | 2022年门店数 | 2023年门店数 |\n|---|---|---|---|\n| 大卖场 | 46 | 41 | 33 |\n| 便利店 | 205 | 240 | 238 |"
SLOPES = "Erosion on the southern slope averages 2 mm a year, four times the rate on the northern slope."
MINUTES = "Wilk objected to dropping the old version before the end of the year. Nair will write to the client teams by 16 September."
LADDER = "The ladder was rarely used by salmon, probably because its entrance lay too far from the main current."
WAITING = "The waiting time rose to 14 weeks, which the ministry blamed on a new system. The support group Open Harbour said staff shortages were a more likely cause."
FARM = "| Crop | Area (ha) | Yield (t/ha) |\n|---|---|---|\n| Wheat | 42 | 7.5 |\n| Barley | 18 | 4.9 |"


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("Visitors under 18 are admitted free, though not to the summer exhibitions.", ENTRY),
        ("Most of the cracks were put down to an alkali reaction in the concrete.", PIERS),
        ("《纸船》是乌兰图雅的第二部剧情长片。", FILM),
        ("Nearly half of all approvals went to nurses and welders.", GRADS),
        ("一审法院没有支持合和食品的反诉。", COURT),
        ("网络已覆盖全省所有县城。", NET),
        ("调查覆盖了97所城区小学和45所乡村小学。", SCHOOLS),
        ("From 2015 to 2020 freight grew slightly.", RAIL),
        ("大卖场的门店数2022年为41家，2023年为33家。", SHOPS),
        ("Erosion on the southern slope is four times as fast as on the northern slope.", SLOPES),
        ("It was Wilk who objected to dropping the old version before the end of the year.", MINUTES),
        ("Few salmon used the ladder, perhaps because its entrance lay too far from the main current.", LADDER),
        ("The ministry blamed the waiting time on a new system.", WAITING),
        ("The wheat harvest came to 315 tonnes.", FARM),
        ("The closure saves roughly 20,000 crowns a month.", "The closure saves about 240,000 crowns a year."),
    ],
)  # fmt: skip
def test_right_statements_pass(statement: str, quote: str) -> None:
    assert check_support(statement, [quote]).failing == ""


@pytest.mark.parametrize(
    ("statement", "quote", "failing"),
    [
        ("Visitors under 18 are admitted free at all times, the summer exhibitions included.", ENTRY, "scope"),
        ("Most of the cracks were traced to the floods of 2015.", PIERS, "negation"),
        ("《纸船》是乌兰图雅执导的首部剧情长片。", FILM, "superlative"),
        ("Harl wrote her first novel in 1931.", NOVEL, "superlative"),
        ("Nurses accounted for nearly half of all approvals.", GRADS, "scope"),
        ("一审法院支持了合和食品的反诉。", COURT, "opposite"),
        ("网络已覆盖全省所有乡镇。", NET, "scope"),
        ("调查覆盖了97所乡村小学和45所城区小学。", SCHOOLS, "other"),
        ("From 2015 to 2020 freight declined.", RAIL, "table"),
        ("大卖场的门店数2022年为33家，2023年为41家。", SHOPS, "period"),
        ("Erosion on the northern slope is four times as fast as on the southern slope.", SLOPES, "opposite"),
        ("It was Nair who objected to dropping the old version before the end of the year.", MINUTES, "roles"),
        ("The client teams will write to Nair by 16 September.", MINUTES, "roles"),
        ("Few salmon used the ladder because its entrance lay too far from the main current.", LADDER, "hedge"),
        ("The ministry blamed the waiting time on staff shortages.", WAITING, "roles"),
        ("The wheat harvest came to 325 tonnes.", FARM, "numbers"),
        ("The closure saves roughly 30,000 crowns a month.", "The closure saves about 240,000 crowns a year.", "numbers"),
        ("Inspectors found cracks in three of the seven piers, most of which the report traced to the floods of 2015.", "An inspection found cracks in three of the seven piers, and the report traced most of them to an alkali reaction in the concrete rather than to the floods of 2015.", "negation"),
    ],
)  # fmt: skip
def test_wrong_statements_do_not(statement: str, quote: str, failing: str) -> None:
    assert check_support(statement, [quote]).failing == failing
