"""The list of references names who speaks in each source, of which kind it is, and since when."""

from dataclasses import replace

import pytest

from schemas.evidence import Excerpt, Source
from services.reports.labels import Labels, labels_for
from services.reports.reference import Quote, Reference
from services.reports.references import MAX_ADDRESSES, confirming_sources, details, who

ENGLISH, CHINESE = labels_for("en-US"), labels_for("zh-CN")


def source(**fields: object) -> Source:
    return Source.model_validate(
        {"url": "https://www.who.int/myopia", "title": "Myopia", "kind": "web", "content_hash": "a" * 64, **fields}
    )


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (ENGLISH, ("World Health Organization", "official", "published 2024-03-12")),
        (CHINESE, ("World Health Organization", "官方", "发布于 2024-03-12")),
    ],
)
def test_site_kind_and_date_are_named(labels: Labels, said: tuple[str, ...]) -> None:
    about = source(site="World Health Organization", source_kind="official", published="2024-03-12")
    assert details(about, [], labels, cited=True) == said


def test_what_is_not_known_or_stands_beside_it_is_not_named() -> None:
    assert details(source(), [], ENGLISH, cited=True) == ()
    assert details(source(site="who.int"), [], ENGLISH, cited=True) == ()
    assert who(source(site="who.int"), ENGLISH, beside="Myopia") == ("who.int",)
    assert who(source(site="Nature", title="Myopia | Nature"), ENGLISH, beside="Myopia | Nature") == ()


def test_a_document_is_named_as_one_and_its_folder_stands_in_its_path() -> None:
    about = source(kind="document", url="docs/papers/a.md", site="papers", published="2021")
    assert details(about, ["docs/b.md"], ENGLISH, cited=False) == (
        "document", "published 2021", "same text: docs/b.md", "read, not cited",
    )  # fmt: skip


PAPER = {
    "venue": "Journal of Soundings",
    "authors": ("Ada Sounder", "Ben Weight", "Cy Line", "Di Lead"),
    "doi": "10.1234/echo.1",
    "citations": 1_041,
    "licence": "cc-by",
}


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (
            ENGLISH,
            (
                "Journal of Soundings", "academic", "published 2020-03-01", "Ada Sounder, Ben Weight, Cy Line et al.",
                "doi:10.1234/echo.1", "cited 1,041 times", "licence cc-by", "abstract only",
            ),
        ),
        (
            CHINESE,
            (
                "Journal of Soundings", "学术", "发布于 2020-03-01", "Ada Sounder、Ben Weight、Cy Line 等",
                "doi:10.1234/echo.1", "被引 1,041 次", "许可 cc-by", "仅摘要",
            ),
        ),
    ],
)  # fmt: skip
def test_a_publication_is_named_as_its_catalogue_knows_it(labels: Labels, said: tuple[str, ...]) -> None:
    about = source(
        site="doi.org", source_kind="academic", published="2020-03-01", publication=PAPER, abstract_only=True
    )
    assert details(about, [], labels, cited=True) == said


def test_of_a_publication_only_what_is_known_is_named() -> None:
    about = source(site="doi.org", publication={"authors": ("Ada Sounder",), "citations": 0})
    assert details(about, [], ENGLISH, cited=True) == ("doi.org", "Ada Sounder")


def test_sources_that_confirm_figures_are_named_by_their_numbers() -> None:
    excerpts = [
        Excerpt(id=key, content_hash=key, quote="q", start=0, end=1, confirmed_by=list(by))
        for key, by in {"a": "bc", "b": "a", "c": "a", "d": "d", "e": "x"}.items()
    ]
    confirming = confirming_sources(excerpts, {"a": 1, "b": 2, "c": 2, "d": 3, "e": 4})
    assert confirming == {1: [2], 2: [1]}
    assert details(source(), [], ENGLISH, cited=True, confirming=[2, 5]) == ("figures also in [2], [5]",)
    assert details(source(), [], CHINESE, cited=True, confirming=[2, 5]) == ("数字亦见于 [2]、[5]",)


def test_all_addresses_of_one_text_are_named_up_to_a_bound() -> None:
    about = source().found_also(["https://b.example/", "https://a.example/", "https://www.who.int/myopia"])
    assert details(about, ["https://c.example/"], ENGLISH, cited=True) == (
        "same text: https://a.example/; https://b.example/; https://c.example/",
    )
    [many] = details(source().found_also(map(str, range(100))), [], ENGLISH, cited=True)
    assert many.endswith("; and 80 more addresses")
    assert many.count(";") == MAX_ADDRESSES


def test_of_the_quotes_of_a_source_those_are_listed_that_statements_cite() -> None:
    quotes = (Quote("E1-1", "It is\ndeep.", cited=True), Quote("E1-2", "It is wet."))
    listed = Reference(1, "Sea", "sea.md", "sources/a.txt", (), (), cited=True, quotes=quotes)
    assert listed.quoted_texts == {"It is deep.": "It is deep."}
    assert list(replace(listed, quotes=quotes[1:]).quoted_texts) == ["It is wet."]
