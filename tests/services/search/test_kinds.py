"""What people keep in folders: markup, code, data, mails, office files and books, each found by its words."""

import json
from email.message import EmailMessage
from pathlib import Path

import pytest

from services.search.documents import Documents, open_documents
from services.search.files_read import file_messages, files_read
from services.search.hit import Hit
from services.text.passages import split
from services.text.spans import block_around
from tests.fakes.read_folder import filled, read_once
from tests.services.search.files.office_files import write_office

RST = """\
PEP: 900
Title: Wires for Sounding
Author: Ann Sounder <ann at example.org>
Status: Final
Created: 09-Jan-2021

Abstract
========

Piano wire replaced rope.

Performance
===========

Measured like this::

    # a comment and no heading

    haul(wire)

+---------+----------------+
| Ship    | Fathoms        |
+=========+================+
| Blake   | 2,000 in all   |
|         | weathers       |
+---------+----------------+
| Enterp. | 3,000          |
+---------+----------------+

======  =====
Rope    Hours
======  =====
Hemp    3

Wire    1
======  =====

.. list-table:: Prices
   :header-rows: 1

   * - Item
     - Pounds
   * - Drum
     - 5
   * - Lead
     - 2

"""
DRAWN = "+---+---+\n| a | b |\n+---+---+\n| both  |\n+-------+"
"""A table with a cell across others."""
FILES: dict[str, str | bytes] = {}


def written(name: str, content: str | bytes) -> str:
    """Put a file into the folder that all tests here read, and return its place."""
    FILES[name] = content
    return f"kinds/{name}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all files, which has been read once."""
    folder = filled(tmp_path_factory.mktemp("read") / "kinds", {**PLAIN, **FILES})
    write_office(folder)
    return read_once(folder)


@pytest.fixture
async def documents(folder: Path) -> Documents:
    return await open_documents(folder, folder.parent / "home")


async def read(documents: Documents, place: str) -> Hit:
    hit = await documents.at(place)
    assert hit
    return hit


PLAIN = {
    "guide.adoc": "= Guide\n\nThe adocword is here.",
    "notes.org": "* Notes\n\nThe orgword is here.",
    "paper.tex": "\\section{Paper} The texword is here.",
    "page.textile": "h1. Page\n\nThe textileword is here.",
    "haul.py": "# Copyright of nobody\n\ndef pyword(): ...",
    "data.json": '{"jsonword": [1, 2]}',
    "lines.jsonl": '{"jsonlword": 1}\n{"b": 2}',
    "conf.yaml": "# settings\nyamlword: 1",
    "conf.toml": "tomlword = 1",
    "feed.xml": "<a><b>xmlword</b></a>",
    "run.log": "2026-01-01 ERROR logword",
    "film.srt": "1\n00:00:01,000 --> 00:00:02,000\nsrtword",
    "letter.rtf": r"{\rtf1\ansi\ansicpg1252 The {\b rtfword} caf\'e9.}",
    "mail.eml": "Subject: Sounding\nFrom: ann@example.org\nDate: Tue, 3 Mar 2020 10:00:00 +0000\n"
    "Content-Type: text/html; charset=utf-8\n\n<p>The emlword <b>came</b>.</p>\n",
    "book.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["# Depths\n", "\n", "The ipynbword."]},
                {"cell_type": "code", "source": "print(1)", "outputs": [{"text": ["cellword\n"]}]},
            ]
        }
    ),
}


