"""BibTeX that another program reads as it was meant, whatever stands in titles and names."""

from typing import Any

import pytest

from services.reports.bibliography import bibtex, cited_sources, csl_items
from tests.services.reports.bibliography.shelf import CITED, report

pybtex = pytest.importorskip("pybtex.database", reason="another program's parser of BibTeX is not installed")


def entries() -> dict[str, Any]:
    return dict(pybtex.parse_string(bibtex(report()).decode(), "bibtex").entries)


def test_another_parser_finds_every_cited_source_under_the_key_of_csl_json() -> None:
    assert list(entries()) == [item["id"] for item in csl_items(cited_sources(report()))]
    assert len(entries()) == CITED


def test_an_article_has_its_authors_journal_and_date() -> None:
    paper = entries()["sounder2020wire"]
    assert paper.type == "article"
    people = [" ".join([*one.prelast_names, *one.last_names]) for one in paper.persons["author"]]
    assert people == ["Sounder", "Weight", "van Deep"]
    assert paper.fields["journal"] == "Journal of Soundings"
    assert (paper.fields["year"], paper.fields["month"]) == ("2020", "March")
    assert paper.fields["doi"] == "10.1234/echo_1"


def test_characters_that_mean_something_to_latex_are_escaped() -> None:
    assert entries()["sounder2020wire"].fields["title"] == (
        r"{Wire \& hemp: 100\% of \textbraceleft{}all\textbraceright{} costs \$5\_a \#1 \textasciitilde{} "
        r"\textbackslash{}x\textasciicircum{}2}"
    )


@pytest.mark.parametrize("text", ["}}", "{", "a } b { c", "@article{x,", "\\", '"', "100% {"])
def test_no_text_breaks_out_of_its_field(text: str) -> None:
    told = report()
    told.sources[1] = told.sources[1].model_copy(update={"title": text})
    entry = list(pybtex.parse_string(bibtex(told).decode(), "bibtex").entries.values())[1]
    title = entry.fields["title"]
    assert title.count("{") == title.count("}")
    assert entry.fields["urldate"] == "2026-11-01"


def test_pages_files_and_chinese_authors_are_entries() -> None:
    page, file, chinese = list(entries().values())[1:4]
    assert page.type == file.type == "misc"
    assert (page.fields["url"], page.fields["urldate"]) == ("https://noaa.gov/deep?a=1&b=2", "2026-11-01")
    assert (file.fields["howpublished"], file.fields["note"]) == ("papers/wire notes.md", "accessed 2026-11-01")
    assert [str(one) for one in chinese.persons["author"]] == ["{王小明}", "{李四}"]
    assert chinese.fields["title"] == "{挑战者深渊的测深}"


def test_an_organisation_is_one_author() -> None:
    software = list(entries().values())[4]
    assert [one.last_names for one in software.persons["author"]] == [["{World Health Organization}"]]
