"""Which quotes hold a figure: no date, no year, and no number that is part of a name."""

import pytest

from services.text.measures import has_figure


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
