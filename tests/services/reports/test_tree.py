"""A report's tree: it is kept as data, and its Markdown is read as the same text again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.document import Citation, Document, Paragraph, Text
from schemas.reporter import Report
from services.reports.document import cited_in, words
from services.reports.markdown_blocks import read_draft
from services.reports.rendering import to_draft, to_markdown
from tests.services.reports.checking.test_citations import PIECES
from tests.services.reports.full import chinese, english


@pytest.mark.parametrize("report", [english(), chinese()], ids=["english", "chinese"])
def test_a_report_that_was_stored_has_the_same_tree(report: Report) -> None:
    assert isinstance(report.document, Document)
    assert Report.model_validate_json(report.model_dump_json()).document == report.document
    assert Report.model_validate(report.model_dump()).document == report.document


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


def test_a_power_in_prose_keeps_its_signs() -> None:
    [paragraph] = read_draft("**Lead.** It was 2**25 wei[E1-1].")
    assert words(paragraph.content) == "Lead. It was 2**25 wei."  # type: ignore[union-attr]  # a paragraph


def test_an_exclamation_mark_makes_no_image_of_a_citation() -> None:
    assert to_markdown([Paragraph((Text("Wow!"), Citation(1, "s"), Text(" So!")))]) == "Wow\\![[1]](s) So!"
