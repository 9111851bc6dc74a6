"""One report, many formats: any report renders in each of them, and all say and cite the same."""

import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable
from importlib.util import find_spec
from itertools import chain

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import html
from rich.console import Console

from leadline.cli.report_text import print_report
from leadline.evaluation.measures import own_text
from schemas.document import Block, Citation, Drawing, Heading, Inline, Paragraph, Table, Text
from schemas.reporter import Report
from services.reports.document import walk, words
from services.reports.formats import FORMATS, chosen_formats, render
from services.reports.formulas import with_dollars
from services.reports.html.page import render_html
from services.reports.labels import labels_for
from services.reports.parser import parse_report
from services.reports.slides.deck import render_deck
from services.reports.slides.slide_outline import outline
from services.run.errors import BadInput
from services.sandbox.browser import find_browser
from tests.services.reports.full import chart, chinese, english, english_from, report_of, wide_table
from tests.services.reports.vectors import VECTORS, hostile_report

LINKS = {one.number: one.link for one in parse_report(english()).references}
CITE = st.sampled_from([f"[[{number}]]({link})" for number, link in LINKS.items()])
PIECE = st.one_of(
    st.text(st.characters(blacklist_categories=["Cc", "Cs", "Co"], blacklist_characters="\ue000\ue001"), max_size=24),
    st.sampled_from(
        ["深度约为8184米。", "It is 8,184 metres.", "**strong**", "*soft*", "`code`", "$x^2$", "\\(a_b\\)", "(⚠ unverified)", "x†", "x‡", "†", "(≈ inferred)", "<b>",
         "a | b", "# no", "1. x", "> q", "***", "US$5 and $6", "[x](javascript:1)", "![i](x)", "&amp;", "\\*", "~~s~~", "（⚠ 未核实）", "（≈ 推断）"]
    ),
    CITE,
)  # fmt: skip
LINE = st.lists(PIECE, min_size=1, max_size=6).map(" ".join)
BLOCK = st.one_of(
    LINE,
    LINE.map(lambda line: f"> {line}"),
    st.lists(LINE, min_size=1, max_size=4).map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    st.lists(LINE, min_size=1, max_size=4).map(
        lambda lines: "\n".join(f"{place}. {line}" for place, line in enumerate(lines, 3))
    ),
    st.lists(LINE, min_size=1, max_size=3).map(
        lambda lines: "| a | b |\n|---|:-:|\n" + "\n".join(f"| {line} | 1 |" for line in lines)
    ),
    LINE.map(lambda line: f"### {line}"),
    LINE.map(lambda line: f"## {line}"),
    st.tuples(st.sampled_from(["", "mermaid", "chart", "python"]), LINE).map(lambda one: f"```{one[0]}\n{one[1]}\n```"),
    st.just(chart()),
    st.just("$$\n\\frac{a}{b}\n$$"),
    LINE.map(lambda line: f"**TL;DR** {line}"),
)
BODY = st.lists(BLOCK, max_size=8).map("\n\n".join)
often = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def with_body(body: str) -> Report:
    return english_from(f"# Title\n\n{body}\n")


def cited_on_page(page: str) -> set[int]:
    """Return what a page's text cites, without the notes and cards that repeat it."""
    repeating = "ancestor-or-self::nav or ancestor-or-self::section[@class='figures' or @class='references']"
    return {int(number) for number in html.fromstring(page).xpath(f"//*[@data-ref][not({repeating})]/@data-ref")}


def inlines_of(block: Block) -> list[Inline]:
    """Return what stands in one block itself, not in blocks inside it."""
    match block:
        case Paragraph(content=content) | Heading(content=content):
            return list(content)
        case Table(header=header, rows=rows):
            return [inline for row in (header, *rows) for cell in row for inline in cell]
        case Drawing(citations=citations):
            return list(citations)
        case _:
            return []


