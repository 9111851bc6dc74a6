"""Sentences in a row with the same sources name them once in Markdown."""

import pytest

from schemas.document import Citation, Inline, Mark, Text
from services.reports.rendering import inline_markdown
from services.reports.sentences import cited_once

A, B = Citation(1, "a", ("E1-1",)), Citation(2, "b", ("E2-1",))


@pytest.mark.parametrize(
    ("content", "written"),
    [
        ([Text("One "), A, Text(". Two "), A, Text(". Three "), B, Text(".")], "One. Two [[1]](a). Three [[2]](b)."),
        ([Text("One "), A, Text(". Two. Three "), A, Text(".")], "One [[1]](a). Two. Three [[1]](a)."),
        ([Text("One "), A, B, Text(". Two "), A, Text(".")], "One [[1]](a)[[2]](b). Two [[1]](a)."),
        ([Text("甲"), A, Text("。乙"), A, Text("。")], "甲。乙[[1]](a)。"),
        ([Text("One "), A, Text("."), Mark("inferred"), Text(" Two "), A, Text(".")], "One [[1]](a).‡ Two [[1]](a)."),
        ([Text("See .npmrc "), A, Text(". Two "), A, Text(".")], "See .npmrc. Two [[1]](a)."),
    ],
)
def test_sentences_in_a_row_name_the_same_sources_once(content: list[Inline], written: str) -> None:
    assert inline_markdown(cited_once(tuple(content))) == written
