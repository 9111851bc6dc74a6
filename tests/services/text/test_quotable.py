"""How what a source says in Markdown reads in a report."""

import pytest

from services.text.passages import unwrapped
from services.text.quotable import as_line, as_read


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
        ("Its form is `0x02 || rlp([a])`.", "Its form is 0x02 || rlp([a])."),
        (
            "He came in 2002.\n\n---\n\n*Changed* in 2018, at 2 * 3 and 4*5*6.",
            "He came in 2002. Changed in 2018, at 2 * 3 and 4*5*6.",
        ),
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
