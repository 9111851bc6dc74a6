"""Numbers contradict each other only where subject, quantity and period are the same, in English and in Chinese."""

import pytest

from services.evidence.differences import Quoted, difference


def differs(one: str, other: str, *, bound: bool = True, titles: tuple[str, str] = ("", "")) -> str:
    """Return what two quotes differ in, whichever comes first."""
    found = {
        difference(Quoted(one, titles[0]), Quoted(other, titles[1]), bound=bound),
        difference(Quoted(other, titles[1]), Quoted(one, titles[0]), bound=bound),
    }
    [only] = found
    return only


def table(*rows: str) -> str:
    """Return a table; the first row is its head."""
    head, *rest = [f"| {row} |" for row in rows]
    return "\n".join([head, "|---" * rows[0].count("|") + "|---|", *rest])


OSLO = "Oslo exported 18 tonnes of timber in 2019."
SHANGHAI = "2019年上海港出口量为18吨。"
HARBOURS = table("Harbour | Exports (tonnes)", "Oslo | 18", "Bergen | 30")
YEARS = table("Harbour | Year | Exports (tonnes)", "Oslo | 2019 | 18")
SHANGHAI_TABLE = table("港口 | 年份 | 出口量（吨）", "上海 | 2019 | 18")

CONTRADICTIONS = {
    "one period": (OSLO, "In 2019 Oslo exported 24 tonnes of timber."),
    "one gives no period": (OSLO, "Oslo exported 24 tonnes of timber."),
    "in other words": (OSLO, "The timber exports of Oslo reached 24 tonnes."),
    "with another verb": ("Exports of Oslo totalled 18 tonnes.", "Exports of Oslo reached 24 tonnes."),
    "with other remarks": (
        "Oslo exported 18 tonnes, a record for the town.",
        "Oslo exported 24 tonnes, mostly by rail.",
    ),
    "a level": ("Karst Cave ends 310 m below the surface.", "Karst Cave ends 420 m below the surface."),
    "in another language": (
        "In the Pacific, Challenger Deep is 10,994 m deep.",
        "挑战者深渊（Challenger Deep）深10935米。",
    ),
    "in another unit": (OSLO, "Oslo exported 24,000 kilograms of timber in 2019."),
    "another one says it": (OSLO, "According to the Labour Office, Oslo exported 24 tonnes of timber in 2019."),
    "two others say it": (
        "The Labour Office said that unemployment in Norway was 3.7 percent.",
        "The World Bank estimated that unemployment in Norway was 4.4 percent.",
    ),
    "beside a number that agrees": (
        "The bridge opened in 1937 with 6 lanes and is 1,280 metres long.",
        "The bridge has 6 lanes and is 1,970 metres long.",
    ),
    "of several subjects one": (
        "Oslo exported 18 tonnes and Bergen exported 24 tonnes.",
        "Bergen exported 31 tonnes and Oslo exported 18 tonnes.",
    ),
    "one cell of a table": (HARBOURS, table("Harbour | Exports (tonnes)", "Oslo | 21", "Bergen | 30")),
    "one cell of a year": (YEARS, table("Harbour | Year | Exports (tonnes)", "Oslo | 2019 | 24")),
    "rows of years": (table("Year | Exports (tonnes)", "2019 | 18"), table("Year | Exports (tonnes)", "2019 | 24")),
    "a table and a sentence": (HARBOURS, "The exports of Oslo were 24 tonnes."),
    "同一年份": (SHANGHAI, "2019年，上海港出口量为24吨。"),
    "一方没有年份": (SHANGHAI, "上海港的出口量达24吨。"),
    "换一种单位": (SHANGHAI, "2019年上海港出口量为24000公斤。"),
    "另有出处": (SHANGHAI, "据港务局统计，2019年上海港出口量为24吨。"),
    "约数也不相符": ("长江全长6300公里。", "长江全长约5000公里。"),
    "表中同一格": (SHANGHAI_TABLE, table("港口 | 年份 | 出口量（吨）", "上海 | 2019 | 24")),
    "表与句子": (table("港口 | 2019年出口量（吨）", "上海 | 18"), "2019年，上海的出口量为24吨。"),
}
AGREEMENTS = {
    "another year": (OSLO, "Oslo exported 24 tonnes of timber in 2021."),
    "another month": ("In May 2019 rents rose by 4 percent.", "In June 2019 rents rose by 6 percent."),
    "another quarter": (
        "In the first quarter of 2021 Oslo exported 18 tonnes.",
        "In the second quarter of 2021 Oslo exported 24 tonnes.",
    ),
    "another year, said in the sentence before": (
        "In 2019 the port reopened. Its exports were 18 tonnes.",
        "In 2021 the port closed. Its exports were 24 tonnes.",
    ),
    "another name": (OSLO, "Bergen exported 24 tonnes of timber in 2019."),
    "another name in another place": (
        "In Oslo, exports of timber were 18 tonnes.",
        "Exports of timber were 24 tonnes in Bergen.",
    ),
    "another name, said in the sentence before": (
        "Oslo is a busy port. Its exports were 18 tonnes.",
        "Bergen is a busy port. Its exports were 24 tonnes.",
    ),
    "another name that reports": ("Norway reported 240 cases in 2021.", "Sweden reported 310 cases in 2021."),
    "another kind of thing": (OSLO, "Oslo exported 24 tonnes of barley in 2019."),
    "another quantity": ("Exports of Oslo were 18 tonnes in 2019.", "Imports of Oslo were 24 tonnes in 2019."),
    "another dimension": ("The hall of Skerryvore is 24 m long.", "The hall of Skerryvore is 30 m wide."),
    "another kind of unit": (OSLO, "Oslo exported 24 ships of timber in 2019."),
    "rounded": ("Oslo exported 23.7 tonnes of timber.", "Oslo exported about 24 tonnes of timber."),
    "a limit": ("Oslo exported more than 20 tonnes of timber.", "Oslo exported 24 tonnes of timber."),
    "a range": ("Oslo exported between 20 and 30 tonnes of timber.", "Oslo exported 24 tonnes of timber."),
    "the end of a change": ("Exports of Oslo rose from 18 to 24 tonnes.", "Exports of Oslo were 24 tonnes."),
    "the beginning of a change": ("Exports of Oslo fell from 18 tonnes.", "Exports of Oslo were 12 tonnes."),
    "a difference": ("Exports of Oslo rose by 6 tonnes.", "Exports of Oslo were 24 tonnes."),
    "the same in another order": (
        "Oslo exported 18 tonnes and Bergen exported 24 tonnes.",
        "Bergen exported 24 tonnes and Oslo exported 18 tonnes.",
    ),
    "another row": (
        table("Harbour | Exports (tonnes)", "Oslo | 18"),
        table("Harbour | Exports (tonnes)", "Bergen | 24"),
    ),
    "another column": (HARBOURS, table("Harbour | Imports (tonnes)", "Oslo | 24", "Bergen | 31")),
    "another year in its column": (YEARS, table("Harbour | Year | Exports (tonnes)", "Oslo | 2021 | 24")),
    "another year of rows": (table("Year | Exports (t)", "2019 | 18"), table("Year | Exports (t)", "2021 | 24")),
    "a heading with a scale": (
        table("Harbour | Exports (thousand tonnes)", "Oslo | 18"),
        table("Harbour | Exports (tonnes)", "Oslo | 18,000"),
    ),
    "a sentence on another row": (
        table("Harbour | Exports (tonnes)", "Oslo | 18"),
        "The exports of Bergen were 24 tonnes.",
    ),
    "a sentence on another column": (HARBOURS, "The imports of Oslo were 24 tonnes."),
    "a year in a cell": (
        table("Harbour | Year | Imports (t)", "Oslo | 2019 | 30"),
        "In its best year Oslo exported 24 t.",
    ),
    "totals of other rows": (
        table("Harbour | Exports (tonnes)", "Total | 18"),
        table("Harbour | Exports (tonnes)", "Total | 48"),
    ),
    "另一年": (SHANGHAI, "2021年上海港出口量为24吨。"),
    "另一半年": ("2021年上半年上海港出口量为18吨。", "2021年下半年上海港出口量为24吨。"),
    "前一句中的年份不同": ("2019年港口开放。出口量为18吨。", "2021年港口关闭。出口量为24吨。"),
    "另一个港口": (SHANGHAI, "2019年宁波港出口量为24吨。"),
    "另一个湖": ("青海湖面积为4543平方公里。", "鄱阳湖面积为3150平方公里。"),
    "另一群人": ("男生近视率为36.0%。", "女生近视率为41.6%。"),
    "进口与出口": (SHANGHAI, "2019年上海港进口量为24吨。"),
    "长与宽": ("大厅长24米。", "大厅宽30米。"),
    "总量与增幅": (SHANGHAI, "2019年上海港出口量增长24%。"),
    "约数": ("青海湖面积约4500平方公里。", "青海湖面积为4543平方公里。"),
    "下限": ("上海港出口量超过20吨。", "上海港出口量为24吨。"),
    "同一数字换一种说法": ("二〇一九年上海港出口量为一万八千公斤。", SHANGHAI),
    "表中另一行": (SHANGHAI_TABLE, table("港口 | 年份 | 出口量（吨）", "宁波 | 2019 | 24")),
    "表中另一年": (SHANGHAI_TABLE, table("港口 | 年份 | 出口量（吨）", "上海 | 2021 | 24")),
    "表中另一列": (SHANGHAI_TABLE, table("港口 | 年份 | 进口量（吨）", "上海 | 2019 | 24")),
}
OTHERWISE_SAID = {
    "opposites": [
        ("Trade with Spain grew in 2019.", "Trade with Spain fell in 2019."),
        ("2020年全市近视率下降。", "2020年全市近视率上升。"),
    ],
    "negation": [
        ("The drug was approved in 2019.", "The drug was not approved in 2019."),
        ("2019年该药获批上市。", "2019年该药未获批上市。"),
    ],
    "dates": [
        ("The bridge was opened in 1937.", "The bridge was opened in 1938."),
        (
            "Eight ministries issued the plan on 30 August 2018.",
            "Eight ministries issued the plan on 1 September 2018.",
        ),
        ("该大桥于1937年通车。", "该大桥于1938年通车。"),
    ],
}
NOT_OTHERWISE_SAID = {
    "opposites in other years": ("Trade with Spain grew in 2019.", "Trade with Spain fell in 2021."),
    "opposites of other names": (
        "Trade of Norway with Spain grew in 2019.",
        "Trade of Norway with Italy fell in 2019.",
    ),
    "a negation in another year": ("The drug was approved in 2019.", "The drug was not approved in 2017."),
    "a negation of another thing": ("The new drug was approved.", "The old drug was not approved."),
    "what rises in two years": ("Rents in Oslo rose in 2019.", "Rents in Oslo rose in 2021."),
    "what is measured in two years": ("Oslo has 18 schools in 2019.", "Oslo has 18 schools in 2021."),
    "two events": ("The ship left Portsmouth in December 1872.", "The ship reached Portsmouth in May 1876."),
    "不同年份的升降": ("2020年全市近视率下降。", "2021年全市近视率上升。"),
    "不同对象的升降": ("2020年全市近视率下降。", "2020年全市肥胖率上升。"),
    "不同年份的否定": ("2019年该药获批上市。", "2017年该药未获批上市。"),
    "不同年份的上升": ("2019年全市房租上升。", "2021年全市房租上升。"),
    "两件事": ("该大桥于1937年通车。", "该大桥于1944年被毁。"),
}