def cited_in(inlines: Iterable[Inline]) -> set[int]:
    return {one.number for one in inlines if isinstance(one, Citation)}


def test_formulas_in_brackets_are_told_from_escaped_brackets() -> None:
    assert (
        with_dollars(r"so \(a_b\) and \[E = mc^2\] but \[sic\] and \\(x=1\\)")
        == r"so $a_b$ and $$E = mc^2$$ but \[sic\] and \\(x=1\\)"
    )
    (block,) = parse_report(with_body(r"It says \[0\] and \[x = 1\].")).lead
    assert [one.text for one in inlines_of(block) if isinstance(one, Text)] == ["It says [0] and [x = 1]."]


@often
@given(BODY)
@example("\n\n- \n- [[1]](sources/01-source-4.txt)")
@pytest.mark.long
def test_any_report_renders_as_page_and_deck_and_cites_the_same(body: str) -> None:
    parsed = parse_report(with_body(body))
    in_titles = cited_in(chain(parsed.title, *(section.title for section in parsed.sections)))
    below = cited_in(chain(parsed.summary, *(inlines_of(block) for block in walk(parsed))))
    known = {one.number for one in parsed.references}
    assert cited_on_page(render_html(parsed, interactive=False)) == (in_titles | below) & known
    slides = {
        number for one in outline(parsed) for number in (*one.numbers, *(n for card in one.cards for n in card.numbers))
    }
    assert (below & known) - in_titles <= slides
    assert "<script" in render_deck(parsed)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(BODY)
@pytest.mark.long
async def test_any_report_renders_in_the_office_formats(body: str) -> None:
    pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    files = await render(with_body(body), ["pptx", "docx"])
    for data in files.values():
        assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


@pytest.mark.parametrize("report", [english(), chinese()], ids=["en", "zh"])
async def test_word_holds_every_word_and_every_citation_of_the_text(report: Report) -> None:
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    docx = pytest.importorskip("docx")
    document = docx.Document(io.BytesIO((await render(report, ["docx"]))["report.docx"]))
    body = "".join(node.text or "" for node in document.element.body.iter() if node.tag.endswith("}t"))
    parsed = parse_report(report)
    for block in walk(parsed):
        for one in inlines_of(block):
            if isinstance(one, Text) and len(one.text) > 3:
                assert one.text.strip() in body, one
    assert words(parsed.title) in body
    for number in {one.number for one in parsed.references if one.cited}:
        assert f"[{number}]" in body


needs_pdf = pytest.mark.skipif(
    find_browser() is None and not find_spec("weasyprint"), reason="PDF needs Chromium or the extra pdf"
)


@needs_pdf
@pytest.mark.long
async def test_pdf_has_numbered_pages_and_the_report_s_words_and_no_contents_if_it_is_short() -> None:
    pypdf = pytest.importorskip("pypdf")
    data = (await render(chinese(), ["pdf"]))["report.pdf"]
    pages = [
        re.sub(r"\s+", "", unicodedata.normalize("NFKC", page.extract_text()))
        for page in pypdf.PdfReader(io.BytesIO(data)).pages
    ]
    for number, text in enumerate(pages, 1):
        assert f"{number}/{len(pages)}" in text
    whole = "".join(pages)
    assert labels_for("zh-CN").contents not in whole
    for figure in parse_report(chinese()).figures:
        assert figure.value.replace(" ", "") in whole


@needs_pdf
async def test_a_long_pdf_has_a_list_of_contents_and_two_lines_of_a_quote() -> None:
    body = "\n\n".join(f"## Part {part}\n\n{'The line ran out again [E1-1]. ' * 100}" for part in range(4))
    report = report_of(f"# Title\n\n{body}", ["The line ran out again. " * 40], "What ran out?")
    said = printed((await render(report, ["pdf"]))["report.pdf"])
    assert "ContentsPart0Part1Part2Part3" in said
    assert said.rpartition("References")[2].count("ran") < 40


