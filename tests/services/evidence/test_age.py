"""Old excerpts are told for a dated question, by the dates of their sources."""

import pytest

from schemas.evidence import Excerpt, Source
from services.evidence.age import outdated

TODAY = "2026-11-23"
POPULATION = "The harbour town of Vell has a population of {count} people according to the municipal register."


def evidence(*dated: tuple[str | None, str]) -> tuple[list[Excerpt], dict[str, Source]]:
    """Return an excerpt, `E1-1`, `E1-2` and so on, and its source for each date and quote."""
    excerpts, sources = [], {}
    for place, (published, quote) in enumerate(dated, 1):
        key = f"{place:064}"
        sources[key] = Source(url=f"{place}.md", title="", kind="web", content_hash=key, published=published)
        excerpts.append(Excerpt(id=f"E1-{place}", content_hash=key, quote=quote, start=0, end=len(quote)))
    return excerpts, sources


def ids(question: str, *dates: str | None) -> list[str]:
    quotes = ("A ferry crosses the bay.", "Tallow was pressed into the lead.", "The mill burned down.", "Snow fell.")
    return outdated(question, TODAY, *evidence(*zip(dates, quotes, strict=False)))


@pytest.mark.parametrize(
    "question",
    [
        "What is the current population of Vell?",
        "Who leads Vell now?",
        "维尔目前有多少人口？",
        "latest ferry timetable",
    ],
)
def test_what_is_years_old_is_old_for_a_question_about_today(question: str) -> None:
    assert ids(question, "2019-05-01", "2026-01-02", "2024", "2023") == ["E1-1", "E1-4"]


@pytest.mark.parametrize("question", ["How many lived in Vell in 2021?", "2021年维尔有多少人口？"])
def test_a_year_makes_old_what_was_published_long_before_it_and_nothing_after_it(question: str) -> None:
    assert ids(question, "2018-12-31", "2019-01-01", "2021", "2026") == ["E1-1"]


def test_a_question_without_a_time_and_sources_without_a_date_have_nothing_old() -> None:
    assert ids("Who founded Vell?", "1950", "2026") == []
    assert ids("Who leads Vell now?", None, "", "spring", "2024-13-45") == []


def test_a_newer_source_overtakes_an_older_one_that_says_something_else_of_the_same_thing() -> None:
    older, newer = POPULATION.format(count="4,100"), POPULATION.format(count="5,300")
    question = "What is the current population of Vell?"
    assert outdated(question, TODAY, *evidence(("2025-01-01", older), ("2026-06-01", newer))) == ["E1-1"]
    assert outdated(question, TODAY, *evidence(("2025-01-01", newer), ("2026-06-01", newer))) == []
    assert outdated(question, TODAY, *evidence(("2026-01-01", older), ("2026-06-01", newer))) == []
    assert outdated(question, TODAY, *evidence(("2025-01-01", "Snow fell."), ("2026-06-01", newer))) == []
    assert outdated("Vell in 2025", TODAY, *evidence(("2025-01-01", older), ("2026-06-01", newer))) == []


def test_a_day_that_is_none_and_an_excerpt_without_its_source_are_left_alone() -> None:
    excerpts, sources = evidence(("1999", "Snow fell."))
    assert outdated("Who leads Vell now?", "", excerpts, sources) == []
    assert outdated("Who leads Vell now?", TODAY, excerpts, {}) == []
