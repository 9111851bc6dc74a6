"""Quotes are found under harmless differences, with exact offsets, and not found when they are not there."""

import tracemalloc

import pytest

from services.text import quote_location
from services.text.quotable import as_line, as_read
from services.text.quote_location import MAX_GAP, locate
from services.text.wrapped_lines import unwrapped

TEXT = (
    "The line read “4,475 fathoms”, meas-\nured on  the deep-sea\nvoyage. "
    "‘Then’ came the **big** wire – in 1872–1876.\n"
    "近视率为５２．７％，其中　小学生\n占比“较高”。"
    "See the tag <b> and the ﬁne café, or max\\_age\\_s of line."
)


def found(quote: str, text: str = TEXT) -> str | None:
    span = locate(quote, text)
    return None if span is None else text[span[0] : span[1]]


@pytest.mark.parametrize(
    ("quote", "stored"),
    [
        ("on the deep-sea voyage", "on  the deep-sea\nvoyage"),
        ('"4,475 fathoms"', "4,475 fathoms"),
        ("measured on the", "meas-\nured on  the"),
        ("'Then' came the big wire", "Then’ came the **big** wire"),
        ("wire - in 1872-1876", "wire – in 1872–1876"),
        ("近视率为52.7%,其中小学生占比", "近视率为５２．７％，其中　小学生\n占比"),
        ("「较高」", "较高"),
        ("the tag ‹b›", "the tag <b>"),
        ("the fine cafe\u0301", "the ﬁne café"),
        ("THE LINE READ", "The line read"),
        ("…came the *big* wire...", "came the **big** wire"),
        ("The line read … deep-sea voyage", TEXT[: TEXT.index(". ‘Then’")]),
        ("or max_age_s of line", "or max\\_age\\_s of line"),
        ("近视率为 [...] 占比", "近视率为５２．７％，其中　小学生\n占比"),
    ],
)
def test_harmless_differences_are_found_and_the_stored_text_is_returned(quote: str, stored: str) -> None:
    assert found(quote) == stored


@pytest.mark.parametrize(
    ("quote", "text", "stored"),
    [
        ("acks counts replicas", "- `acks` counts replicas.", "`acks` counts replicas"),
        ("acks is by default all", "The `acks` is by default `all`.", "`acks` is by default `all`"),
        ("is  by `all` default", "`acks` is by `all` default", "is by `all` default"),
        ('Lead" is  a weight', '"Lead" is a `weight`.', '"Lead" is a `weight`'),
        ("Lead” is  a “weight", "“Lead” is a “weight”", "“Lead” is a “weight”"),
        ("is  a weight", '"Lead" is a weight', "is a weight"),
        ("Depths On leads", "* Depths\n    > On leads.", "Depths\n    > On leads"),
        ("It is 5 m", "It is\n> 5 m", None),
        (
            "waits for the ack then ends",
            "    # waits for the\n    # ack\n    // then ends",
            "waits for the\n    # ack\n    // then ends",
        ),
        ("waits for the ack", "# waits for\n# 5 the ack", None),
        ("It is -5 m", "It is\n> -5 m", None),
    ],
)
def test_marks_of_code_and_quotations_are_whole_and_those_of_blockquotes_do_not_count(
    quote: str, text: str, stored: str | None
) -> None:
    assert found(quote, text) == stored


@pytest.mark.parametrize(
    "quote",
    [
        "4,476 fathoms",
        "the deep-sea voyages of",
        "近视率为52.8%",
        "小学生占比较低",
        "deep-sea voyage … The line read",
        "x",
        "。",
        "是",
        "… ... …",
        "",
        "therapist",
        "cafe",
    ],
)
def test_a_quote_that_is_not_there_is_not_found(quote: str) -> None:
    assert locate(quote, TEXT) is None


def test_an_ellipsis_does_not_span_more_than_its_gap() -> None:
    text = f"The beginning {'x ' * MAX_GAP}the end"
    assert locate("The beginning … the end", text) is None
    assert locate("The beginning … the end", f"{text}. The beginning and the end") == (len(text) + 2, len(text) + 27)


def test_an_ellipsis_of_the_text_itself_is_quoted_like_any_word() -> None:
    text = "like this:\n\n    import shutil\n    check_call([which('flit'), ...])\n"
    assert locate("import shutil\ncheck_call([which('flit'), ...])", text) == (16, len(text) - 1)
    assert locate("import  shutil ... ])", text) is None


