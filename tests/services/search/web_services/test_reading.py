"""Abstracts that are no plain text, and turns at a service that wants pauses."""

import pytest

from services.run.errors import SearchError
from services.search.web_services.client import LONGEST_WAIT, Pace
from services.search.web_services.results import without_markup


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("plain", "plain"),
        ("a < b and c > d, 3<4", "a < b and c > d, 3<4"),
        ("H<sub>2</sub>O &amp; <i>more</i>", "H2O & more"),
        ("<jats:title>Abstract</jats:title><jats:p>One.</jats:p> <jats:p>Two.</jats:p>", "One.\nTwo."),
        ("<p class='x'>One.<br/>Two.</p><!-- hidden -->", "One.\nTwo."),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"),
        ("unclosed <p", "unclosed <p"),
    ],
)
def test_markup_becomes_lines_of_text(markup: str, text: str) -> None:
    assert without_markup(markup) == text


@pytest.mark.parametrize("piece", ["<", "<p", "<p ", "</", "<!--", "<!-- -", "&", "&lt", "&#", "<a b='", "\n ", "<p>"])
def test_markup_takes_linear_time(piece: str) -> None:
    """A million characters: in quadratic time, the limit of a test would not do."""
    assert len(without_markup(piece * (1_000_000 // len(piece)))) <= 1_000_000


def test_too_many_that_wait_are_refused() -> None:
    pace = Pace(lambda: 0.0)
    turns = int(LONGEST_WAIT // 3) + 1
    assert [pace.take(3.0, "arXiv") for _ in range(turns)][-1] == LONGEST_WAIT
    with pytest.raises(SearchError, match="arXiv accepts one search every 3 seconds, and too many are waiting"):
        pace.take(3.0, "arXiv")
