"""Numbers and dates compare across the ways of writing them, in English and Chinese."""

import pytest
from babel import Locale

from services.text.held_numbers import missing_quantities
from services.text.measures import measures
from services.text.numbers import quantities
from services.text.numerals import _LANGUAGES, _words, month_names


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234", 1234),
        ("1 234 m", 1234),
        ("1234.5", 1234.5),
        ("3.5 million", 3_500_000),
        ("$6.5bn", 6_500_000_000),
        ("~80k gas", 80_000),
        ("每秒2k个请求", 2_000),
        ("4kb", 4),
        ("12 %", 12),
        ("12 percent", 12),
        ("百分之十二", 12),
        ("百分之十二点五", 12.5),
        ("12个百分点", 12),
        ("一万二千", 12_000),
        ("三万五", 35_000),
        ("一亿二千万", 120_000_000),
        ("两千零五", 2005),
        ("九点五亿", 950_000_000),
        ("一点二千万", 12_000_000),
        ("二點五萬億", 2_500_000_000_000),
        ("得了八点五分", 8.5),
        ("合同总价壹佰万元整", 1_000_000),
        ("贰拾叁萬伍仟圓", 235_000),
        ("3.5万", 35_000),
        ("1.2亿", 120_000_000),
        ("5百万", 5_000_000),
        ("GDP1.211", 1.211),
        ("约占GDP12%", 12),
        ("98 百分位", 98),
        ("twelve", 12),
        ("two thousand and five", 2005),
        ("Twenty-five thousand", 25_000),
        ("10,994 m", 10_994),
        ("三个月", 3),
        ("２０３０", 2030),
    ],
)
def test_a_number_has_one_value_however_it_is_written(text: str, value: float) -> None:
    assert [one.value for one in quantities(text)] == [value]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 23 March 1875", (1875, 3, 23)),
        ("March 23rd, 1875", (1875, 3, 23)),
        ("23rd of Mar. 1875", (1875, 3, 23)),
        ("1875-03-23", (1875, 3, 23)),
        ("2018年8月30日", (2018, 8, 30)),
        ("二〇一八年八月三十日", (2018, 8, 30)),
        ("8月30日", (None, 8, 30)),
        ("May 1875", (1875, 5, None)),
        ("2022-06", (2022, 6, None)),
        ("in meetings/2025-04", (2025, 4, None)),
        ("2018年", (2018, None, None)),
        ("民國一一四年十一月三日", (2025, 11, 3)),
        ("民国三十八年", (1949, None, None)),
    ],
)
def test_a_date_has_one_meaning_however_it_is_written(text: str, date: tuple[int | None, ...]) -> None:
    assert [one.date for one in quantities(text)] == [date]


@pytest.mark.parametrize("text", ["HTTP/2 may answer", "they march 2 miles", "part 1-2022-06"])
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert [one.kind for one in quantities(text) if one.kind == "date"] == []


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("in the 1870s", (1870, 1879)),
        ("19世纪70年代", (1870, 1879)),
        ("二十世纪", (1901, 2000)),
    ],
)
def test_decades_and_centuries_are_stretches_of_years(text: str, years: tuple[int, int]) -> None:
    assert [one.years for one in quantities(text)] == [years]


