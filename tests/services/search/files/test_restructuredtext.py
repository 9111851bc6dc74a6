"""reStructuredText that is drawn or marked carelessly: nothing of it is lost, glued or cut."""

import pytest

from services.search.files.read_rst import as_markdown


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


def test_substitutions_roles_and_escaped_blanks_read_as_what_they_stand_for() -> None:
    text = (
        "Of |wire|_ and |none|, 2\\ :sup:`32` m or :math:`x_1`; ``float``\\ s of Error_, see `the log`_, _`here`.\n\n"
        ".. |wire| replace:: piano\n   wire\n.. _wire: https://a.example\n.. _Error: `Cursor.Error`_\n.. _Cursor.Error:\n"
        ".. _the log: log_\n.. _log: https://b.example/_\n\n.. math::\n   :label: depth\n\n   d = v t\n"
    )
    assert as_markdown(text).split("\n\n") == [
        "Of piano wire and |none|, 2^32 m or $x_1$; `float`s of Error, see [the log](https://b.example/_), here.",
        "",
        "$$\nd = v t\n$$",
        "",
    ]


def test_directives_show_their_words_and_comments_nothing() -> None:
    text = (
        ".. A comment\n   in two lines.\n\n..\n\n   A quotation.\n\n.. figure:: drum.png\n   :alt: A drum\n         of wire\n   :width: 60%\n\n   Its caption.\n\n"
        ".. note:: Wear gloves,\n   both.\n\n.. rubric:: Notes\n\n.. c:function:: void haul(void)\n   :no-index:\n\n.. [1] A note.\n"
    )
    assert [part.strip() for part in as_markdown(text).split("\n\n") if part.strip()] == [
        "A quotation.",
        "![A drum of wire](drum.png)",
        "Its caption.",
        "Note: Wear gloves,\n   both.",
        "**Notes**",
        ".. c:function:: void haul(void)",
        ".. [1] A note.",
    ]


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ('   :header: "Ship", Depth\n', 'Blake, "2,000\n   |fathoms|"\n\n   Vema, ``9``\n'),
        ("   :delim: ;\n   :header-rows: 1\n", "Ship; Depth\n   Blake; 2,000 |fathoms|\n   Vema; ``9``\n"),
    ],
)
def test_a_table_of_csv_is_read_in_rows(options: str, rows: str) -> None:
    text = f".. csv-table:: Depths\n{options}\n   {rows}\n\nEnd."
    table = "| Ship | Depth |\n| --- | --- |\n| Blake | 2,000 \\|fathoms\\| |\n| Vema | `9` |"
    assert as_markdown(text).split("\n\n") == ["Depths", table, "", "End."]


def test_a_table_of_csv_that_stands_elsewhere_or_cannot_be_read_stays() -> None:
    assert ":file: depths.csv" in as_markdown(".. csv-table:: Depths\n   :file: depths.csv\n")
    assert "a;;b" in as_markdown(".. csv-table:: Depths\n   :delim: ;;\n\n   a;;b\n")