async def test_every_kind_is_found_by_its_words(documents: Documents) -> None:
    assert documents.unreadable == [("empty.md", "empty")]
    others = "docx html pptx odt odp ods epub xls msg".split()
    for kind in [*(name.rpartition(".")[2] for name in PLAIN), *others]:
        hits = await documents.search(f"{kind}word", 3, "words")
        assert [Path(hit.url).suffix for hit in hits] == [f".{kind}"]
    assert (await documents.search("Maskelyne wire sounding errors", 1, "words"))[0].url.endswith(".pdf")
    assert (await documents.search("North Pacific mapped", 1, "words"))[0].url.endswith(".xlsx")
    titles = {hit.url: hit.title for hit in await documents.search("*", 99)}
    assert titles["kinds/haul.py"] == "haul.py"
    assert (titles["kinds/mail.eml"], titles["kinds/old.msg"]) == ("Sounding", "Ropes of hemp")
    assert titles["kinds/talk.pptx"] == "talk – Depths"
    tables = {table.view.file: table for table in documents.tables}
    assert tables.keys() >= {"old.xls", "sheet-table-1.csv", "seabed-mapping-progress.xlsx"}
    for kind, name in (("docx", "wrecks-table-1.csv"), ("html", "page-table-1.csv")):
        assert tables[name].read().decode() == f"Year,{kind}word\n1871,12\n1872,9\n"


LEAD_LINES = written(
    "0042-lead-lines.md",
    "- Start: [x]\n\n## Summary\n[summary]: #summary\n\nTallow, as [the survey][s] and [S] say,[^1] see [summary]; `[s]` and [none] stay.\n\n"
    '```\n[s]: kept\n```\n\n## Motivation\n\n[^1]: In fathoms.\n[s]: <https://survey.example> "Title"\n',
)


async def test_links_of_markdown_by_reference_have_their_address_and_code_stays(documents: Documents) -> None:
    hit = await read(documents, LEAD_LINES)
    link = "(https://survey.example)"
    assert (
        f"## Summary\n\nTallow, as [the survey]{link} and [S]{link} say, see summary; `[s]` and [none] stay."
        in hit.text
    )
    assert "```\n[s]: kept\n```" in hit.text
    assert hit.text.endswith("[^1]: In fathoms.")
    assert hit.title == "0042 lead lines"


NOTES = written(
    "42-lead-marks/README.md",
    "<!--\n# A note to authors\n```\nfill this out\n```\n-->\n"
    '- [Tallow](#tallow)\n  - [Marks](#marks)\n\n## Tallow\n\n{{< copyable "sql" >}}\n\n```\n<b>\n<!-- kept -->\n```\n\n'
    '<SimpleTab id="a">\n<div>\n\n> The <b>tallow</b><br/> brings\n> up sand. <!-- said who? -->\n\n</div>\n\n## Marks {#marks}\n\nIn<br>fathoms.\n'
    "\n:::warning Take care\nWire cuts. Wear gloves.\n:::\n\n> [!NOTE]\n> Rope does not.\n\n::: {.wide}\nIt is thick.\n:::\n",
)
written("empty.md", "")
PROPOSAL = written(
    "eip-0042.md",
    "---\neip: 42\ntitle: Wire\nauthor: Ada Holm (@ada), Ben Nares <ben@example.org>\n---\n\n## Abstract\n\nWire replaced rope.\n",
)


async def test_markdown_is_read_as_its_readers_see_it(documents: Documents) -> None:
    notes, proposal = await read(documents, NOTES), await read(documents, PROPOSAL)
    assert notes.title == "42 lead marks"
    parts = (
        "## Tallow|```\n<b>\n<!-- kept -->\n```|The tallow brings\nup sand.|## Marks|In fathoms.|**Take care**|Wire cuts. Wear gloves.|"
        "Rope does not.|It is thick."
    )
    assert [part.strip() for part in notes.text.split("\n\n") if part.strip()] == parts.split("|")
    assert proposal.text.startswith("- eip: 42\n- title: Wire\n- author:")
    assert (proposal.title, proposal.card.authors) == ("EIP-42 – Wire", ["Ada Holm", "Ben Nares"])
    assert [hit.url for hit in await documents.search("What does EIP-42 replace?", 1, "words")] == [PROPOSAL]


SHIPS = written(
    "ships.md",
    "Ships of 1875:\nShip | Depth\n---|---:\n`Vema` | 9&nbsp;km \\| 5 mi\nEgeria\n\n> a | b\n> -|-\n> 1 | 2\n\n"
    "Run &lt;b&gt; &copy; &nosuch; `&lt;`:\n\n    sound() | 7\n\n      more &lt;\n\n- item\n\n  still it\n",
)


