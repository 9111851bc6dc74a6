"""The Word document: pages, contents, references, formulas and properties, and what is said where it cannot be made."""

import io
import re
import zipfile

import pytest
from lxml import etree

from schemas.reporter import Report
from services.reports import word
from services.reports.formats import render
from services.reports.parser import parse_report
from services.reports.word import CONTENTS_BEGIN, CONTENTS_END, QUOTE, Tree, render_docx
from services.run.errors import NotInstalled, SettingsError
from services.text.languages import direction
from tests.services.reports.full import ARABIC, ENGLISH, chinese, english, english_from, report_of, wide_table

pytest.importorskip("pypandoc", reason="Word needs the extra formats")
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
LONG = "\n\n".join(f"## Part {part}\n\n{'The line ran out to the bottom again. ' * 60}" for part in range(4))


async def parts(report: Report) -> dict[str, bytes]:
    """Return the files in a report's Word document, by name."""
    archive = zipfile.ZipFile(io.BytesIO((await render(report, ["docx"]))["report.docx"]))
    return {name: archive.read(name) for name in archive.namelist()}


async def text(report: Report) -> str:
    root = etree.fromstring((await parts(report))["word/document.xml"])
    return "\n".join("".join(one.itertext(f"{W}t")) for one in root.iter(f"{W}p"))


def told(body: str) -> Report:
    return english_from(f"# Title\n\n{body}\n")


async def test_pages_have_a_header_and_numbers() -> None:
    files = await parts(english())
    assert b"PAGE" in files["word/footer1.xml"]
    assert b"NUMPAGES" in files["word/footer1.xml"]
    assert b"TITLE" in files["word/header1.xml"]
    assert files["word/document.xml"].count(b"w:footerReference") == 2


@pytest.mark.parametrize("report", [english(), chinese(), told(LONG)], ids=["en", "zh", "long"])
async def test_every_link_into_the_document_leads_somewhere(report: Report) -> None:
    root = etree.fromstring((await parts(report))["word/document.xml"])
    marks = {one.get(f"{W}name") for one in root.iter(f"{W}bookmarkStart")}
    anchors = [one.get(f"{W}anchor") for one in root.iter(f"{W}hyperlink") if one.get(f"{W}anchor")]
    assert set(anchors) <= marks
    assert {f"ref-{one.number}" for one in parse_report(report).cited} <= set(anchors)


async def test_a_long_report_alone_has_a_list_of_contents() -> None:
    written = await text(told(LONG))
    assert re.search(r"\nContents\n.*?\nPart 0\nPart 1\nPart 2\nPart 3\n", written, re.DOTALL)
    assert "Contents" not in await text(english())


async def test_code_in_a_quote_stays_in_the_quote() -> None:
    root = etree.fromstring(
        (await parts(told("> So it is set:\n>\n> ```\n> [lead]\n>   depth = 9\n> ```")))["word/document.xml"]
    )
    [code] = [one for one in root.iter(f"{W}p") if "depth = 9" in "".join(one.itertext(f"{W}t"))]
    [style] = code.iter(f"{W}pStyle")
    assert style.get(f"{W}val") == "BlockText"
    assert "".join(code.itertext(f"{W}t")) == "[lead]  depth = 9"
    assert len([*code.iter(f"{W}br")]) == 1


async def test_what_a_source_struck_out_is_struck_out() -> None:
    root = etree.fromstring((await parts(told("> It takes ~~24~~ 36 months, a ~~ b.")))["word/document.xml"])
    struck = [run for run in root.iter(f"{W}r") if run.find(f"{W}rPr/{W}strike") is not None]
    assert ["".join(run.itertext(f"{W}t")) for run in struck] == ["24"]
    assert "It takes 24 36 months, a ~~ b." in "".join(root.itertext(f"{W}t"))


async def test_a_long_quote_is_cut_behind_a_word_in_the_references() -> None:
    texts = [*ENGLISH[:3], f"The Vityaz {'reported a figure again and again ' * 20}."]
    body = "# Title\n\n## Depth\n\nThe Vityaz reported a figure again and again [E1-4]."
    report = report_of(body, texts)
    quote = (await text(report)).rpartition("References")[2].partition("The Vityaz reported")[2].partition("\n")[0]
    assert re.search(r" (?:reported|a|figure|again|and) …$", quote), quote
    assert len(quote) <= QUOTE


