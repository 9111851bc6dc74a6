"""The card of a source: what documents and pages say about themselves, in every usual form, and what is not believed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from docx import Document
from pypdf import PdfReader, PdfWriter

from schemas.card import LONGEST_TITLE, MAX_AUTHORS, Card
from schemas.evidence import Source, SourceKind
from services.search.documents import open_documents
from services.search.files.cards import card_of, properties_card, text_card
from services.search.files.conversion import Content, converted
from services.search.hit import Hit
from services.search.pages.extract import extract
from services.search.pages.extraction import Job
from tests.conftest import EXAMPLES
from tests.fakes.read_folder import filled

PEP = """PEP: 9703
Title: Making the Capstan Lock Optional in Sounding Machines
Author: Ada Holm <ada at example.org>, ben@example.org (Ben Nares),
        Cleo Hart,
        Dan Ives
Status: Final
Type: Standards Track
Created: 09-Jan-2023
Machine-Version: 3.13
Post-History: `09-Jan-2023 <https://example.org/t/1>`__, `04-May-2023 <https://example.org/t/2>`__
Resolution: `24-Oct-2023 <https://example.org/t/3>`__

Abstract
========

The capstan lock keeps two men from turning the drum.
"""
FRONT_MATTER = """---
title: "Wire: a history"
authors:
  - name: Ada Holm
  - Ben Nares
date: 2024-03-12
version: 2.1
status: draft
---

# Another heading

Piano wire is thin.
"""
CHINESE = """# 近海水深测量规程

文号：海测〔2023〕15号
作者：张三、李四
发布日期：2023年6月16日
状态：现行
版本：3.0

