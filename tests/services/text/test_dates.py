"""Dates of sources in one form, and the time that a question asks about."""

from datetime import date

import pytest

from services.text.dates import WantedTime, iso_date, latest_day, wanted_time

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2024", "2024"),
        ("2024-03", "2024-03"),
        ("2024-3-5", "2024-03-05"),
        ("2024-03-12T08:00:00Z", "2024-03-12"),
        ("2024/3/1", "2024-03-01"),
        ("20240312", "2024-03-12"),
        ("2024年3月12日", "2024-03-12"),
        ("Tue, 12 Mar 2024 08:00:00 GMT", "2024-03-12"),
        ("March 12, 2024", "2024-03-12"),
    ],
)
def test_dates_of_many_forms_are_told_in_one(text: str, told: str) -> None:
    assert iso_date(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "",
        None,
        "spring",
        "3 days ago",
        "2024-02-30",
        "2024-13",
        "20241399",
        "0001-01-01",
        "2020\x1b[2J-01-01",
        "9" * 100_000,
    ],
)
def test_what_is_no_date_is_none(text: str | None) -> None:
    assert iso_date(text) is None
    assert latest_day(text) is None


def test_a_date_without_a_day_may_mean_its_last() -> None:
    assert latest_day("2024") == date(2024, 12, 31)
    assert latest_day("2024-02") == date(2024, 2, 29)
    assert latest_day("2024-12") == date(2024, 12, 31)
    assert latest_day("2024-02-03") == date(2024, 2, 3)


@pytest.mark.parametrize(
    ("question", "first", "last", "now"),
    [
        ("What is the latest version of Python?", 2026, 2026, True),
        ("Who is the current head of the harbour office?", 2026, 2026, True),
        ("目前中国近视率是多少？", 2026, 2026, True),
        ("How many lived there between 2019 and 2023?", 2019, 2023, False),
        ("Who won the World Cup 2022?", 2022, 2022, False),
        ("2023年全国人口是多少", 2023, 2023, False),
        ("How did sales develop last year?", 2025, 2025, False),
        ("去年的销量", 2025, 2025, False),
        ("as of 2021, how many members are there", 2021, 2021, False),
        ("What will the population be in 2050?", 2026, 2026, True),
        ("How has it changed since 1990, and how is it now?", 1990, 2026, True),
    ],
)
def test_a_dated_question_tells_its_time(question: str, first: int, last: int, now: bool) -> None:
    assert wanted_time(question, TODAY) == WantedTime(first, last, now)


@pytest.mark.parametrize(
    "question",
    [
        "How deep is the Mariana Trench?",
        "What is now Turkey was called how?",
        "What drives the current in the Gulf Stream?",
        "What is a direct current motor?",
        "Who lives between 1500 and 2000 metres?",
        "Who directed Blade Runner 2049 and Alien?",
        "1990年代的经济怎么样",
        "Which songs are of the 1990s?",
    ],
)
def test_a_question_without_a_time_is_not_dated(question: str) -> None:
    assert wanted_time(question, TODAY) is None