@needs_pdf
@pytest.mark.long
async def test_a_wide_table_stands_whole_on_paper() -> None:
    pypdfium2 = pytest.importorskip("pypdfium2")
    report = english_from(wide_table(30))
    pages = [*pypdfium2.PdfDocument((await render(report, ["pdf"]))["report.pdf"])]
    said = "\n".join(page.get_textpage().get_text_range() for page in pages)
    assert all(said.count(word) >= 30 for word in ("Challenger", "1873", "Pacific", "Admiralty", "remark", "[1]"))
    assert len(pages) <= 5


def printed(data: bytes) -> str:
    """Return the words of a PDF, without blanks and without the numbers of its pages."""
    pypdfium2 = pytest.importorskip("pypdfium2")  # reads letters beyond the first plane right, which pypdf does not
    pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data)]
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", "".join(pages)))


@pytest.mark.long
async def test_pdf_without_a_browser_is_set_by_weasyprint(monkeypatch: pytest.MonkeyPatch) -> None:
    pypdf = pytest.importorskip("pypdf")
    pytest.importorskip("weasyprint", reason="PDF without Chromium needs the extra pdf")
    monkeypatch.setenv("PATH", "")
    data = (await render(english(), ["pdf"]))["report.pdf"]
    whole = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
    assert "10,994 metres" in whole
    assert "d = (v · t)/2" in whole


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_hostile_text_breaks_no_format_and_no_format_blocks_the_event_loop() -> None:
    pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    names = [one for one in FORMATS if one != "pdf"]
    with blockbuster_ctx():
        files = await render(hostile_report(VECTORS, drawn=4), names)  # a page has all of them drawn, in test_html.py
    assert set(files) == {FORMATS[one].file for one in names}


async def test_the_points_of_an_opening_stand_with_it_before_the_contents() -> None:
    points = "- Wire is thin [E1-2].\n- Rope stretches [E1-1]."
    sections = "\n\n".join(f"## Part {n}\n\n{'It is deep, as both say [E1-1]. ' * 60}" for n in range(5))
    body = f"# Depth\n\n**TL;DR** It is deep [E1-1].\n\n{points}\n\nMore [E1-2].\n\n{sections}\n"
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    report = report_of(body, ["It is deep.", "Wire is thin."])
    parsed = parse_report(report)
    assert parsed.is_long
    page = render_html(parsed, interactive=False)
    box = page[page.index('<section class="summary"') :].partition("</section>")[0]
    assert ("Wire is thin" in box, "Rope stretches" in box, "More" in box) == (True, True, False)
    [opening] = [slide for slide in outline(parsed) if slide.title.startswith("In short")][:1]
    assert [card.text for card in opening.cards][:3] == ["It is deep.", "Wire is thin.", "Rope stretches."]
    [word] = (await render(report, ["docx"])).values()
    text = zipfile.ZipFile(io.BytesIO(word)).read("word/document.xml").decode()
    assert text.index("Wire is thin") < text.index("Contents")
    console = Console(file=io.StringIO(), width=100)
    print_report(report, console)
    printed = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert printed.index("It is deep") < printed.index("Wire is thin") < printed.index("More")
    assert "Wire is thin" in " ".join(said for _, said in own_text(parsed))


def test_a_cover_shows_a_long_title_whole() -> None:
    title = " ".join(f"word{number:02d}" for number in range(20))
    report = report_of(f"# {title}\n\nIt is deep [E1-1].\n", ["It is deep."])
    assert f">{title}</h1>" in render_deck(parse_report(report))


def test_formats_are_named_as_people_name_them() -> None:
    assert chosen_formats("md, HTML,.pdf,ppt") == ["md", "html", "pdf", "pptx"]
    with pytest.raises(BadInput, match=r"no format 'odt'. Choose from: md, html"):
        chosen_formats("md,odt")
    with pytest.raises(BadInput, match="No format is named"):
        chosen_formats(" , ")
