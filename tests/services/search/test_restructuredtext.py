"""reStructuredText that is drawn or marked carelessly: nothing of it is lost, glued or cut."""

import pytest

from services.search.read_rst import as_markdown


@pytest.mark.parametrize("blank", ["\n", "\n \t\n", "\n\n"])
def test_a_lone_backtick_reaches_no_further_than_its_paragraph(blank: str) -> None:
    text = f"The ring `shrinks.\n{blank}Pressure\n--------\n\nIt is ``12 bar``, at `most\nhalf`__.\n"
    assert as_markdown(text) == f"The ring `shrinks.\n{blank}# Pressure\n\nIt is `12 bar`, at most half.\n"


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (
            "======  ======  ======\n    Inputs      Output\n--------------  ------\n  A       B     A or B\n======  ======  ======\nFalse   True    True\n======  ======  ======",
            "| Inputs |  | Output |\n| --- | --- | --- |\n| A | B | A or B |\n| False | True | True |",
        ),
        (
            "====  ====\nRope  Hours\n====  ====\nHemp rope 3\nPianowire 1\n====  ====",
            "| Rope | Hours |\n| --- | --- |\n| Hemp rope | 3 |\n| Pianowire | 1 |",
        ),
        ("======  ====\n测深绳  天\n======  ====\n麻绳    3\n======  ====", "| 测深绳 | 天 |\n| --- | --- |\n| 麻绳 | 3 |"),
        ("+------+----+\n| 麻绳 | 天 |\n+======+====+\n| 长   | 3  |\n+------+----+", "| 麻绳 | 天 |\n| --- | --- |\n| 长 | 3 |"),
    ],
)  # fmt: skip
def test_a_cell_is_read_whole_where_it_stands_across_columns_or_is_of_wide_letters(drawn: str, read: str) -> None:
    assert as_markdown(drawn).strip() == read
