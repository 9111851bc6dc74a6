"""A long text holds a claim only where one passage of it has the claim's names and numbers."""

from services.evidence.support import check_support

FILLER = [f"The mill by the lower weir ground rye in season {letter}." for letter in "abcdefghijklmno"]
OPENED = "Ada Brand opened the mill by the weir."
SOLD = "The mill was sold for 4,300 crowns."


def test_names_and_numbers_of_one_passage_hold_a_claim() -> None:
    assert not check_support("Ada Brand sold the mill for 4,300 crowns.", [*FILLER, OPENED, SOLD]).failing


def test_names_and_numbers_from_far_apart_do_not() -> None:
    assert check_support("Ada Brand sold the mill for 4,300 crowns.", [OPENED, *FILLER, SOLD]).failing == "words"


def test_worked_out_numbers_are_looked_for_in_no_passage() -> None:
    again = "Nine years later the mill was sold once more, for 5,000 crowns."
    assert not check_support(
        "The mill was sold for 4,300 crowns, and later for 700 more.", [*FILLER, SOLD, again]
    ).failing


def test_a_long_text_about_something_else_holds_no_claim() -> None:
    assert check_support("The weir at the lower mill was repaired by monks.", FILLER).failing == "words"


def test_rows_of_a_long_table_may_stand_apart() -> None:
    rows = [f"| Mill {letter} | {number} |" for letter, number in zip("abcdefghijkl", range(310, 430, 10), strict=True)]
    table = "\n".join(["| Mill | Tonnes of rye |", "|---|---|", *rows])
    assert not check_support("Mill a ground 310 tonnes of rye, 110 less than mill l.", [table]).failing
