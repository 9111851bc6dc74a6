"""A number is compared with what it counts, in a common unit."""

import pytest

from services.text.measures import has_figure, measures


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("It is 10.994 km deep.", "length", 10_994),
        ("It is 6,000 fathoms deep.", "length", 10_972.8),
        ("深度为10.9公里。", "length", 10_900),
        ("深度为一万零九百米。", "length", 10_900),
        ("The dive took 5 hours.", "time", 18_000),
        ("随访六个月。", "time", 6 * 2_629_800),
        ("It fell to 38%.", "percent", 38),
        ("下降到百分之三十八。", "percent", 38),
        ("It cost $1.2 million.", "$", 1_200_000),
        ("She made 24 soundings.", "sound", 24),
        ("共有120名学生。", "people", 120),
        ("The index is 7.", "", 7),
    ],
)
def test_a_number_comes_with_what_it_counts(text: str, kind: str, value: float) -> None:
    [one] = measures(text)
    assert one.kind == kind
    assert one.value == pytest.approx(value)


def test_years_and_dates_are_not_measured() -> None:
    assert measures("In 1872, on 7 December 1873 and 2018年8月30日.") == []


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("11,000 m", "10,994 m", True),
        ("36,070 feet", "10,994 m", True),
        ("10,984 m", "10,994 m", False),
        ("40%", "38%", False),
        ("about 40%", "38.5%", True),
        ("20 people", "22 people", False),
    ],
)
def test_rounding_and_units_make_no_difference(one: str, other: str, agree: bool) -> None:
    [left], [right] = measures(one), measures(other)
    assert left.agrees(right) is agree
    assert right.agrees(left) is agree


@pytest.mark.parametrize(
    ("quote", "holds"),
    [
        ("PEP 703 makes the global interpreter lock optional.", False),
        ("It follows RFC 2119, and needs Python 3.13.", False),
        ("PEP 703 提出了方案。", False),
        ("It was accepted in June 2025.", False),
        ("PEP 703 costs 5 % of speed.", True),
        ("Python 3.12 has 40 new modules.", True),
        ("The survey ship Gazelle carried 210 men.", True),
        ("It cost USD 40 in Norland.", True),
        ("The depth near Guam is 8,184 m.", True),
        ("| Norland | 18,200 |", True),
    ],
)
def test_a_number_that_is_part_of_a_name_is_no_figure(quote: str, holds: bool) -> None:
    assert has_figure(quote) is holds
