"""That nobody is more of something than one row is a superlative of that row, checked over the column."""

import pytest

from services.evidence.support import check_support

RACE = (
    "| Rank | Runner | Club | Time | Half-way | Age |\n|---|---|---|---|---|---|\n| 1 | Selam Orrick | Harriers | 2:31:08 | 1:14:50 | 31 |\n"
    "| 2 | Dunja Pavlish | TV Rosenau | 2:32:45 | 1:14:12 | 27 |\n| 3 | Marit Eiker | Lofoten | 2:33:01 | 1:15:40 | 40 |"
)


@pytest.mark.parametrize(
    ("claim", "failing"),
    [
        ("Nobody passed the half-way mark sooner than Selam Orrick.", "table"),
        ("Nobody passed the half-way mark sooner than Dunja Pavlish.", ""),
        ("No other runner was older than Marit Eiker.", ""),
    ],
)
def test_nobody_is_more_than_the_row_with_the_extreme(claim: str, failing: str) -> None:
    assert check_support(claim, [RACE], ["Ostervik marathon"]).failing == failing
