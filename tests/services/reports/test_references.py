"""The list of references names who speaks in each source, of which kind it is, and since when."""

import pytest

from schemas.evidence import Source
from services.reports.labels import Labels, labels_for
from services.reports.references import details, who

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
