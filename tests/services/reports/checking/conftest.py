"""A report with a quote, statements and a contradiction, and its bundle; and drafts that are checked by quotes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pytest

from schemas.document import Block
from schemas.evidence import Contradiction, Excerpt, Source
from schemas.reporter import Report
from services.reports.bundle import write_bundle
from services.reports.checking import report_check
from services.reports.checking.checked_report import CheckedReport, FormerClaims
from services.reports.checking.citable_evidence import CitableEvidence
from services.reports.checking.claim_check import ClaimCheck
from services.reports.checking.code_citations import CodeCitations
from services.reports.labels import labels_for
from services.reports.markdown_blocks import read_draft
from services.run.evidence_store import EvidenceStore
from tests.fakes.excerpts import whole
from tests.services.reports.conftest import Finished

MARKDOWN = """# How deep: 4,475 fathoms

**TL;DR** HMS Challenger sounded 4,475 fathoms near Guam in March 1875 [E1-1]. It was green [E1-1].

> On 23 March 1875 HMS Challenger sounded 4,475 fathoms [E1-1]

- Wire replaced the *hemp* line & it < rope [E2-1]
- 到2030年小学生近视率下降到38%以下[E3-1]。

| Ship | Depth |
|---|---|
| HMS Challenger | 4,475 fathoms [E1-1] |
"""


@pytest.fixture
def report(finished: Finished) -> Report:
    conflict = Contradiction(topic="depth", excerpt_ids=["E1-1", "E2-1"])
    return finished(MARKDOWN, contradictions=[conflict], follow_up_questions=["What next?"])


@pytest.fixture
async def bundle(report: Report, evidence: EvidenceStore, tmp_path: Path) -> Path:
    folder = tmp_path / "out" / "how-deep"
    await write_bundle(report, folder, evidence)
    return folder


def check_citations(
    draft: str | Sequence[Block],
    excerpts: Mapping[str, Excerpt],
    *,
    locale: str = "en-US",
    unsupported: Literal["mark", "drop"] = "mark",
    former: Report | None = None,
    citing: CodeCitations | None = None,
    titles: Mapping[str, str] = MappingProxyType({}),
    published: Mapping[str, str] = MappingProxyType({}),
    untraced: Mapping[str, list[str]] = MappingProxyType({}),
    question: str = "",
    **choices: Any,
) -> CheckedReport:
    """Check a draft by excerpts, by what is known of their sources by content hash, and by the other choices of a `ClaimCheck`; code cites among all."""
    sources = {
        key: Source(
            url=key,
            title=titles.get(key, ""),
            kind="document",
            content_hash=key,
            published=published.get(key),
            untraced=untraced.get(key),
        )
        for key in {**titles, **published, **untraced}
    }
    check = ClaimCheck(
        CitableEvidence(excerpts, sources, question),
        labels_for(locale),
        citing=citing or CodeCitations(list(excerpts.values()), titles),
        former=FormerClaims.of(former),
        **choices,
    )
    blocks = read_draft(draft, excerpts) if isinstance(draft, str) else draft
    return report_check.check_citations(blocks, check, drop=unsupported == "drop")


def marked(checked: CheckedReport) -> int:
    """Return how many statements of a report are marked as unproved."""
    return sum(not claim.verified for claim in checked.claims)


def excerpts_of(quotes: Mapping[str, str] | Sequence[str], content_hash: str = "") -> dict[str, Excerpt]:
    """Return excerpts by their ids, by default `E1-1`, `E1-2`, …, each of a source of its own unless all are of one."""
    named = quotes if isinstance(quotes, Mapping) else {f"E1-{place}": quote for place, quote in enumerate(quotes, 1)}
    return {key: whole(quote, key, content_hash) for key, quote in named.items()}
