"""A sentence may name what it cites by its date or its title; what the source says keeps its own dates."""

import pytest

from services.evidence.source_dates import dated_title, with_publication_heads, without_source_dates
from services.evidence.support import check_support

NOTICE = dated_title("Notice: a new depth for the Kessel Deep", "2011-12-08")
PAPER = dated_title("The 2010 sonar survey of the Kessel Deep: the reviewed result", "2014-11-02")
DEPTH = "The depth of the Kessel Deep measured in 2010 is 10,984 metres, with an uncertainty of 25 metres."


@pytest.mark.parametrize(
    ("sentence", "quote", "title"),
    [
        ("The notice of December 2011 gave 10,984 metres, give or take 25 metres.", DEPTH, NOTICE),
        ("The 2011 notice placed its figure below the Soviet one of 1957.", "This is below the Soviet figure of 1957.", NOTICE),
        ("The reviewed account of the 2010 survey, dated 2014, warns that many keep an earlier figure.", "Many keep an earlier figure.", PAPER),
        ("The paper, published in 2014, gave 10,984 metres.", f"{DEPTH} The paper came out in 2014.", PAPER),
        ("For the reviewed result of 2014 the profile was computed anew.", "The profile was computed anew.", PAPER),
        ("2014年发表的论文给出的深度是10984米。", "2010年测得的最大深度为10984米。", dated_title("深渊测深复核结果", "2014-11-02")),
    ],
)  # fmt: skip
def test_the_date_of_a_cited_source_names_the_source(sentence: str, quote: str, title: str) -> None:
    assert check_support(sentence, [quote], [title]).failing == ""


@pytest.mark.parametrize(
    ("sentence", "quote", "title", "failing"),
    [
        ("The notice of December 2012 gave 10,984 metres.", DEPTH, NOTICE, "numbers"),
        ("In 2011 the Kessel Deep was 10,984 metres deep.", DEPTH, NOTICE, "numbers"),
        (
            "The survey of 2014 gave 12 boats.",
            "The survey of 2012 gave 12 boats, that of 2014 gave 15.",
            PAPER,
            "period",
        ),
    ],
)
def test_the_date_of_a_source_dates_nothing_else(sentence: str, quote: str, title: str, failing: str) -> None:
    assert check_support(sentence, [quote], [title]).failing == failing


def test_only_dates_of_the_source_are_left_out() -> None:
    sentence = "The notice of December 2011 compares 1957 and 1984."
    assert without_source_dates(sentence, [], [NOTICE]) == "The notice of compares 1957 and 1984."
    assert without_source_dates(sentence, [], ["Notice: a new depth"]) == sentence


def test_a_column_of_dates_of_publication_says_so_in_its_cells() -> None:
    assert with_publication_heads(["2014", "10,984 m"], ["published", "depth"]) == ["published 2014", "10,984 m"]
    row = "published 2014 | 10,984 m"
    assert check_support(row, [f"{DEPTH} The paper came out in 2014."], [PAPER]).failing == ""


def test_a_title_names_what_its_quote_leaves_unsaid() -> None:
    quotes = [DEPTH, "Samantha Orrin, with sensors on landers in 2020, gave 10,935 metres."]
    sentence = "The figures for the Kessel Deep are 10,984 metres and, from sensors, 10,935 metres."
    assert check_support(sentence, quotes, [PAPER, "Measuring the Kessel Deep"]).failing == ""
    assert check_support(sentence, quotes, [PAPER, "Measuring the Corvo Trench"]).failing == "subject"
