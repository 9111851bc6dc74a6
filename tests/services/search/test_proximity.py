"""How much of a query stands together in a passage."""

import pytest

from services.search.proximity import proximity


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        (
            "How much forest was cleared a year?",
            "Every year 22,392 square kilometres are lost to deforestation and clearing.",
            "The fore deck was clear. Clerks wore years of medals for it.",
        ),
        ("他何时去世？", "他于1953年逝世。", "他何日出生，书中没有记载。"),
    ],
)
def test_another_form_of_a_word_counts_in_part(query: str, near: str, far: str) -> None:
    shares = proximity(query, [far, near])
    assert shares[0] < shares[1] < 1


def test_words_that_stand_together_count_more_than_words_that_are_scattered() -> None:
    scattered = "The captain slept. The sea was calm. A rope was cut. Rain fell. The bottom was sounded."
    close = "The captain sounded the sea. He found no bottom. A rope was cut. Rain fell. The crew slept."
    shares = proximity("Which captain sounded the sea bottom?", [scattered, close])
    assert shares[0] < shares[1] == pytest.approx(1.0)


def test_a_rare_part_counts_more_than_one_that_every_passage_holds() -> None:
    shares = proximity(
        "depth of the Tonga trench", ["A trench and its depth.", "The depth at Tonga.", "A trench and depth."]
    )
    assert shares.index(max(shares)) == 1


def test_headings_do_not_count() -> None:
    with_heading, without = proximity(
        "Sigsbee sounding machine", ["# Sigsbee sounding machine\n\nIt rained.", "It rained."]
    )
    assert with_heading == without < 0.1