@pytest.mark.parametrize(("one", "other"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_other_numbers_for_one_subject_quantity_and_period_contradict(one: str, other: str) -> None:
    assert differs(one, other) == "numbers"


@pytest.mark.parametrize(("one", "other"), AGREEMENTS.values(), ids=AGREEMENTS)
def test_numbers_that_are_of_something_else_or_may_agree_do_not(one: str, other: str) -> None:
    assert differs(one, other) == ""


@pytest.mark.parametrize(("kind", "pair"), [(kind, pair) for kind, pairs in OTHERWISE_SAID.items() for pair in pairs])
def test_what_is_turned_round_denied_or_dated_otherwise_is_told(kind: str, pair: tuple[str, str]) -> None:
    assert differs(*pair) == kind


@pytest.mark.parametrize(("one", "other"), NOT_OTHERWISE_SAID.values(), ids=NOT_OTHERWISE_SAID)
def test_what_is_said_of_another_time_or_thing_is_not_otherwise_said(one: str, other: str) -> None:
    assert differs(one, other) == ""


def test_a_title_may_name_the_subject_that_the_other_sentence_names() -> None:
    titles = ("Timber exports of Oslo", "")
    assert differs("In 2019 exports were 18 tonnes.", OSLO.replace("18", "24"), titles=titles) == "numbers"


def test_bundles_of_earlier_versions_are_held_to_two_alike_sentences() -> None:
    assert differs(*AGREEMENTS["another year"], bound=False) == "numbers"
    assert differs(*NOT_OTHERWISE_SAID["opposites in other years"], bound=False) == "opposites"


def test_long_excerpts_are_compared_in_a_bounded_time() -> None:
    names = [f"Harbour{place} exported {place} tonnes of timber and {place + 7} barrels of tar" for place in range(400)]
    difference(Quoted(". ".join(names), ""), Quoted(". ".join(reversed(names)), ""))
