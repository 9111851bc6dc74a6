"""A claim's number must be the one that the quotes bind to what the claim is about: period, row, name, unit."""

import pytest

from services.evidence.number_binding import misbound
from services.evidence.readings import read

FERRY = "The Harrow ferry carried 4,120 passengers in 2011; in 2016 it carried 5,380 passengers."
TOWNS = "Rents in Aldery rose from 9.1 euros in 2010 to 12.4 euros in 2020; in Bexley they stood at 8.3 euros."
BOILER = "Below 0.8 bar the pump stops; above 2.5 bar the relief valve opens and the red lamp lights."
WELLS = "| Well | Depth 2005 (m) | Depth 2015 (m) |\n|---|---|---|\n| Ashby | 41 | 58 |\n| Corran | 63 | 77 |"
RIDERS = "After the lanes opened, the university found 6 percent more pedestrians, and tickets fell to 41 a day. 骑行人数增加了37%。"
TURNS = "The ferry of Norland carried 18,200 passengers in 2019 and 23,400 passengers in 2021."
PRONOUN = "In 2019 exports were 18.2 million tonnes. In 2021 they rose to 23.4 million tonnes."
FLOCK = "顾启明（1902—1979）十四岁登台。2010年湖区有雪雁不到2000只，2021年达到5400只。"
MILLS = (
    "| 水厂 | 2019年产量（万吨） | 2021年产量（万吨） |\n|---|---|---|\n| 东溪 | 12.5 | 14.1 |\n| 西岭 | 9.8 | 11.6 |"
)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("In 2016 the Harrow ferry carried 5,380 passengers.", FERRY),
        ("Between 2011 and 2016 traffic on the ferry rose from 4,120 to 5,380 passengers.", FERRY),
        ("In Aldery rents rose from 9.1 to 12.4 euros.", TOWNS),
        ("In Bexley rents stood at 8.3 euros.", TOWNS),
        ("The relief valve opens above 2.5 bar.", BOILER),
        ("In 2015 the well at Corran was 77 metres deep.", WELLS),
        ("The well at Ashby was deepened from 41 to 58 metres.", WELLS),
        ("2021年东溪水厂的产量为14.1万吨。", MILLS),
        ("The university found 6 percent more pedestrians.", RIDERS),
        ("骑行人数上升37%。", RIDERS),
        ("顾启明生于1902年，14岁登台。", FLOCK),
        ("雪雁由不足2000只增至5400只。", FLOCK),
        ("The ferry carried 18,200 passengers in 2019.", TURNS),
        ("占比提高了6个百分点。", "占比由上年的21%提高到27%。"),
        ("渡轮最多可载240名乘客。", "渡轮可载客240人、汽车18辆。乘客人数由61000人增至74000人。"),
        ("It carries 18 cars.", "It carries 240 passengers, 4 buses and 18 small cars; others carry 30 cars."),
        (
            "Passengers rose to 74,000.",
            "It has room for 240 passengers. Their number rose from 61,000 to 74,000 in 2023.",
        ),
        ("The ferry carried 23,400 passengers in 2021.", TURNS),
        (
            "Despite Mr Vane's protest the fee went up to 21 euros.",
            "Ms Orr moved a fee of 21 euros; Mr Vane opposed it.",
        ),
        ("Exports were 23.4 million tonnes in 2021.", PRONOUN),
        ("Exports were 18.2 million tonnes in 2019.", PRONOUN),
    ],
)
def test_a_number_that_is_bound_to_what_the_claim_is_about_holds(claim: str, quote: str) -> None:
    assert misbound(read(claim), [read(quote)]) is None


@pytest.mark.parametrize(
    ("claim", "quote", "fault", "instead"),
    [
        ("In 2011 the Harrow ferry carried 5,380 passengers.", FERRY, "period", "4,120"),
        ("In Aldery rents were 9.1 euros in 2020.", TOWNS, "period", "12.4"),
        ("In Bexley rents stood at 12.4 euros.", TOWNS, "subject", "8.3"),
        ("In Aldery rents rose to 12.4 dollars.", TOWNS, "unit", ""),
        ("In Aldery rents fell from 12.4 to 9.1 euros.", TOWNS, "reversed", "9.1 → 12.4"),
        ("The relief valve opens and the red lamp lights at 0.8 bar.", BOILER, "other", "2.5"),
        ("In 2015 the well at Ashby was 77 metres deep.", WELLS, "subject", "58"),
        ("In 2005 the well at Corran was 77 metres deep.", WELLS, "period", "63"),
        ("The well at Corran was 77 feet deep in 2015.", WELLS, "unit", ""),
        ("2021年西岭水厂的产量为14.1万吨。", MILLS, "subject", "11.6"),
        ("The university found 6 percent fewer pedestrians.", RIDERS, "opposite", ""),
        ("Tickets rose to 41 a day.", RIDERS, "opposite", ""),
        ("骑行人数减少了37%。", RIDERS, "opposite", ""),
        ("The ferry carries 18 passengers.", "It carries 240 passengers and 18 cars.", "other", "240"),
        ("渡轮可载客18人。", "渡轮可载客240人、汽车18辆。", "other", "240"),
        ("客流比上年下降了12%。", "渡线运送旅客2.34万人次，比上年增长12%。", "opposite", ""),
        ("2019年东溪水厂的产量为14.1万吨。", MILLS, "period", "12.5"),
        ("毛利率由31%降至25%。", "毛利率由去年同期的25%升至31%。", "reversed", "25% → 31%"),
        ("占比提高了27个百分点。", "占比由上年的21%提高到27%。", "other", ""),
        ("2022年净利润为5.1亿元。", "2023年净利润5.1亿元，2022年为6.3亿元。", "period", "6.3亿"),
        ("Norland's ferry carried 18,200 passengers in 2021.", TURNS, "period", "23,400"),
        ("Norland's ferry carried 23,400 passengers in 2019.", TURNS, "period", "18,200"),
    ],
)
def test_a_number_that_is_bound_to_something_else_is_named(claim: str, quote: str, fault: str, instead: str) -> None:
    wrong = misbound(read(claim), [read(quote)])
    assert wrong is not None
    assert (wrong.fault, wrong.instead) == (fault, instead)
