"""Questions are split into the clauses that ask something of their own."""

import pytest

from services.text.questions import clauses_of, headline, names_in


@pytest.mark.parametrize(
    ("question", "clauses"),
    [
        ("In robotics, what are the leading methods?", ["In robotics, what are the leading methods"]),
        (
            "On the Challenger, where was wire used, and who paid?",
            ["On the Challenger, where was wire used", "who paid"],
        ),
        ("With wire, how long does a cast take?", ["With wire, how long does a cast take"]),
        ("In which year did it sail, and who led it?", ["In which year did it sail", "who led it"]),
        ("When did it sail, and in which sea?", ["When did it sail", "in which sea"]),
        ("在水深测量中，钢丝有什么优点？", ["在水深测量中，钢丝有什么优点"]),
    ],
)
def test_what_only_says_what_a_question_is_about_is_no_clause(question: str, clauses: list[str]) -> None:
    assert clauses_of(question) == clauses


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("what sank?", "What sank?"),
        ("the lead line", "The lead line"),
        ("zstd or xz?", "zstd or xz?"),
        ("谁测深？", "谁测深？"),
    ],
)
def test_a_question_is_a_heading_with_a_capital_but_a_name_keeps_its_letters(question: str, title: str) -> None:
    assert headline(question) == title


def test_what_somebody_says_in_quotation_marks_is_no_name() -> None:
    said = "“主要原因是到货晚了，”李慧敏说，“预计不会影响供水。”见“云岭水务”和《供水条例》"
    assert names_in(said) == ("云岭水务", "供水条例")
