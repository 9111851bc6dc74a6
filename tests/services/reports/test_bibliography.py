"""References for other programs: CSL-JSON has what is cited and nothing else, and reads as it was meant."""

import json
import re
from typing import Any

import pytest

from schemas.evidence import Excerpt, Source
from schemas.publication import Publication
from schemas.reporter import Report
from services.reports.bibliography import csl_items, csl_json, csl_name
from services.reports.numbered_text import with_references
from services.run.evidence_store import content_hash

READ = "2026-11-01T12:00:00Z"


def source(number: int, title: str, url: str, **fields: Any) -> Source:
    return Source(
        number=number,
        title=title,
        url=url,
        kind=fields.pop("kind", "web"),
        content_hash=content_hash(f"{number} {title}"),
        fetched_at=READ,
        **fields,
    )


PAPER = Publication(
    year=2020, venue="Journal of Soundings", authors=("Ada B. Sounder", "Weight BC", "Ludwig van Deep"), doi="10.1234/echo_1",
    licence="cc-by",
)  # fmt: skip
SOURCES = [
    source(1, "Wire & hemp: 100% of {all} costs $5_a #1 ~ \\x^2", "https://doi.org/10.1234/echo_1", publication=PAPER, published="2020-03-01"),
    source(2, "How deep is the sea?", "https://noaa.gov/deep?a=1&b=2", site="noaa.gov"),
    source(3, "notes.md", "papers/wire notes.md", kind="document"),
    source(4, "挑战者深渊的测深", "https://example.cn/a", publication=Publication(year=2021, venue="海洋学报", authors=("王小明", "李四"))),
    source(5, "sounder", "https://github.com/x/sounder", source_kind="code", publication=Publication(authors=("World Health Organization",))),
    source(6, "A preprint", "https://arxiv.org/abs/1", publication=Publication(year=2024, venue="arXiv", authors=("Jane Doe",))),
    source(7, "Read and not cited", "https://example.org/uncited"),
]  # fmt: skip
CITED = 6
"""Sources that the report cites: the first ones."""


def report(**fields: Any) -> Report:
    """Return a report that cites all but the last source."""
    said = " ".join(f"Statement {number} [[{number}]](https://example.org/)." for number in range(1, CITED + 1))
    excerpts = [
        Excerpt(id=f"E1-{one.number}", content_hash=one.content_hash, quote="q", start=0, end=1) for one in SOURCES
    ]
    given = {"title": "Deep", "question": "How deep?", "locale": "en-US", **fields}
    return with_references(Report(markdown=f"# Deep\n\n{said}\n", sources=SOURCES, excerpts=excerpts, **given))


def items(**fields: Any) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(csl_json(report(**fields)))
    return loaded


def test_every_cited_source_is_an_item_in_the_order_of_its_number() -> None:
    assert [item["citation-number"] for item in items()] == list(range(1, CITED + 1))


def test_a_paper_has_what_its_catalogue_knows() -> None:
    paper = items()[0]
    assert paper["type"] == "article-journal"
    assert paper["container-title"] == "Journal of Soundings"
    assert paper["author"][1] == {"family": "Weight", "given": "B. C."}
    assert paper["issued"] == {"date-parts": [[2020, 3, 1]]}
    assert (paper["DOI"], paper["license"]) == ("10.1234/echo_1", "cc-by")


def test_a_page_and_a_file_without_authors_are_entries_with_the_date_of_their_reading() -> None:
    page, file = items()[1:3]
    assert page["type"] == "webpage"
    assert (page["container-title"], page["URL"]) == ("noaa.gov", "https://noaa.gov/deep?a=1&b=2")
    assert page["accessed"] == {"date-parts": [[2026, 11, 1]]}
    assert file["type"] == "document"
    assert file["note"] == "papers/wire notes.md"
    assert "URL" not in file
    assert "author" not in {*page, *file}


def test_a_preprint_is_in_no_journal_and_a_repository_is_software() -> None:
    assert [item["type"] for item in items()[4:]] == ["software", "article"]
    assert items()[5]["publisher"] == "arXiv"


def test_keys_are_ascii_unique_and_the_same_in_every_report() -> None:
    keys = [item["id"] for item in items()]
    assert keys[:2] == ["sounder2020wire", "noaadeep"]
    assert len(set(keys)) == CITED
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", key) for key in keys)
    alone = csl_items([SOURCES[0].model_copy(update={"number": 9})])
    assert alone[0]["id"] == "sounder2020wire"
    twins = [source(number, "Same", "https://a.org/", site="a.org") for number in (1, 2)]
    assert [item["id"] for item in csl_items(twins)] == [f"asame-{twin.content_hash[:8]}" for twin in twins]


@pytest.mark.parametrize(
    ("name", "family", "given"),
    [
        ("Ada B. Sounder", "Sounder", "Ada B."),
        ("Sounder, Ada B.", "Sounder", "Ada B."),
        ("Smith JA", "Smith", "J. A."),
        ("García Márquez G", "García Márquez", "G."),
        ("Ludwig van der Rohe", "van der Rohe", "Ludwig"),
        ("ADA SOUNDER", "SOUNDER", "ADA"),
        ("Xin Li", "Li", "Xin"),
    ],
)
def test_a_persons_name_is_taken_apart(name: str, family: str, given: str) -> None:
    assert csl_name(name) == {"family": family, "given": given}


@pytest.mark.parametrize(
    "name",
    [
        "World Health Organization",
        "The Hadal Group",
        "王小明",
        "김 철수",
        "Plato",
        "Smith & Sons",
        "",
        "King, Martin, Jr.",
        "Martin King Jr.",
    ],
)
def test_what_is_no_persons_name_or_not_certain_stays_whole(name: str) -> None:
    assert csl_name(name) == {"literal": name}
