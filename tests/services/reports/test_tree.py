"""A report's tree: it is kept as data, and its Markdown is read as the same text again."""

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.document import (
    Break,
    Citation,
    Code,
    Document,
    Formula,
    Inline,
    Inlines,
    Link,
    Mark,
    Paragraph,
    Table,
    Text,
)
from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.document import cited_in, number_sides, words
from services.reports.formulas import plain_math
from services.reports.markdown_blocks import read_draft
from services.reports.parser import parse_report
from services.reports.rendering import inline_markdown, to_draft, to_markdown
from services.reports.sentences import cited_once, units_of
from tests.attacks.processor_time import processor_time
from tests.services.reports.checking.test_citations import PIECES
from tests.services.reports.full import chinese, english


@pytest.mark.parametrize("report", [english(), chinese()], ids=["english", "chinese"])
def test_a_report_that_was_stored_has_the_same_tree(report: Report) -> None:
    assert isinstance(report.document, Document)
    assert Report.model_validate_json(report.model_dump_json()).document == report.document
    assert Report.model_validate(report.model_dump()).document == report.document


def test_every_kind_of_text_that_was_stored_is_read_as_that_kind() -> None:
    line = (Text("a"), Break(), Mark(), Mark("inferred", "why", 3), Link("a", "b"), Formula("x"), Citation(1, "b"))
    report = Report(title="", markdown="", document=Document((Paragraph(line),)))
    assert Report.model_validate_json(report.model_dump_json()).document == report.document


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([*PIECES, "**", "a.", "[E1-2]", "|a|b|\n|-|-|\n", "†", "[⇒]", "  \n"]), max_size=30).map(
        "".join
    )
)
def test_a_draft_that_is_written_is_read_as_the_same_citations_and_written_alike(markdown: str) -> None:
    blocks = read_draft(markdown)
    written = to_draft(blocks)
    assert cited_in(read_draft(written)) == cited_in(blocks)
    assert to_draft(read_draft(to_draft(read_draft(written)))) == to_draft(read_draft(written))


def test_bold_text_beside_chinese_letters_is_bold() -> None:
    written = "**深度：**约11公里[E1-1]。"
    [paragraph] = read_draft(written)
    assert to_markdown([paragraph]) == written
    assert words(paragraph.content) == "深度：约11公里。"  # type: ignore[union-attr]  # a paragraph


def test_code_that_is_indented_as_a_whole_begins_at_the_left() -> None:
    [code] = read_draft("```python\n    for turn in range(2):\n        wind()\n```")
    assert code == Code("for turn in range(2):\n    wind()", "python")


def test_a_power_in_prose_keeps_its_signs() -> None:
    [paragraph] = read_draft("**Lead.** It was 2**25 wei[E1-1].")
    assert words(paragraph.content) == "Lead. It was 2**25 wei."  # type: ignore[union-attr]  # a paragraph


def test_an_exclamation_mark_makes_no_image_of_a_citation() -> None:
    assert to_markdown([Paragraph((Text("Wow!"), Citation(1, "s"), Text(" So!")))]) == "Wow\\![[1]](s) So!"


def test_the_counts_in_stored_markdown_are_no_text_of_the_report() -> None:
    stored = english().model_copy(update={"document": None})
    parsed = parse_report(stored)
    assert f"*{parsed.counts.text}*" in stored.markdown
    assert parsed.counts.text not in [words(block.content) for block in parsed.lead if isinstance(block, Paragraph)]


def _anchors(*titles: str) -> list[str]:
    text = "\n\n".join(chain(["# Report"], (f"## {title}" for title in titles)))
    parsed = parse_report(Report(title="", question="Which?", markdown=text, usage=Usage()))
    return [section.anchor for section in parsed.sections]


def test_equal_titles_are_numbered() -> None:
    assert _anchors("Depth", "Depth", "Depth 2", "Depth", "Depth 2") == [
        "sec-depth", "sec-depth-2", "sec-depth-2-2", "sec-depth-3", "sec-depth-2-3",
    ]  # fmt: skip


def test_thousands_of_equal_headings_take_linear_time() -> None:
    with processor_time(8):
        anchors = _anchors(*["Depth"] * 12_500)
    assert len(set(anchors)) == 12_500


A, B = Citation(1, "a", ("E1-1",)), Citation(2, "b", ("E2-1",))
CONCLUDED, UNPROVED = Mark("inferred"), Mark("unverified")


@pytest.mark.parametrize(
    ("content", "written"),
    [
        ([Text("One "), A, Text(". Two "), A, Text(". Three "), B, Text(".")], "One. Two [[1]](a). Three [[2]](b)."),
        ([Text("One "), A, Text(". Two. Three "), A, Text(".")], "One [[1]](a). Two. Three [[1]](a)."),
        ([Text("One "), A, B, Text(". Two "), A, Text(".")], "One [[1]](a)[[2]](b). Two [[1]](a)."),
        ([Text("甲"), A, Text("。乙"), A, Text("。")], "甲。乙[[1]](a)。"),
        ([Text("One "), A, Mark("inferred"), Text(". Two "), A, Text(".")], "One [[1]](a)‡. Two [[1]](a)."),
        (
            [Text("One "), A, CONCLUDED, Text(". Two "), A, CONCLUDED, Text(". Three "), A],
            "One. Two [[1]](a)‡. Three [[1]](a)",
        ),
        (
            [Text("One "), A, CONCLUDED, Text(". Two "), B, CONCLUDED, Text(".")],
            "One [[1]](a)‡. Two [[2]](b)‡.",
        ),
        (
            [Text("One "), A, UNPROVED, Text(". Two "), A, UNPROVED, Text(".")],
            "One [[1]](a)†. Two [[1]](a)†.",
        ),
        ([Text("甲"), A, CONCLUDED, Text("。乙"), A, CONCLUDED, Text("。")], "甲。乙[[1]](a)‡。"),
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


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"d = \frac{v \cdot t}{2}", "d = (v · t)/2"),
        (r"\frac{1}{2} m v^2", "(1/2)mv²"),
        (r"\frac{a+b}{c-d}", "(a + b)/(c − d)"),
        (r"\sqrt{x} y", "√(x)y"),
        (r"\sum_{i=1}^{n} x_i^2", "∑ᵢ₌₁ⁿ xᵢ²"),
        (r"a \times 10^{-3}", "a × 10⁻³"),
        (r"\bar{x} \ge -5", "x̄ ≥ −5"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a = b; c = d"),
        (r"\begin{align} a &= b \\ c &= d \end{align}", "a = b; c = d"),
        (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", "([1, 2; 3, 4])"),
        (r"\frac", r"\frac"),
    ],
)
def test_a_formula_on_one_line_reads_the_same(latex: str, line: str) -> None:
    assert plain_math(latex) == line


def test_columns_of_numbers_stand_to_the_right_also_with_dashes() -> None:
    rows = [["Senate", "5.4", "–", "2 ships", "–"], ["House", "—", "4,5", "none", ""]]
    assert number_sides(rows) == ("", "right", "right", "", "")


def test_units_are_not_cut_again() -> None:
    units = units_of((Text("Deep sea", frozenset({"strong"})), Citation(1, "b"), Text("e", frozenset({"code"}))))
    assert len(units) == 10
    assert all(again is unit for again, unit in zip(units_of(tuple(units)), units, strict=True))
