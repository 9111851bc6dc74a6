"""Shares and times in words are read as the numbers they mean."""

import pytest

from services.text.shares import shares_of, times_in_two_units

HOUR = 3_600.0
YEAR = 31_557_600.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("It took an hour and 35 minutes.", 1.5 * HOUR + 300),
        ("It took a year and a half.", 1.5 * YEAR),
        ("It took two and a half hours.", 2.5 * HOUR),
        ("It took half an hour.", HOUR / 2),
        ("It took a quarter of an hour.", HOUR / 4),
        ("历时一年半。", 1.5 * YEAR),
        ("历时两个半月。", 2.5 * YEAR / 12),
        ("约需半小时。", HOUR / 2),
        ("等了一刻钟。", HOUR / 4),
        ("用时1小时35分钟。", 1.5 * HOUR + 300),
    ],
)
def test_a_time_in_two_units_or_with_a_half_is_one_time(text: str, seconds: float) -> None:
    [time] = times_in_two_units(text)
    assert time.measure.value == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    [
        "上半年营业收入增长。",
        "2022年9月28日。",
        "二〇一八年八月。",
        "It took five hours.",
        "半年度报告。",
        "下半月施工。",
    ],
)
def test_other_times_are_none(text: str) -> None:
    assert times_in_two_units(text) == []


def test_half_an_hour_is_no_share_but_twice_a_year_is_a_multiple() -> None:
    assert shares_of("It took half an hour.") == ()
    assert [share.value for share in shares_of("They breed twice a year; half of them fail.")] == [2, 0.5]