async def test_tables_without_outer_bars_code_by_indentation_and_references_to_characters_are_read_as_shown(
    documents: Documents,
) -> None:
    assert (await read(documents, SHIPS)).text.split("\n\n") == [
        "Ships of 1875:",
        "| Ship | Depth |\n| ---|---: |\n| `Vema` | 9 km \\| 5 mi |\n| Egeria |",
        "| a | b |\n| -|- |\n| 1 | 2 |",
        "Run <b> © &nosuch; `&lt;`:",
        "```\nsound() | 7",
        "  more &lt;\n```",
        "- item",
        "  still it",
    ]


MARKS = written(
    "marks.rst",
    "Marks\n=====\n\nCall ``setup(x_)`` of Pillow_ or `Lead\nLine <https://lead.example>`__, `Drum <The drum_>`_, as :pep:`703`, :pep:`style <8>` and "
    ":py:func:`~a.sound` say ([#first]_, [2]_) [3]_; ``my_`` tail_ stays.\n\n.. code:: python\n\n   kept = ``as`` `it`_ [1]_\n\n.. note::\n   Renamed since.\n\n- Run::\n\n    go ``on``\n\n  Then ``stop``.\n\n"
    ".. _Pillow:\n   https://pillow.example\n.. _inner:\n\nThe end.\n",
)


async def test_inline_markup_of_restructuredtext_reads_as_its_words_and_code_stays(documents: Documents) -> None:
    text = (await read(documents, MARKS)).text
    assert "Call `setup(x_)` of [Pillow](https://pillow.example) or [Lead Line](https://lead.example), Drum, as PEP 703, style and a.sound say; `my_` tail_ stays." in text  # fmt: skip
    assert "kept = ``as`` `it`_ [1]_" in text
    assert "- Run:\n\n```\n    go ``on``\n```\n\n\n  Then `stop`." in text
    assert "inner" not in text
    assert "note" not in text
    assert "Renamed since." in text


PEP = written("pep-0900.rst", f"{RST}{DRAWN}\n")


async def test_titles_blocks_and_tables_of_restructuredtext_give_passages_their_place(documents: Documents) -> None:
    [hit] = await documents.search("Performance weathers of pep-0900.rst", 1, "words")
    assert (hit.title, hit.card.name, hit.card.status) == ("PEP 900 – Wires for Sounding", "PEP 900", "Final")
    assert hit.card.published == "2021-01-09"
    passage = hit.text[hit.passages[0].start : hit.passages[0].end]
    assert passage.startswith("# Performance\n")
    assert "Measured like this:\n\n```\n    # a comment and no heading" in passage
    assert "| Ship | Fathoms |\n| --- | --- |\n| Blake | 2,000 in all weathers |\n| Enterp. | 3,000 |" in passage
    assert "| Rope | Hours |\n| --- | --- |\n| Hemp | 3 |\n| Wire | 1 |" in passage
    assert "Prices\n\n| Item | Pounds |\n| --- | --- |\n| Drum | 5 |\n| Lead | 2 |" in passage
    assert DRAWN in hit.text
    [hit] = await documents.search("Abstract of PEP 900", 1, "words")
    assert "Piano wire" in hit.text[hit.passages[0].start : hit.passages[0].end]


DEPTHS = "depth <- 3\n# The weights are of lead\nread(depth)\n\n# Rope is hemp\nrope <- 1\n"
CODE = written("depths.R", DEPTHS)


async def test_a_comment_of_program_code_heads_nothing(documents: Documents) -> None:
    text = (await read(documents, CODE)).text
    assert text == f"```r\n{DEPTHS}```"
    assert {span.section for span in split(text)} == {""}


ENTRY = "@book{ross,\n  author = {Ross, John},\n  title = {A Voyage of Discovery},\n  year = {1819}\n}"
REFERENCES = written("refs.bib", f"{ENTRY}\n\n@misc{{other,\n  title = {{Ropes}}\n}}\n")


async def test_an_entry_of_a_bibliography_is_one_block_of_code(documents: Documents) -> None:
    text = (await read(documents, REFERENCES)).text
    assert block_around(text, text.index("year"), 1_500) == (text.index("@book"), text.index(ENTRY) + len(ENTRY))


