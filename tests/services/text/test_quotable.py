"""Quotes as a reader sees them: without the marks of Markdown."""

import pytest

from services.text.quotable import as_line


@pytest.mark.parametrize(
    ("quote", "read"),
    [
        ("## The lead\n\nA lead is **heavy** and `cast`.", "The lead A lead is heavy and cast."),
        ("| year | depth |\n|---|---:|\n| 1875 | 8,184 |", "year · depth 1875 · 8,184"),
        ("- See [the chart](charts.md) of the bay.", "See the chart of the bay."),
        ("不能把各年级的百分比直接平均**，因为人数不同。", "不能把各年级的百分比直接平均，因为人数不同。"),
        ("The area is 2**3 and not 9.", "The area is 2**3 and not 9."),
        ("---", "---"),
    ],
)
def test_a_quote_reads_as_a_line(quote: str, read: str) -> None:
    assert as_line(quote) == read
