"""How old a remembered statement may be, by what its question asks for."""

import pytest

from schemas.options import TimeRange
from services.turn.remembered_statements import oldest_allowed

TODAY = "2026-11-24"


@pytest.mark.parametrize(
    ("question", "time_range", "oldest"),
    [
        ("Who designed the wire sounding machine?", None, "2025-11-24"),
        ("Who is the current owner of the yacht?", None, TODAY),
        ("谁是目前的船主？", None, TODAY),
        ("How many ships were built in 2026?", None, TODAY),
        ("How many ships were built in 2025?", None, "2026-01-01"),
        ("2025年建造了多少艘船？", None, "2026-01-01"),
        ("How many ships were built in 1872?", None, "2025-11-24"),
        ("Who designed the wire sounding machine?", "week", "2026-11-17"),
        ("Who designed the wire sounding machine?", "year", "2025-11-24"),
        ("How many ships were built in 2025?", "day", "2026-11-23"),
    ],
)
def test_what_was_proven_before_is_checked_again(question: str, time_range: TimeRange | None, oldest: str) -> None:
    assert oldest_allowed(question, TODAY, time_range) == oldest