def test_exact_matches_come_before_looser_ones() -> None:
    assert locate("Big wire", "big wire, Big wire") == (10, 18)


def test_an_address_is_found_with_and_without_its_angle_brackets() -> None:
    text = "Author: Holm <ada@norland.example>,\n Ole <https://norland.example/ole>, a < b > c."
    for quote in (text, "Holm ada@norland.example, Ole https://norland.example/ole, a < b > c."):
        assert found(quote, text) == text[text.find("Holm") if quote != text else 0 :]


def test_what_begins_or_ends_with_the_words_of_a_link_has_all_of_it() -> None:
    text = "[The survey](https://survey.example) went on to [map](a) it, see [here](b)."
    assert found("The survey went on", text) == "[The survey](https://survey.example) went on"
    assert found("map it, see here", text) == "[map](a) it, see [here](b)"
    assert (
        found("a bell [2] hangs", "There a bell [[2]](https://bell.example) hangs.")
        == "a bell [[2]](https://bell.example) hangs"
    )
    assert found("survey", text) == "survey"


@pytest.mark.parametrize("before", [999_990, 1_000_000, 2_500_000])
def test_a_quote_is_found_wherever_it_stands_in_a_long_text(before: int) -> None:
    text = f"{'x' * before} the **big** wire – in 1872–1876 {'y ' * 800_000}"
    assert found("the big wire - in 1872-1876", text) == "the **big** wire – in 1872–1876"


def test_a_long_text_is_searched_in_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folding all letters at once took half as much again."""
    monkeypatch.setattr(quote_location, "_WINDOW", 100_000)
    text = "ая " * 50_000
    tracemalloc.start()
    try:
        assert locate("the big wire - in 1872", text) is None
        assert tracemalloc.get_traced_memory()[1] < 9_000_000
    finally:
        tracemalloc.stop()


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
        (
            "It is f(*args, **kwargs), or **g(*a)**, of __init__, in `a **b` and `c **d`.",
            "It is f(*args, **kwargs), or g(*a), of __init__, in a **b and c **d.",
        ),
        ("**Not so.** It is **heavy", "Not so. It is **heavy"),
        ("It is 2**3 and 3**2.", "It is 2**3 and 3**2."),
        ("---", "---"),
        ("Its form is `0x02 || rlp([a])`.", "Its form is 0x02 || rlp([a])."),
        (
            "He came in 2002.\n\n---\n\n*Changed* in 2018, at 2 * 3 and 4*5*6.",
            "He came in 2002. Changed in 2018, at 2 * 3 and 4*5*6.",
        ),
        (f"A lead ![{'a lead on a line, ' * 30}](lead.png) sinks.", "A lead sinks."),
    ],
)
def test_a_quote_reads_as_a_line(quote: str, read: str) -> None:
    assert as_line(quote) == read


def test_rows_and_items_of_a_quote_stand_on_lines_of_their_own() -> None:
    quote = "## Ferries\n\nThey *carried*:\n\n- Kilo: 1,240\n  passengers\n- Lima: 980\n\nAnd\nso on.\n\n| a | b |\n|---|---|\n| 1 | 2 |\nEnd."
    assert as_read(quote).splitlines() == [
        "Ferries They carried:", "Kilo: 1,240 passengers", "Lima: 980", "And so on.", "a · b", "1 · 2", "End."
    ]  # fmt: skip
    assert as_line(quote) == "Ferries They carried: Kilo: 1,240 passengers Lima: 980 And so on. a · b 1 · 2 End."


def test_code_in_a_quote_keeps_its_lines_and_signs_without_its_fences() -> None:
    quote = "For *one*:\n\n```toml\n# The root\n[lead]\n  depth = `9` * 2\n```\n\nIt is\n**heavy**."
    assert as_read(quote) == "For one:\n# The root\n[lead]\n  depth = `9` * 2\nIt is heavy."
    assert as_line(quote) == "For one: # The root [lead] depth = `9` * 2 It is heavy."


@pytest.mark.parametrize("quote", ["a lead is heavy", "heavy and cast in one"])
def test_a_quote_takes_in_the_marks_of_the_bold_text_with_which_it_begins_or_ends(quote: str) -> None:
    text = "There **a lead** is **heavy** and **cast** in one."
    found = locate(quote, text)
    assert found is not None
    assert text[slice(*found)].count("**") % 2 == 0
