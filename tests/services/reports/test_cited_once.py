"""Sentences in a row with the same sources name them once in Markdown."""

import pytest

from schemas.document import Citation, Inline, Inlines, Mark, Table, Text
from services.reports.rendering import inline_markdown, to_markdown
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


@pytest.mark.parametrize(
    ("second", "written"),
    [
        ((Text("4 "), A), "| Year | Depth [[1]](a) |\n| --- | --- |\n| 1 | 3 |\n| 2 | 4 |"),
        ((Text("4 "), B), "| Year | Depth |\n| --- | --- |\n| 1 | 3 [[1]](a) |\n| 2 | 4 [[2]](b) |"),
        ((Text("4"),), "| Year | Depth |\n| --- | --- |\n| 1 | 3 [[1]](a) |\n| 2 | 4 |"),
    ],
)
def test_a_table_whose_rows_have_the_same_source_names_it_in_its_head(second: Inlines, written: str) -> None:
    rows: list[tuple[Inlines, ...]] = [((Text("1"),), (Text("3 "), A)), ((Text("2"),), second)]
    assert to_markdown([Table(((Text("Year"),), (Text("Depth"),)), tuple(rows), ("", ""))]) == written
    marked = ((Text("5"),), (Text("6 "), A, Mark("inferred")))
    table = to_markdown([Table(((Text("Year"),), (Text("Depth"),)), (*rows, marked), ("", ""))])
    assert table == f"{written}\n| 5 | 6 [[1]](a)‡ |"


def test_ids_of_a_draft_stay_in_their_rows() -> None:
    rows = [((Text("1"),), (Text("3 "), Citation(0, "", ("E1-1",))))] * 2
    assert to_markdown([Table(((Text("Year"),), (Text("Depth"),)), tuple(rows), ("", ""))]).count("[E1-1]") == 2