async def test_office_files_have_the_title_and_the_fields_that_they_show(documents: Documents) -> None:
    [hit] = await documents.search("leaks", 2, "words")
    assert (hit.url, hit.also_at) == ("kinds/memo.docx", ["kinds/memo.odt"])
    assert (hit.card.title, hit.card.authors, hit.card.status) == ("Memo on pump P7", ["Ann Sounder"], "Draft")


DATA = [
    (written("a.json", '[{"词":"\\u6d4b\\u6df1","m":1.5}]'), '[\n {\n  "词": "测深",\n  "m": 1.5\n }\n]'),
    (written("b.json", '{\n    "a": "测深", "m": 1.50\n}'), '{\n    "a": "测深", "m": 1.50\n}'),
    (written("g.json", '{\n "a": "测深 C:\\\\users", "m": 1.50\n}'), '{\n "a": "测深 C:\\\\users", "m": 1.50\n}'),
    (written("c.json", '{"a": "测深\\ud83d", "b": [1'), '{"a": "测深\\ud83d", "b": [1'),
    (
        written("h.json", '{"测深":3.10,"a":-0,"a":[ ],"b":1E5}'),
        '{\n "测深": 3.10,\n "a": -0,\n "a": [ ],\n "b": 1E5\n}',
    ),
    (written("d.jsonl", '{"a":"\\u6d4b\\u6df1"}\n{"a":"\\ud83d"}\nno'), '{"a": "测深"}\n{"a": "?"}\nno'),
    (written("e.log", "测深 1\n  2 of 3\n"), "测深 1\n  2 of 3"),
]


@pytest.mark.parametrize(("place", "shown"), DATA)
async def test_json_is_read_with_its_letters_and_lines_and_a_log_line_by_line(
    documents: Documents, place: str, shown: str
) -> None:
    assert (await read(documents, place)).text == f"```{place.rpartition('.')[2]}\n{shown}\n```"


GUIDE = written(
    "guide.xml",
    "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a><title>Casting</title><p>The <b>weight</b>\n is of lead, &e;see:<list>"
    "<p>hemp</p><p>wire</p></list>both.</p></a>",
)
MARKUP = written("data.xml", "<a><b>weight</b>\n<c>2</c></a>")


async def test_a_document_in_xml_is_read_by_its_paragraphs_and_data_in_xml_as_it_is(documents: Documents) -> None:
    assert (await read(documents, GUIDE)).text == "Casting\n\nThe weight is of lead, &e;see:\n\nhemp\n\nwire\n\nboth."
    assert (await read(documents, MARKUP)).text == "```xml\n<a><b>weight</b>\n<c>2</c></a>\n```"


def _mail() -> bytes:
    """Return a mail with four attachments, one of which is a mail."""
    mail, inner = EmailMessage(), EmailMessage()
    mail["Subject"], inner["Subject"] = "Soundings", "Earlier"
    mail.set_content("See the files.")
    inner.set_content("A mail within.")
    mail.add_attachment("Seven fathoms, sand.", filename="log.txt")
    mail.add_attachment(b"<h1>Marks</h1><p>Leather at two.</p>", "text", "html", filename="marks.html")
    mail.add_attachment(b"\x89PNG", "image", "png", filename="chart.png")
    mail.add_attachment(inner, filename="earlier.eml")
    return mail.as_bytes()


MAIL = written("soundings.eml", _mail())


async def test_attachments_of_a_mail_are_read_and_those_that_are_not_are_named_and_what_is_empty_is_no_loss(
    documents: Documents,
) -> None:
    hit = await read(documents, MAIL)
    assert hit.title == "Soundings"
    assert "See the files.\n\n# log.txt\n\nSeven fathoms, sand." in hit.text
    assert "# marks.html\n\n# Marks\n\nLeather at two." in hit.text
    assert hit.text.endswith("# earlier.eml\n\nSubject: Earlier\n\nA mail within.")
    assert file_messages(files_read([documents]), "en-US") == [
        "Attachments of these mails were not read: soundings.eml (chart.png)."
    ]
