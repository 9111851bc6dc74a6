"""What of a text can be quoted as a sentence: prose and items, no code, pictures, mere links or drawn boxes."""

import pytest

from services.text.passages import unwrapped
from services.text.quotable import as_line, as_prose, has_code, quotable


def quoted(text: str) -> list[str]:
    return [as_prose(text[wording.start : wording.end]) for wording in quotable(text)]


@pytest.mark.parametrize(
    "text",
    [
        ".. image:: https://example.org/badge.svg?branch=master\n   :target: https://example.org/badge\n",
        ".. _`Trusted Keys`: https://example.org/keys.html\n",
        "1. [Usage of the lamp](https://example.org#usage)\n2. [Care of the lamp](https://example.org#care)\n",
        "│   Benchmark of the lamps           Min           Median          Max     │\n",
    ],
)
def test_what_only_links_or_draws_is_not_quoted(text: str) -> None:
    assert quoted(text) == []


def test_a_sentence_with_a_link_of_restructured_text_is_quoted_without_its_marks() -> None:
    text = "The lamp is used by `Stevenson`_ and by `the Northern Board <https://example.org/board>`_ alike."
    assert quoted(text) == ["The lamp is used by Stevenson and by the Northern Board alike."]


def test_code_is_told_from_prose() -> None:
    assert has_code("# make a lamp\n>>> lamp.light(3)")
    assert not has_code("The lamp was lit at dusk.")


def test_a_wrapped_line_is_joined_at_the_same_length() -> None:
    text = (
        "The lamp of the lighthouse does not burn whale oil or\nlamp oil to save the cost of shipping.\n\n- one\n- two"
    )
    joined = unwrapped(text)
    assert len(joined) == len(text)
    assert "whale oil or lamp oil" in joined
    assert joined.endswith("\n\n- one\n- two")


@pytest.mark.parametrize(
    ("quote", "read"),
    [
        ("## The lead\n\nA lead is **heavy** and `cast`.", "The lead A lead is heavy and cast."),
        ("| year | depth |\n|---|---:|\n| 1875 | 8,184 |", "year · depth 1875 · 8,184"),
        ("- See [the chart](charts.md) of the bay.", "See the chart of the bay."),
        ("不能把各年级的百分比直接平均**，因为人数不同。", "不能把各年级的百分比直接平均，因为人数不同。"),
        ("The area is 2**3 and not 9.", "The area is 2**3 and not 9."),
        ("---", "---"),
        (
            "He came in 2002.\n\n---\n\n*Changed* in 2018, at 2 * 3 and 4*5*6.",
            "He came in 2002. Changed in 2018, at 2 * 3 and 4*5*6.",
        ),
    ],
)
def test_a_quote_reads_as_a_line(quote: str, read: str) -> None:
    assert as_line(quote) == read


@pytest.mark.parametrize(
    "line",
    [
        "Share this article with a friend who would like to read about lighthouses.",
        "*This page last modified on 2018-04-02 15:25:54 UTC*",
        "Support The Keeper's fearless journalism with a small gift each month.",
        "- Sign up for our newsletter of the week!",
        "By Anna Maria Skerryvore, keeper of the records",
        "首页 · 景点 · 美食 · 登录",
        "© 2024 The Northern Board. All rights reserved.",
        "- https://example.org/keepers?page=3",
        "责任编辑：王晓明（实习生对本文亦有贡献，欢迎来信指正。）",
        "未经许可不得转载本站的任何文章。",
    ],
)
def test_what_belongs_to_the_page_is_not_quoted(line: str) -> None:
    assert quoted(f"{line}\n\nThe lamp was lit at dusk by the keeper.\n") == ["The lamp was lit at dusk by the keeper."]


@pytest.mark.parametrize(
    "line",
    [
        "Share prices of the northern yards fell in May.",
        "- By rail and by sea, the stone came from Mull.",
        "Subscriptions paid for a third of the lighthouse.",
        "By 1844 the tower stood 48 metres high.",
        "Support for the harbour grew after the storm.",
    ],
)
def test_a_sentence_that_begins_like_a_button_is_quoted(line: str) -> None:
    assert quoted(line) == [line.removeprefix("- ")]