async def test_a_wide_table_has_smaller_letters_and_no_row_on_two_pages() -> None:
    report = english_from(wide_table(3))
    document = (await parts(report))["word/document.xml"].decode()
    [table] = re.findall(r"<w:tbl>.*?</w:tbl>", document)
    assert table.count("<w:cantSplit />") == table.count("</w:tr>") == 4
    assert table.count("<w:tblHeader") == 1
    assert set(re.findall(r'w:pStyle w:val="(\w+)"', table)) == {"Cell7", "CellKept7"}
    assert b'w:styleId="CellKept7"' in (await parts(report))["word/styles.xml"]


async def test_what_is_written_from_the_right_is_set_from_there() -> None:
    report = english_from(ARABIC, locale="ar")
    root = etree.fromstring((await parts(report))["word/document.xml"])
    for paragraph in root.iter(f"{W}p"):
        said = "".join(paragraph.itertext(f"{W}t"))
        assert (paragraph.find(f"{W}pPr/{W}bidi") is not None) == (
            direction(said) == "rtl" or said == "1875 [1]" or not said
        ), said
    assert root.find(f".//{W}tblPr/{W}bidiVisual") is not None


async def test_formulas_are_words_own_and_a_wrong_one_is_text() -> None:
    files = await parts(told(r"So $\frac{v t}{2}$ and $x^2$, not $\nosuchthing{y}^2$."))
    assert files["word/document.xml"].count(b"<m:oMath>") == 2
    assert rb"\nosuchthing{y}^2" in files["word/document.xml"]


def test_only_the_frame_of_the_contents_is_raw() -> None:
    hostile = told(f"{LONG}\n\n`x`{{=openxml}}\n\n```{{=openxml}}\n<w:p/>\n```\n\n![i](file:///etc/passwd) <w:br/>")
    nodes = [Tree(parse_report(hostile)).document()]
    raw, pictures = [], []
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            raw += [node["c"][1]] if str(node.get("t")).startswith("Raw") else []
            pictures += [node["c"][2][0]] if node.get("t") == "Image" else []
        nodes += node.values() if isinstance(node, dict) else node if isinstance(node, list | tuple) else []
    assert sorted(raw) == sorted([CONTENTS_BEGIN, CONTENTS_END])
    assert all(picture.startswith("data:image/png;base64,") for picture in pictures)


def test_pandoc_is_stopped_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word, "SECONDS", 0.001)
    with pytest.raises(SettingsError, match="Pandoc failed"):
        render_docx(parse_report(english()))


def test_a_package_without_pandoc_is_answered_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word, "PROGRAMS", ("nothing",))
    with pytest.raises(NotInstalled, match=r"pypandoc-binary(?s:.*)formats"):
        render_docx(parse_report(english()))


async def test_signs_that_libreoffice_would_read_as_syntax_are_marked_as_letters() -> None:
    report = told(r"It is $(f(x)+1)^2$, or $[a+b]_3$, or $\{a\}^2$, or $= 3$, or $x^{+}$ [E1-1].")
    root = etree.fromstring((await parts(report))["word/document.xml"])
    literal = {run: run.find(f"{M}rPr/{M}lit") is not None for run in root.iter(f"{M}r")}
    signs = [(run.findtext(f"{M}t"), marked) for run, marked in literal.items() if not run.findtext(f"{M}t").isalnum()]
    brackets = [(sign, True) for sign in "(()"]
    assert signs[:5] == [*brackets, ("+", False), (")", True)]
    assert signs[5:] == [("[", True), ("+", False), ("]", True), ("{", False), ("}", False), ("=", True), ("+", True)]
    assert all(run[0][0].tag == f"{M}lit" for run, marked in literal.items() if marked), "the schema wants it first"


async def test_code_is_as_large_as_the_words_around_it() -> None:
    styles = etree.fromstring((await parts(told("It is `code` [E1-1].")))["word/styles.xml"])
    [code] = [style for style in styles.iter(f"{W}style") if style.get(f"{W}styleId") == "VerbatimChar"]
    assert code.find(f"{W}rPr/{W}rFonts") is not None
    assert code.find(f"{W}rPr/{W}sz") is None