@pytest.mark.parametrize(
    "text",
    [
        "the 2nd and the third ship, 第三次, 第12届",
        "劳动合同法第38、46条，第三十八和四十六条，第3至5章",
        "제3조",
        "1. a step",
        "- an item [E2-1][E3-12]",
        "【E2-1】 (E2-1, E3-4) [[3]](https://example.org/12) [12]",
        "COVID-19 and H2O",
        "one of them, 一个, 统一, 四川, 万一, 千方百计, 十分重要, 有一点十分重要, 队伍陆续, 城市之一成为, 三五成群, 一成不变",
    ],
)
def test_ordinals_marks_and_names_are_no_numbers(text: str) -> None:
    assert quantities(text) == []


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It was 4,475 fathoms.", "4475 fathoms"),
        ("about 4,500 fathoms", "4,475 fathoms"),
        ("近一万米", "9,994米"),
        ("大约３５０００人", "3.51万人"),
        ("10%左右", "10.4 %"),
        ("1875年3月23日", "on 23 March 1875"),
        ("in March 1875", "On March 23, 1875"),
        ("in 1875", "23 March 1875"),
        ("in the 1870s", "1875"),
        ("19世纪", "in 1875"),
        ("百分之五十二点七", "52.7%"),
        ("不良率为3‰", "不良率为千分之三"),
        ("3 ‰", "0.3 %"),
        ("52.7 %", "a share of 0.527"),
        ("1.2亿", "120 million"),
        ("净利润9.5亿元", "净利润为九点五亿元"),
        ("9:30 and 9时30分", "上午九时三十分"),
        ("85% 的充电桩", "八成五的充电桩"),
        ("近七成受访者、七成半的人和三成以上", "69.6%, 75 % and 30.4 %"),
        ("九点三十分", "at 9:30"),
        ("in 1876", "the voyage of 1872–76"),
        ("on 23 March 1875", "The year was 1875. On 23 March they sounded."),
        ("since v6.5.0", "从 v6.5.0 起"),
        ("45 million units of gas", "a limit of `45_000_000`"),
        ("dated 2019-01", "2019-01-18"),
        ("of June 2022", "published 2022-06"),
        ("2022年6月", "published 2022-06"),
        ("since 6.5", "version 6.5.2"),
        ("stable in v1.28", "stable in 1.28"),
        ("lost once in 10⁵ years", "every 10^5 years"),
    ],
)
def test_a_number_that_the_evidence_holds_is_not_missing(claim: str, evidence: str) -> None:
    assert missing_quantities(claim, [evidence]) == []


@pytest.mark.parametrize(
    ("claim", "evidence", "missing"),
    [
        ("It was 4,500 fathoms.", "4,475 fathoms", ["4,500"]),
        ("about 4,900 fathoms", "4,475 fathoms", ["4,900"]),
        ("on 23 March 1875", "in March 1875", ["23 March 1875"]),
        ("on 24 March 1875", "23 March 1875", ["24 March 1875"]),
        ("in 1875", "in the 1870s", ["1875"]),
        ("2018年8月31日", "2018年8月30日", ["2018年8月31日"]),
        ("百分之五十三", "52.7%", ["百分之五十三"]),
        ("3.5万人", "3.5亿人", ["3.5万"]),
        ("9.5元", "九点五亿元", ["9.5"]),
        ("3%", "3‰", ["3%"]),
        ("two thousand men", "twelve thousand men", ["two thousand"]),
        ("三个月和六个月", "三个月", ["六"]),
        ("5 million", "5 billion", ["5 million"]),
        ("since v6.5.1", "since v6.5.0", ["6.5.1"]),
        ("in 6.5.2", "in 6.5", ["6.5.2"]),
        ("28 cases", "in v1.28 and Python3.28", ["28"]),
    ],
)
def test_a_number_that_the_evidence_lacks_is_named_as_written(claim: str, evidence: str, missing: list[str]) -> None:
    assert missing_quantities(claim, [evidence]) == missing


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (
            241e6,
            "241 Millionen Euro|0,241 Milliarden|241 Mio. €|das 241-Millionen-Projekt|241 millions d’euros|241 M€|0,241 Md €",
        ),
        (
            241e6,
            "241 millones|0,241 mil millones|241 milioni|241 milhões|241 миллион|241 млн|2億4100万|2억 4100만 유로",
        ),
        (241e6, "24 करोड़ 10 लाख|241 مليون"),
        (241e3, "241 Tausend|241 mille|241 mil m²|241 mila|241 тысяча"),
        (241e10, "2兆4100億円|2조 4100억|2,41 Billionen"),
        (5, "5兆瓦|5兆宽带|5 miles|5 mi|5 M|5 bills|5 minutes"),
        (5e9, "5 billion|5 bn|5 Milliarden"),
    ],
)
def test_scale_words_of_the_languages_of_reports_are_read(value: float, texts: str) -> None:
    assert {text: [one.value for one in quantities(text)] for text in texts.split("|")} == {
        text: [value] for text in texts.split("|")
    }


