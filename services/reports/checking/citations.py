"""Verifies citations: checks every sentence of a report that makes a claim against its cited excerpts.

The report is parsed as Markdown and written anew from what is understood of it. What a model wrote that links, loads or
runs does not survive; a statement that its citations do not support is marked or dropped, one that they refute is left out; a
blockquote must be verbatim. A sentence without citations is covered by those that stand next in its paragraph; a heading, a
label or an introduction by those below it. For a sentence that nothing covers code cites the excerpt that supports it. A sentence
that is marked as inference may conclude from what it cites (`ClaimCheck.inference`); of more than a third of a report a verifier decides alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from schemas.document import Block
from schemas.evidence import Excerpt
from schemas.reporter import Report
from services.embedding.cross_lingual import Likeness
from services.reports.checking.checked_report import CheckedReport, FormerClaims
from services.reports.checking.claim_check import ClaimCheck, Judgements
from services.reports.checking.code_citations import CodeCitations
from services.reports.checking.report_check import ReportCheck
from services.reports.checking.statement_check import StatementCheck
from services.reports.labels import labels_for
from services.reports.markdown_blocks import read_draft
from services.reports.statuses import too_many_inferred


def check_citations(
    draft: str | Sequence[Block],
    excerpts: Mapping[str, Excerpt],
    *,
    titles: Mapping[str, str] | None = None,
    published: Mapping[str, str] | None = None,
    untraced: Mapping[str, Collection[str]] | None = None,
    unsupported: Literal["mark", "drop"] = "mark",
    locale: str = "en-US",
    question: str = "",
    likeness: Likeness | None = None,
    judgements: Judgements | None = None,
    citing: CodeCitations | None = None,
    former: Report | None = None,
) -> CheckedReport:
    """Check every sentence of a report, and mark or drop unsupported sentences.

    The draft is what a model wrote, or its Markdown, which cites excerpts as `[E2-1]`. The evidence is that of `ClaimCheck`; excerpts for
    sentences without citations are found among all by default. The statements of the former report, which this one changes, keep what the
    check said of them.
    """
    titles = titles or {}
    citing = citing or CodeCitations(list(excerpts.values()), titles)
    check = ClaimCheck(
        excerpts,
        titles,
        published or {},
        untraced or {},
        question,
        labels_for(locale),
        likeness,
        judgements or {},
        citing=citing,
        former=FormerClaims.of(former),
    )
    drop = unsupported == "drop"
    blocks = read_draft(draft, excerpts) if isinstance(draft, str) else draft
    checked = ReportCheck(StatementCheck(check, drop)).report(blocks)
    if not too_many_inferred(checked.claims):
        return checked
    stricter = StatementCheck(replace(check, undecided={}), drop, too_many_inferred=True)
    return ReportCheck(stricter).report(blocks)
