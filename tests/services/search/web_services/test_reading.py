"""Paths into answers, abstracts that are no plain text, and turns at a service that wants pauses."""

from typing import Any

import pytest

from services.run.errors import SearchError
from services.search.web_services.atom import read_feed
from services.search.web_services.client import LONGEST_WAIT, Pace, pace_of
from services.search.web_services.paths import meets, scalar, steps, values_at
from services.search.web_services.results import from_inverted_index, without_markup

ANSWER: dict[str, Any] = {
    "a": {"b": [{"c": 1, "kind": "x"}, {"c": 2, "kind": "y"}, {"c": None}, "text"]},
    "one": {"c": 3, "kind": "x"},
    "with-dash": True,
    "total": 0,
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", [ANSWER]),
        ("a.b.*.c", [1, 2]),
        ("a.b.1.c", [2]),
        ("a.b.9.c", []),
        ("a.b[kind=y].c", [2]),
        ("a.b[kind=x][c=1].c", [1]),
        ("a.b[kind=x][c=2].c", []),
        ("one.*.c", [3]),
        ("one[kind=x].c", [3]),
        ("with-dash", [True]),
        ("a.b.c", []),
        ("total.deeper", []),
    ],
)
def test_a_path_leads_to_what_is_there(path: str, found: list[Any]) -> None:
    assert values_at(ANSWER, path) == found


@pytest.mark.parametrize("path", ["", ".", "a.", ".a", "a..b", "a[b", "a[b]", "a]", "a[=x]", "{a}", "a*"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="is not a path"):
        steps(path)


def test_conditions() -> None:
    assert meets(ANSWER, "total=0")
    assert meets(ANSWER, "with-dash=true")
    assert meets(ANSWER, "!query")
    assert not meets(ANSWER, "!a")
    assert not meets(ANSWER, "total=1")
    assert not meets(ANSWER, "missing=")


@pytest.mark.parametrize(
    ("value", "text"),
    [("x", "x"), (5, "5"), (2.5, "2.5"), (["", None, "y", "z"], "y"), ({}, ""), (True, ""), (None, ""), ([], "")],
)
def test_a_scalar_is_the_first_text_or_number(value: object, text: str) -> None:
    assert scalar(value) == text


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


def test_an_inverted_index_becomes_its_text() -> None:
    assert from_inverted_index({"to": [1, 3], "Back": [0], "and": [2], "fro": [4]}) == "Back to and to fro"
    assert from_inverted_index({"a": "x", "b": [None, -1, "2"], "c": [0]}) == "c"
    assert from_inverted_index(["a"]) == ""


def test_elements_of_a_feed_are_objects_lists_and_texts() -> None:
    feed = (
        b'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="urn:x"><!-- c --><entry><title type="text">One\n two</title>'
        b'<link rel="a" href="u"/><link rel="b" href="v"/><x:note>  A\n b.\n\n C. </x:note></entry></feed>'
    )
    (entry,) = values_at(read_feed(feed), "entry")
    assert entry["title"] == {"type": "text", "text": "One two"}
    assert values_at(entry, "link[rel=b].href") == ["v"]
    assert entry["note"] == "A b.\n\nC."


def test_turns_follow_each_other_after_the_pause() -> None:
    now = [100.0]
    pace = Pace(lambda: now[0])
    assert [pace.take(3.0, "arXiv") for _ in range(3)] == [0.0, 3.0, 6.0]
    now[0] = 200.0
    assert pace.take(3.0, "arXiv") == 0.0


def test_too_many_that_wait_are_refused() -> None:
    pace = Pace(lambda: 0.0)
    turns = int(LONGEST_WAIT // 3) + 1
    assert [pace.take(3.0, "arXiv") for _ in range(turns)][-1] == LONGEST_WAIT
    with pytest.raises(SearchError, match="arXiv accepts one search every 3 seconds, and too many are waiting"):
        pace.take(3.0, "arXiv")


def test_one_host_has_one_row_of_turns() -> None:
    assert pace_of("a.example") is pace_of("a.example")
    assert pace_of("a.example") is not pace_of("a.example:8080")
