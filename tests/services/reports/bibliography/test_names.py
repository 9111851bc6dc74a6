"""Names of authors: parts where they are certain, whole names elsewhere."""

import pytest

from services.reports.bibliography import csl_name


@pytest.mark.parametrize(
    ("name", "family", "given"),
    [
        ("Ada B. Sounder", "Sounder", "Ada B."),
        ("Sounder, Ada B.", "Sounder", "Ada B."),
        ("Smith JA", "Smith", "J. A."),
        ("García Márquez G", "García Márquez", "G."),
        ("Ludwig van der Rohe", "van der Rohe", "Ludwig"),
        ("ADA SOUNDER", "SOUNDER", "ADA"),
        ("Xin Li", "Li", "Xin"),
    ],
)
def test_a_persons_name_is_taken_apart(name: str, family: str, given: str) -> None:
    assert csl_name(name) == {"family": family, "given": given}


def test_a_suffix_is_no_family_name() -> None:
    assert csl_name("Martin King Jr.") == {"family": "King", "given": "Martin", "suffix": "Jr."}
    assert csl_name("King, Martin, Jr.") == {"family": "King", "given": "Martin", "suffix": "Jr."}


@pytest.mark.parametrize(
    "name",
    ["World Health Organization", "The Hadal Group", "王小明", "김 철수", "Plato", "Smith & Sons", "", "A, B, C, D"],
)
def test_what_is_no_persons_name_or_not_certain_stays_whole(name: str) -> None:
    assert csl_name(name) == {"literal": name}