测深前应校准声速。
"""
PAGE = """<html><head><title>RFC 9998: Sounding Semantics | Editor</title>
<meta property="article:modified_time" content="2024-05-01T10:00:00Z"><meta name="viewport" content="width=1">
<script type="application/ld+json">{"@type": "TechArticle", "headline": "RFC 9998: Sounding Semantics",
"author": [{"@type": "Person", "name": "Ada Holm"}, {"@type": "Person", "name": "Ben Nares"}], "datePublished": "2022-06-06",
"version": "1.2", "creativeWorkStatus": "Published"}</script></head>
<body><h1>RFC 9998: Sounding Semantics</h1><p>A lead line is marked in fathoms, and each mark is told by its leather or its cloth.</p></body></html>"""


STATED = {
    "a.rst": PEP,
    "b.md": FRONT_MATTER,
    "c.md": CHINESE,
    "d.html": PAGE,
    "g.rst": "=========\nThe drum\n=========\n\n:Author: Ada Holm\n:Date: 2020/02/03\n\nIt turns.\n",
    "h.md": "# The **lead**\n\n**Author(s):** Ada Holm \\<ada@norland.example\\>\n**Report No.:** 12/2023\n\nIt is heavy.\n",
    "i-0306-drums.md": "# Drums {#drums}\n\n* Proposal: [SE-0306](0306-drums.md)\n* Authors: [Ada Holm](https://norland.example/ada)\n\n## Use {.wide}\n\nIt turns.\n",
    "j-2313-lines.md": "# MSC2313: Lines\n\nThey are long.\n",
    "L109.md": "# Failure of a line\n\nIt broke.\n",
    "news.md": "#### Upgrading to 2\n\n" + "A line. " * 9_000 + "\n\n#### Upgrading to 1\n",
    "0012-winches.md": "# Use steam\n\nIt pulls.\n",
    "1872-voyage.md": "# The voyage\n\nIt was long.\n",
    "2021_voyage.md": "# Another\n\nIt was short.\n",
    "k-2020-03-19.md": "# COVID-19: what ships did\n\nThey stayed in port.\n",
}


async def cards_of(folder: Path, home: Path) -> dict[str, Hit]:
    documents = await open_documents(folder, home)
    return {
        path.name: hit
        for path in sorted(folder.iterdir())  # noqa: ASYNC240 - a test has nothing else to do
        if (hit := await documents.at(f"{folder.name}/{path.name}"))
    }


def page_card(html: str) -> Card:
    job: Job = {
        "name": "page",
        "kind": "html",
        "charset": "utf-8",
        "url": "https://example.org/page",
        "characters": 10_000,
    }
    return Card.model_validate(extract(job, html.encode())["card"])


async def test_documents_of_every_kind_have_the_card_that_they_state(tmp_path: Path) -> None:
    folder = filled(tmp_path / "docs", STATED)
    word = Document()
    word.add_paragraph("The drum turns once a second.")
    word.core_properties.title, word.core_properties.author = "The drum", "Ada Holm"
    word.core_properties.modified = datetime(2021, 4, 5, tzinfo=UTC)
    word.save(str(folder / "e.docx"))
    pages = PdfWriter(clone_from=PdfReader(EXAMPLES / "deep-sea" / "errors-of-deep-sounding.pdf"))
    pages.add_metadata(
        {"/Author": "张三; Ada Holm", "/CreationDate": "D:20200102030405Z", "/Title": "Microsoft Word - draft.docx"}
    )
    with (folder / "f.pdf").open("wb") as file:
        pages.write(file)
    hits = await cards_of(folder, tmp_path / "home")
    lines = {name: hit.card.line for name, hit in hits.items()}
    title = hits["f.pdf"].title
    assert lines == {
        "0012-winches.md": "0012 – Use steam",
        "1872-voyage.md": "1872 – The voyage",
        "2021_voyage.md": "Another",
        "a.rst": "PEP 9703 – Making the Capstan Lock Optional in Sounding Machines (Ada Holm et al., created 2023-01-09, "
        "resolution 2023-10-24, Final, Machine 3.13)",
        "b.md": "Wire: a history (Ada Holm, Ben Nares, date 2024-03-12, draft, 2.1)",
        "c.md": "海测〔2023〕15号 – 近海水深测量规程 (张三, 李四, 发布日期 2023-06-16, 现行, 3.0)",
        "d.html": "RFC 9998: Sounding Semantics (Ada Holm, Ben Nares, modified time 2024-05-01, Published, 1.2, published 2022-06-06)",
        "e.docx": "The drum (Ada Holm, published 2021-04-05)",
        "f.pdf": f"{title} (file created 2020-01-02)",
        "g.rst": "g – The drum (Ada Holm, date 2020-02-03)",
        "h.md": "Report 12/2023 – The lead (Ada Holm)",
        "i-0306-drums.md": "SE-0306 – Drums (Ada Holm)",
        "j-2313-lines.md": "MSC2313: Lines",
        "L109.md": "L109 – Failure of a line",
        "news.md": "news",
        "k-2020-03-19.md": "COVID-19: what ships did (published 2020-03-19)",
    }
    assert (hits["j-2313-lines.md"].card.name, hits["k-2020-03-19.md"].card.name) == ("MSC2313", "")
    assert "## Use\n" in hits["i-0306-drums.md"].text
    assert "Microsoft" not in title
    assert hits["a.rst"].card.authors == ["Ada Holm", "Ben Nares", "Cleo Hart", "Dan Ives"]
    assert hits["d.html"].card.name == "RFC 9998"
    assert {name: hit.published for name, hit in hits.items()} == {
        "0012-winches.md": None, "1872-voyage.md": None, "2021_voyage.md": None, "a.rst": "2023-01-09", "b.md": "2024-03-12", "c.md": "2023-06-16", "d.html": "2022-06-06", "e.docx": "2021-04-05",
        "L109.md": None, "news.md": None, "f.pdf": None, "g.rst": "2020-02-03", "h.md": None, "i-0306-drums.md": None, "j-2313-lines.md": None, "k-2020-03-19.md": "2020-03-19",
    }  # fmt: skip
    assert hits["a.rst"].title.startswith("PEP 9703 – Making")
    assert hits["a.rst"].text.startswith("PEP: 9703\nTitle: Making")


def test_a_page_has_the_card_of_its_list_of_fields() -> None:
    listed = """<html><head><title>PEP 9703 – The lock | peps.example.org</title></head><body><h1>PEP 9703 – The lock</h1>
    <dl><dt>Author<span>:</span></dt><dd><a href="#">Ada Holm</a></dd><dt>Status:</dt><dd>Final</dd>
    <dt>Created:</dt><dd>09-Jan-2023</dd></dl><p>The capstan lock keeps two men from turning the drum at one time.</p></body></html>"""
    card = page_card(listed)
    assert (card.name, card.authors, card.status, card.published) == ("PEP 9703", ["Ada Holm"], "Final", "2023-01-09")


def test_a_page_has_the_number_of_its_title_and_authors_by_their_whole_names_and_nothing_of_a_list_in_its_text() -> (
    None
):
    card = page_card(
        """<html><head><title>RFC 9704 - The line</title><meta name="citation_author" content="Holm, Ada">
        <meta name="author" content="Moen, B., Lie, C. D."><meta name="dcterms.issued" content="2022-06"></head><body>
        <p>Our site</p><h1>The line</h1><p>Registered is:</p><dl><dt>Status:</dt><dd>permanent</dd></dl></body></html>"""
    )
    assert card.heading == "RFC 9704 – The line"
    assert card.authors == ["Ada Holm", "B. Moen", "C. D. Lie"]
    assert (card.published, card.status) == ("2022-06", "")


async def test_a_document_without_a_header_has_a_title_and_nothing_else(tmp_path: Path) -> None:
    notes = "wire.ropeVersion: Tells the kind of the rope that is to be used, a number.\nIt turns: once a second. The men sang, Ben said: slowly.\n\nNote: 5\n"
    folder = filled(tmp_path / "docs", {"sea_notes.md": notes})
    [hit] = (await cards_of(folder, tmp_path / "home")).values()
    assert hit.card == Card(title="sea notes")
    assert hit.card.line == hit.card.evidence == "sea notes"


@pytest.mark.parametrize(
    ("line", "authors", "published"),
    [
        ("作者：陈立文　2022年6月", ["陈立文"], "2022-06"),
        ("Author: Ann Sounder and Bob Lee, 12 March 2022", ["Ann Sounder", "Bob Lee"], "2022-03-12"),
        ("Author: Ann May", ["Ann May"], ""),
        ("Authors: Group 7, Ann Sounder", ["Group 7", "Ann Sounder"], ""),
    ],
)
def test_a_date_behind_the_authors_is_the_document_s(line: str, authors: list[str], published: str) -> None:
    card = text_card(f"The trams\n\n{line}\n\nThe Red Line opened in 2009.")
    assert (card.authors, card.published) == (authors, published)


def test_a_header_that_lies_is_not_believed_and_has_an_end() -> None:
    later = (datetime.now(UTC) + timedelta(days=400)).date()
    many = ", ".join(f"Ada Holm{number}" for number in range(500))
    lying = f"Date: {later}\nCreated: 31-Feb-2020\nAuthor: {many}\nStatus: {'x' * 1_000}\nTitle: {'long ' * 2_000}\n\nIt turns."
    card = text_card(lying)
    assert (card.published, card.dates) == ("", {})
    assert len(card.title) <= LONGEST_TITLE
    assert len(card.authors) <= MAX_AUTHORS
    assert len(card.line) < 600
    assert "\u202e" not in text_card("Title: The \u202edrum\x1b[2J\nAuthor: Ada Holm\n").line


@pytest.mark.parametrize(
    "text",
    [
        "GDP: 5.2% of last year\nNOTE: none\n",
        "NAME: 12\nPAGES: 300\n",
        "https://example.org\nSee: 12",
        "DATE: 2024-03-12\nAuthor: Ada Holm\n",
    ],
)
def test_what_only_looks_like_a_number_of_the_document_names_nothing(text: str) -> None:
    assert text_card(text).name == ""


def test_what_programs_write_where_nobody_wrote_anything_is_left_out() -> None:
    written = [("title", "Microsoft Word - x.docx"), ("author", "root"), ("modified", "yesterday")]
    assert card_of(written) == Card()
    assert card_of([("title", "Untitled"), ("author", "python-docx")]) == Card()


@pytest.mark.parametrize(
    "hostile",
    [
        "---\n" + "- [" * 2_000,
        "---\na: &a [x]\nb: *a\n---\n",
        "---\n? [a]: b\n---\n",
        "Key:\n" * 5_000,
        "`<" * 4_000,
        "Author: " + "a@" * 4_000,
        "=\n" * 4_000,
    ],
)
def test_a_hostile_beginning_is_read_like_any_other(hostile: str) -> None:
    assert text_card(hostile).authors == []


@pytest.mark.parametrize(
    ("url", "kind", "folder"),
    [
        ("notes/proposals/rejected/spans.md", "document", "proposals/rejected"),
        ("notes/spans.md", "document", ""),
        ("https://example.org/a/b/c", "web", ""),
    ],
)
def test_a_document_s_folder_is_on_its_card_and_is_evidence(url: str, kind: SourceKind, folder: str) -> None:
    card = Source(url=url, title="Spans", kind=kind, content_hash="a").card
    assert (card.folder, card.about) == (folder, f"in {folder}" if folder else "")
    assert (f"Spans\n{folder}" if folder else "Spans") == card.evidence


def date_of(text: str, of_file: str = "", name: str = "a.md") -> str | None:
    document = converted(
        name, text.encode(), lambda _, data: Content(data.decode(), properties_card([("modified", of_file)]))
    )
    return document["card"]["published"] or None


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ('---\ntitle: Wire\ndate: "2024-03-12"\n---\nPiano wire.', "2024-03-12"),
        ("# Wire\n\nDate: 12 March 2024\n\nPiano wire.", "2024-03-12"),
        ("Last updated: 2024-03\n\nPiano wire.", "2024-03"),
        ("Publication date: 2024/3/1 | Piano wire.", "2024-03-01"),
        ("发布日期：2024年3月12日\n\n钢琴线。", "2024-03-12"),
        ("updated: soon\npublished: 2021-05-05\nPiano wire.", "2021-05-05"),
        ("Birth date: 1824-06-26\nWilliam Thomson.", None),
        ("出生日期：1824年6月26日", None),
        ("mandate: 2024-01", None),
        ("# Get\n\n```\nname: ann\nupdated: 2017-10-02\n```\n\nPrints it.", None),
        ("date: 2024-02-30", None),
        ("date: " * 400, None),
        ("x" * 2_000 + "\ndate: 2024-03-12", None),
    ],
)
def test_a_text_that_tells_its_date_at_its_beginning(text: str, published: str | None) -> None:
    assert date_of(text) == published


def test_a_title_underlined_with_any_number_of_signs_is_no_generic_heading() -> None:
    body = "\n\n## Summary\n\nA line.\n\n## Motivation\n\nAnother."
    underlined, bare = (text_card(text, "sounding-lines") for text in (f"Sounding lines of hemp\n==={body}", body))
    assert (underlined.title, underlined.name) == ("Sounding lines of hemp", "")
    assert (bare.title, bare.name) == ("", ""), "it is named by its file"
    generic = body.replace("##", "#").lstrip()
    assert text_card(generic, "sounding-lines").heading == "sounding-lines – Summary"
    assert text_card(f"**Chapter 2 – Lines**\n\n{generic}", "02-lines").heading == "Chapter 2 – Lines"
    late = f"**Chapter 2**\n\n{generic}".replace("# Motivation", f"{'It is of hemp. ' * 300}\n\n# Motivation")
    assert text_card(late, "02-lines").heading == "Chapter 2"
    assert text_card(f"**Withdrawn**\n\n# Lines{body}", "lines").heading == "Lines"


def test_front_matter_in_toml_is_read() -> None:
    text = '+++\ntitle = "The drum"\nauthors = ["Ada Holm"]\ndate = 2024-03-12\n[extra]\nteam = "Sounders"\n+++\n\n# Its wire\n\nIt turns.\n'
    card = text_card(text)
    assert (card.title, card.authors, card.published) == ("The drum", ["Ada Holm"], "2024-03-12")
    placed = text_card('+++\npath = "news/2021/04/14/drum"\n+++\n\n# The drum\n')
    assert (placed.published, placed.dates) == ("2021-04-14", {})
    broken = text_card('+++\ntitle = "The drum\n+++\n\n# Its wire\n')
    assert broken.title == "Its wire"
    assert converted("a.md", text.encode(), lambda _, data: Content(data.decode()))["text"].startswith(
        '- title = "The drum"\n'
    )


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("劳动合同法(2012-12-28).md", "2012-12-28"),
        ("2024-03-12-wire.md", "2024-03-12"),
        ("minutes_2024_03_12.txt", "2024-03-12"),
        ("wire-2024.md", None),
        ("2024-13-12.md", None),
        ("12024-03-125.md", None),
        ("2999-01-01.md", None),
    ],
)
def test_the_name_of_a_file_tells_its_date(name: str, published: str | None) -> None:
    assert date_of("Piano wire.", name=name) == published
    assert date_of("Date: 2020-01-02\n\nPiano wire.", name=name) == "2020-01-02"


def test_the_date_of_the_file_counts_where_the_text_tells_none() -> None:
    assert date_of("Piano wire.", "20240312") == "2024-03-12"
    assert date_of("Date: 2021-05-05\nPiano wire.", "20240312") == "2021-05-05"
    assert date_of("Piano wire.", "yesterday") is None


async def test_documents_of_one_title_are_told_apart_by_their_files(tmp_path: Path) -> None:
    meeting = "# 107th meeting\n\nThe depth is {} fathoms.\n"
    days = {"2025-04/april-14.md": meeting.format("seven"), "2025-04/april-15.md": meeting.format("nine")}
    documents = await open_documents(filled(tmp_path / "minutes", days), tmp_path / "home")
    [hit] = await documents.search("seven", 1, "words")
    assert (hit.title, hit.card.name) == ("2025-04/april-14 – 107th meeting", "2025-04/april-14")
