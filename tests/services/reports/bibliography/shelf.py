"""A report that cites sources of every kind: papers, pages, a repository, a local file, in English and in Chinese."""

from typing import Any

from schemas.evidence import Excerpt, Source
from schemas.publication import Publication
from schemas.reporter import Report
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
