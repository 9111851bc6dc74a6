"""The list of references names who speaks in each source, of which kind it is, and since when."""

import pytest

from schemas.evidence import Excerpt, Source
from schemas.reporter import Report
from services.reports.html.page import render_fragment
from services.reports.labels import Labels, labels_for
from services.reports.numbered_text import with_references
from services.reports.parser import parse_report
from services.reports.references import (
    MAX_ADDRESSES,
    cited_numbers,
    confirming_sources,
    details,
    references,
)

ENGLISH, CHINESE = labels_for("en-US"), labels_for("zh-CN")
PLACE = "https://www.who.int/myopia"


def source(**fields: object) -> Source:
    return Source.model_validate({"url": PLACE, "title": "Myopia", "kind": "web", "content_hash": "a" * 64, **fields})


def parts_of(about: Source, labels: Labels) -> tuple[str, ...]:
    """Return what the list of references says of a cited source behind its title."""
    report = Report(
        title="T", markdown=f"# T\n\nIt is [[1]]({about.url}).", sources=[about.model_copy(update={"number": 1})]
    )
    return references(report, labels)[0].parts


def test_date_address_site_and_kind_are_named() -> None:
    about = source(site="World Health Organization", source_kind="official", published="2024-03-12")
    named = ("2024-03-12", PLACE, "World Health Organization")
    assert parts_of(about, ENGLISH) == (*named, "official")
    assert parts_of(about, CHINESE) == (*named, "官方")


def test_a_publication_is_named_as_its_catalogue_knows_it() -> None:
    paper = {
        "venue": "Journal of Soundings",
        "authors": ("Ada Sounder", "Ben Weight", "Cy Line", "Di Lead"),
        "doi": "10.1234/echo.1",
        "citations": 1_041,
        "licence": "cc-by",
    }
    about = source(
        site="doi.org", source_kind="academic", published="2020-03-01", publication=paper, abstract_only=True
    )
    named = ("2020-03-01", PLACE, "Journal of Soundings")
    assert parts_of(about, ENGLISH) == (
        "Ada Sounder, Ben Weight, Cy Line et al.", *named, "academic",
        "doi:10.1234/echo.1", "cited 1,041 times", "licence cc-by", "abstract only",
    )  # fmt: skip
    assert parts_of(about, CHINESE) == (
        "Ada Sounder、Ben Weight、Cy Line 等", *named, "学术",
        "doi:10.1234/echo.1", "被引 1,041 次", "许可 cc-by", "仅摘要",
    )  # fmt: skip


def test_the_card_names_a_source_and_nothing_twice() -> None:
    card = {
        "title": "Making the lock optional",
        "name": "PEP 703",
        "authors": ["Sam Gross"],
        "published": "2023-01-09",
        "status": "Final",
    }
    about = source(kind="document", url="peps/pep-0703.rst", title="PEP 703", card=card)
    report = Report(
        title="T",
        markdown="# T\n\nIt is [[1]](x).",
        sources=[about.model_copy(update={"number": 1, "file": "sources/01-pep-703.txt"})],
    )
    line = with_references(report).markdown.splitlines()[-1]
    assert line == (
        "1. [PEP 703 – Making the lock optional](sources/01-pep-703.txt) — Sam Gross · 2023-01-09 · peps/pep-0703.rst · Final"
    )
    page = render_fragment(parse_report(with_references(report)))
    assert "<strong>PEP 703 – Making the lock optional</strong>" in page
    assert "— Sam Gross · 2023-01-09 · peps/pep-0703.rst · Final</span>" in page
    nameless = source(title="https://www.who.int/myopia", number=1)
    untitled = with_references(report.model_copy(update={"sources": [nameless]})).markdown
    assert untitled.endswith("1. <https://www.who.int/myopia>\n")


@pytest.mark.parametrize("chart", ["```chart\n{}\n```", "<!-- chart\n{}\n-->"])
def test_a_source_that_only_a_chart_cites_is_cited(chart: str) -> None:
    about = source(number=1)
    excerpt = Excerpt(id="E1-1", content_hash=about.content_hash, quote="q", start=0, end=1)
    written = chart.format('{\n  "sources": ["E1-1"]\n}')
    assert cited_numbers(Report(title="T", markdown=f"# T\n\n{written}\n", sources=[about], excerpts=[excerpt])) == {1}


def test_sources_that_confirm_figures_are_named_by_their_numbers() -> None:
    excerpts = [
        Excerpt(id=key, content_hash=key, quote="q", start=0, end=1, confirmed_by=list(by))
        for key, by in {"a": "bc", "b": "a", "c": "a", "d": "d", "e": "x"}.items()
    ]
    confirming = confirming_sources(excerpts, {"a": 1, "b": 2, "c": 2, "d": 3, "e": 4})
    assert confirming == {1: [2], 2: [1]}
    assert details(source(), [], ENGLISH, cited=True, confirming=[2, 5]) == ("figures also in [2], [5]",)
    assert details(source(), [], CHINESE, cited=True, confirming=[2, 5]) == ("数字亦见于 [2]、[5]",)


@pytest.mark.parametrize(("by_rules", "named"), [(True, "[2]"), (False, "[2], [3]")])
def test_only_sources_that_are_listed_are_named_as_confirming(by_rules: bool, named: str) -> None:
    keys = "abc"
    report = Report(
        title="T",
        by_rules=by_rules,
        markdown="# T\n\nIt is [[1]](a) [[2]](b).",
        sources=[source(content_hash=key, number=place) for place, key in enumerate(keys, 1)],
        excerpts=[
            Excerpt(id=key, content_hash=key, quote="q", start=0, end=1, confirmed_by=[*keys.replace(key, "")])
            for key in keys
        ],
    )
    assert references(report, ENGLISH)[0].parts[-1] == f"figures also in {named}"


def test_all_addresses_of_one_text_are_named_up_to_a_bound() -> None:
    about = source().with_addresses(["https://b.example/", "https://a.example/", "https://www.who.int/myopia"])
    assert details(about, ["https://c.example/"], ENGLISH, cited=True) == (
        "same text: https://a.example/; https://b.example/; https://c.example/",
    )
    [many] = details(source().with_addresses(map(str, range(100))), [], ENGLISH, cited=True)
    assert many.endswith("; and 80 more addresses")
    assert many.count(";") == MAX_ADDRESSES
