"""Lets a model check a draft: a verifier judges what code neither found verbatim nor certainly unproved, then an editor mends the draft.

What is certain, code decides alone (`checking/claim_check.py`).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schemas.document import Block
from schemas.evidence import Claim, Excerpt, Judgement, Source
from services.evidence.citable_excerpts import TextOf
from services.reports.checking.checked_report import CheckedReport, Doubt, Statement
from services.reports.editing import edited
from services.reports.judge import Judge, Search
from services.reports.markdown import ReportInputs, check_draft
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError
from services.run.ui_text import say


@dataclass(slots=True)
class Verified:
    """Results of a draft's check by a model."""

    judgements: dict[Statement, Judgement] = field(default_factory=dict)
    blocks: tuple[Block, ...] | None = None
    """The draft as the editor left it; None where it stands as it was written."""
    edited: bool = False
    """Whether an editor saw the draft, also where it changed nothing."""
    limits: list[str] = field(default_factory=list)
    """Parts that could not be checked, in the user's language."""
    new_excerpts: list[Excerpt] = field(default_factory=list)
    """New excerpts that contradict the draft's statements that the sources do not say something."""
    new_sources: dict[str, Source] = field(default_factory=dict)
    """Sources of these that nothing had read, by content hash."""

    def draft(self, draft: ReportInputs) -> ReportInputs:
        """Return a draft with these results."""
        blocks = draft.blocks if self.blocks is None else self.blocks
        return replace(
            draft,
            judgements=self.judgements,
            blocks=blocks,
            excerpts=self.with_new_excerpts(draft.excerpts),
            sources={**draft.sources, **self.new_sources},
        )

    def with_new_excerpts(self, excerpts: Sequence[Excerpt]) -> list[Excerpt]:
        """Return excerpts with the new ones."""
        return [*{excerpt.id: excerpt for excerpt in [*excerpts, *self.new_excerpts]}.values()]


async def verify_draft(
    draft: ReportInputs,
    text_of: TextOf,
    *,
    tone: str = "",
    before: Verified | None = None,
    unused: Sequence[Excerpt] | None = None,
    unmet: Sequence[str] = (),
    only_mend: bool = False,
    edits: bool = True,
    search: Search | None = None,
) -> Verified:
    """Let a verifier judge the statements of a draft and an editor mend it, and judge what the editor wrote.

    What was judged holds if a later call fails.

    Args:
        draft: the reporter's draft, with its sentences' likeness if computed.
        text_of: returns the texts around quotes.
        tone: of the report.
        before: results of the first pass, for a second one over what the editor left.
        unused: excerpts that the editor is to use; by default those of high relevance that the draft does not cite.
        unmet: what the draft lacks of what was asked for, in words.
        only_mend: whether the editor changes only what does not hold, and what `unmet` asks for.
        edits: whether an editor mends the draft; else what does not hold stays marked.
        search: searches the user's documents for what the draft says is not told.
    """
    excerpts, sources = {excerpt.id: excerpt for excerpt in draft.excerpts}, dict(draft.sources)
    before = before or Verified()
    judgements, new_excerpts, new_sources = {**before.judgements}, [*before.new_excerpts], {**before.new_sources}
    judge = Judge(excerpts, sources, draft.locale, text_of, search, judgements, new_excerpts, new_sources)
    verified = Verified(judgements, before.blocks, new_excerpts=new_excerpts, new_sources=new_sources)
    former_claims = draft.former.citations if draft.former else []
    found = judge.new_excerpts

    async def mend(fallen: Sequence[Claim], **asked: Any) -> bool:
        """Let the editor mend the draft, judge what it changed, and tell whether it changed anything."""
        objections = [claim for claim in {id(claim): claim for claim in fallen}.values() if claim not in former_claims]
        blocks = await edited(verified.draft(draft), objections, judge.reasons, tone=tone, found=found, **asked)
        if blocks is not None:
            verified.blocks = blocks
            await _judged(draft, verified, judge)
        return blocks is not None

    try:
        checked = await _judged(draft, verified, judge)
        if not edits:
            return verified
        fallen = [*checked.failed, *checked.left_out]
        await mend(fallen, unused=unused, only_mend=only_mend, unmet=unmet, omitted=judge.omitted.values())
        verified.edited = True
        # what stands below an opening proves it, so that is mended first
        checked = await _summed_up(draft, verified, judge)
        if checked.of_opening and await mend(checked.of_opening, only_mend=True):
            await _summed_up(draft, verified, judge)
    except (LimitReached, ModelError) as problem:
        verified.limits = [limit_message(problem, draft.locale), say("verified_by_code", draft.locale)]
    return verified


async def _judged(draft: ReportInputs, verified: Verified, judge: Judge) -> CheckedReport:
    """Check a draft, let the verifier judge what is not judged yet, and return the check without what is of an opening that sums it up."""
    checked = await asyncio.to_thread(check_draft, verified.draft(draft))
    fresh = _fresh(checked, verified, sums_up=False)
    absent = {words for (words, _), judgement in verified.judgements.items() if judgement.verdict == "absent"}
    known = {key: Judgement(verdict="absent") for key, doubt in fresh.items() if doubt.uncited and key[0] in absent}
    verified.judgements.update(known)  # which excerpts stand beside such a statement changes nothing
    if not all(doubt.heads for doubt in fresh.values()):
        await judge.judged({key: doubt for key, doubt in fresh.items() if key not in known})
        checked = await asyncio.to_thread(check_draft, verified.draft(draft))
    failed, left_out = (
        [one for one in claims if one not in checked.of_opening] for claims in (checked.failed, checked.left_out)
    )
    return replace(checked, failed=failed, left_out=left_out)


async def _summed_up(draft: ReportInputs, verified: Verified, judge: Judge) -> CheckedReport:
    """Let the verifier judge what an opening sums up, by the verified statements below it, and return the check."""
    checked = await asyncio.to_thread(check_draft, verified.draft(draft))
    fresh = _fresh(checked, verified, sums_up=True)
    if all(doubt.heads for doubt in fresh.values()):
        return checked
    await judge.judged_by_report(fresh, checked.claims)
    return await asyncio.to_thread(check_draft, verified.draft(draft))


def _fresh(checked: CheckedReport, verified: Verified, *, sums_up: bool) -> dict[Statement, Doubt]:
    """Return the statements of the opening, or those below it, that are not judged yet."""
    return {
        key: doubt
        for key, doubt in checked.undecided.items()
        if doubt.sums_up is sums_up and key not in verified.judgements
    }