def test_a_word_that_is_a_scale_in_english_keeps_its_meaning() -> None:
    assert [one.value for one in quantities("5 billion, 5 bn")] == [5e9, 5e9]
    assert not {"billion", "billions", "bn", "b"} & _words()[1].keys()


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("9.427 Meter", "9427 metres"),
        ("9.427 Meter", "9,427 metres"),
        ("9 427 mètres", "9.427 Meter"),
        ("10.863,5 m", "10,863.5 m"),
        ("1.234.567,5", "1,234,567.5"),
        ("10’863 m", "10,863 m"),
        ("10,863 km", "10.863 km"),
        ("0,125 Prozent", "0.125 percent"),
        ("etwa ~9.400 Meter", "9,427 m"),
        ("9,427 Millionen", "9.427 million"),
    ],
)
def test_points_and_commas_are_read_as_other_languages_have_them(claim: str, evidence: str) -> None:
    assert missing_quantities(claim, [evidence]) == []


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("9.428 Meter", "9427 metres"),
        ("9.42 metres", "942 metres"),
        ("0.942 metres", "942 metres"),
        ("9.4271 metres", "94,271 metres"),
        ("10.863,5 m", "10,863 m"),
        ("12.5 million", "12.5 billion"),
        ("2.5 Millionen", "25 million"),
    ],
)
def test_only_groups_of_three_digits_have_two_readings(claim: str, evidence: str) -> None:
    assert len(missing_quantities(claim, [evidence])) == 1


def test_a_negative_number_behind_a_year_is_no_range_of_years() -> None:
    assert [quantity.value for quantity in quantities("1960 -68 m")] == [1960, 68]
    assert [quantity.value for quantity in quantities("1960-68")] == [1960, 1968]
    assert [quantity.value for quantity in quantities("PYSEC-2021-70")] == [70]


def test_a_scale_may_stand_elsewhere_if_the_digits_are_no_chance() -> None:
    told = "排放由370.7→728.7百万吨，GDP为14.688万亿美元，煤占 3 million"
    assert missing_quantities("| 728.7 | 14.688 |", [told]) == []
    assert missing_quantities("728.7百万吨", ["排放15246.2百万吨（+728.7）"]) == []
    assert missing_quantities("€143 billion", ["| revenue, million | 143 |"]) == ["143 billion"]
    assert missing_quantities("14.688亿美元", [told]) == ["14.688亿"]
    assert missing_quantities("3 million", ["3 ships"]) == ["3 million"]
    assert missing_quantities("3 ships", ["3 million"]) == ["3"]
    assert quantities("人口，百万吨CO2；数百万人") == []


def test_digits_beside_others_are_no_thousands() -> None:
    assert [one.value for one in quantities("| 2 4 234 |")] == [2, 4, 234]


@pytest.mark.parametrize(
    ("text", "values"),
    [("空间须大于源数据 × 2，3 副本", [2, 3]), ("端口 4000，20 个节点", [4000, 20]), ("共 1，234 元", [1234])],
)
def test_a_chinese_comma_parts_numbers_but_not_groups_of_digits(text: str, values: list[float]) -> None:
    assert [quantity.value for quantity in quantities(text)] == values


def test_a_letter_within_a_value_is_no_unit() -> None:
    assert [measure.kind for measure in measures("It is 10m0s by default, 10 m deep")] == ["", "length"]


@pytest.mark.parametrize("text", ["In 2021-24, it fell.", "It fell in 2021–24.", "2021-24: it fell"])
def test_a_short_range_of_years_may_stand_before_a_stop(text: str) -> None:
    assert [quantity.value for quantity in quantities(text)] == [2021, 2024]


def test_the_names_of_months_are_those_of_unicode() -> None:
    wide = [Locale(file.stem).months["format"]["wide"].values() for file in _LANGUAGES.glob("*.json")]
    assert month_names() == {name.lower() for names in wide for name in names}
