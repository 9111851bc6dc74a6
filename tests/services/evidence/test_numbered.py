"""Sentences that are numbered: whatever a text is, each is short enough to be quoted, and all together are the text."""

import json

import pytest

from schemas.evidence import Passage
from schemas.researcher import Findings
from services.evidence.references import LONGEST, numbered, taken

ROWS = "\n".join(
    f"Station {number} of the survey in the western Pacific,{4_000 + number},1875" for number in range(200)
)
ITEMS = json.dumps([{"station": number, "depth": 4_000 + number} for number in range(200)])


def passage(text: str, start: int = 0, name: str = "P1") -> Passage:
    return Passage(id=name, content_hash="a", title="T", start=start, end=start + len(text), text=text)


@pytest.mark.parametrize("text", [ROWS, ITEMS, "x" * 2_000, "深" * 2_000, f"Short. {'y ' * 900}end. Last."])
def test_what_is_no_sentence_is_numbered_in_pieces_that_lose_nothing(text: str) -> None:
    [found] = numbered([passage(text)])
    assert max(end - start for start, end in found.spans) <= LONGEST
    assert "".join("".join(found.sentences).split()) == "".join(text.split())
    assert all(text[start:end] == text[start:end].strip() for start, end in found.spans)


def test_pieces_end_where_rows_and_items_do() -> None:
    [rows], [items] = numbered([passage(ROWS)]), numbered([passage(ITEMS)])
    assert rows.sentences == ROWS.split("\n")
    assert all(sentence.endswith(("},", "}]")) for sentence in items.sentences)


def test_a_sentence_of_two_passages_that_overlap_is_taken_once() -> None:
    page = "The wire broke. It was mended. It broke again."
    part = passage(page[16:30], 16, "P2")
    answer = Findings(high=["P2:1", "P1:1-3"])
    excerpts = taken(answer, numbered([passage(page), part])).excerpts
    assert [excerpt.quote for excerpt in excerpts] == ["It was mended.", "The wire broke.", "It broke again."]


def test_a_line_of_code_has_a_number() -> None:
    [found] = numbered([passage("You can run:\n\n```\nnpm init -w ./packages/a\n```\n\nIt makes the folder.")])
    assert found.sentences == ["You can run:", "npm init -w ./packages/a", "It makes the folder."]


def test_marks_of_items_belong_to_what_follows_and_headings_and_rulers_have_no_number() -> None:
    text = """#. After two releases (i.e., in 2026), the build is released
   with ``--lock``.
#. The lock goes.

1. Foo is good.

## Costs

Some. More.

Related work
------------

.. note::

   Accepted.

Outlook
======="""
    [found] = numbered([passage(text)])
    assert "\n".join(found.lines).split("\n") == [
        "1| #. After two releases (i.e., in 2026), the build is released with ``--lock``.",
        "2| #. The lock goes.",
        "3| 1. Foo is good.",
        "#| ## Costs",
        "4| Some.",
        "5| More.",
        "#| Related work",
        "6| .. note::",
        "7| Accepted.",
        "#| Outlook",
    ]
    assert [one.quote for one in taken(Findings(high=["P1:4", "P1:2"]), [found]).excerpts] == [
        "Some.",
        "#. The lock goes.",
    ]


def test_headings_are_numbered_where_there_is_nothing_else() -> None:
    [found] = numbered([passage("# The Tanager\n\n## Crew")])
    assert found.lines == ["1| # The Tanager", "2| ## Crew"]


def test_a_passage_lies_in_one_of_the_same_text_that_holds_it() -> None:
    whole, part, other = passage("One. Two.", 10), passage("Two.", 15), passage("Two. Three.", 15)
    assert part.lies_in(whole)
    assert not other.lies_in(whole)
    assert not part.model_copy(update={"content_hash": "b"}).lies_in(whole)
