"""What the product's own check makes of planted errors, and of the right statements beside them.

The draft of a finished report, with errors in place of their originals, goes the reporter's way: code, verifier, editor, code.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.planted import CITATIONS, KINDS, SURE, Plant, planted_in
from leadline.runs.store import Home, RunRecord
from schemas.evidence import Claim
from schemas.reporter import Report
from schemas.state import ResearchState
from schemas.usage import Allowance
from services.embedding.cross_lingual import likeness_of
from services.models.endpoint import clients_open
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.code_citations import CodeCitations
from services.reports.document import letters
from services.reports.markdown import ReportInputs, across_languages, check_draft
from services.reports.markdown_blocks import read_draft
from services.reports.rendering import to_draft
from services.reports.report_draft import Written, draft_of
from services.reports.verification import Verified, verify_draft
from services.run.budget import Budget
from services.run.journal import Journal, run_key
from services.run.scope import Run, working_for

ENDS = ("supported", "inferred", "marked", "removed", "mended", "rewritten")
"""What becomes of an error: it passes; it passes as a conclusion; it is marked; it is left out; the editor puts the original back;
the editor writes something else, which is to be read."""
KEPT = frozenset({*SURE, "inferred"})


@dataclass(frozen=True, slots=True)
class Checked:
    """A planted draft after the check."""

    plants: Sequence[Plant]
    verified: Verified
    report: CheckedReport
    markdown: str
    usage: dict[str, dict[str, int]]
    """Calls and prompt tokens by role."""

    @property
    def letters(self) -> str:
        """Letters of the draft as the editor left it, without citations."""
        return letters(CITATIONS.sub("", self.markdown))


async def checked(
    home: Home, record: RunRecord, state: ResearchState, markdown: str, plants: Sequence[Plant]
) -> Checked:
    """Put a planted draft to the check, with a journal of its own, so that a repeated measurement asks nothing twice."""
    report = state["report"]
    assert report is not None
    draft = _draft(state, record, report, planted_in(markdown, plants))
    budget = Budget(Allowance(seconds=record.context.max_seconds), record.context)
    journal = Journal(
        home.store, run_key(f"planted {record.id}", state["turn"]), run_key(to_draft(draft.blocks), 0), "reporter"
    )
    run = Run(record.context, "reporter", locale=report.locale, journal=journal, budget=budget)
    async with clients_open():
        with working_for(run):
            draft.likeness = await likeness_of(await asyncio.to_thread(across_languages, draft))
            tone = record.context.profile.tone if record.context.profile else ""
            verified = await verify_draft(draft, home.evidence.get_text, tone=tone)
    final = verified.draft(draft)
    usage = {role: {"calls": used.calls, "prompt_tokens": used.input_tokens} for role, used in run.usage.roles.items()}
    return Checked(plants, verified, await asyncio.to_thread(check_draft, final), to_draft(final.blocks), usage)


def _draft(state: ResearchState, record: RunRecord, report: Report, markdown: str) -> ReportInputs:
    """Build a draft as the reporter does, and let code find citations as it does."""
    sources = state["sources"]
    known = [excerpt for excerpt in report.excerpts if excerpt.content_hash in sources]
    citing = CodeCitations(known, {key: source.title for key, source in sources.items()})
    blocks = read_draft(markdown, {excerpt.id: excerpt for excerpt in known})
    return draft_of(state, record.context, Written(blocks=blocks, citing=citing), known)


def row_of(plant: Plant, check: Checked) -> dict[str, Any]:
    """Return what became of an error, for a reader."""
    claims = [claim for claim in [*check.report.claims, *check.report.left_out] if letters(claim.text) == plant.key]
    verdicts = [
        judgement.verdict for (text, _), judgement in check.verified.judgements.items() if letters(text) == plant.key
    ]
    return {
        "kind": plant.kind,
        "original": plant.statement.raw,
        "planted": plant.changed,
        "verifier": verdicts[0] if verdicts else "",
        "end": _end(plant, claims, check),
        "reason": claims[0].reason if claims else "",
        "verdict": "",
    }


def _end(plant: Plant, claims: Sequence[Claim], check: Checked) -> str:
    original = letters(plant.statement.text)
    if plant.key == original:  # the same words with another citation
        cited = set(CITATIONS.findall(plant.changed))
        wrong = [claim for claim in claims if not set(claim.citations) - set("".join(cited).strip(" []").split("]["))]
        if claims and not wrong:
            return "mended"
        claims = wrong
    if claims:
        status = claims[0].status
        removed = claims[0] in check.report.left_out
        return "removed" if removed else {"unverified": "marked", "inferred": "inferred"}.get(status, "supported")
    if plant.key in check.letters:
        return "marked"  # it claims nothing in the eyes of the check, and counts as no statement
    return "mended" if original in check.letters else "rewritten"


def neighbours_of(report: Report, check: Checked) -> list[dict[str, Any]]:
    """Return what became of each right statement that stood beside errors, itself untouched."""
    planted = {letters(plant.statement.text) for plant in check.plants}
    rows = []
    for claim in report.citations:
        key = letters(claim.text)
        if claim.status not in KEPT or key in planted:
            continue
        now = [each for each in check.report.claims if letters(each.text) == key]
        gone = [each for each in check.report.left_out if letters(each.text) == key]
        if any(each.status in KEPT for each in now):
            end = "kept"
        elif now:
            end = "marked"
        else:
            end = "removed" if gone else "rewritten" if key not in check.letters else "kept"
        reason = (now or gone or [claim])[0].reason if end in {"marked", "removed"} else ""
        rows.append({"statement": claim.text, "was": claim.status, "end": end, "reason": reason})
    return rows


def figures_of(
    plants: Sequence[Mapping[str, Any]], neighbours: Sequence[Mapping[str, Any]], usages: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Count what became of errors, by kind, and of their neighbours; an error whose verdict is `right` was none."""
    real = [row for row in plants if row["verdict"] != "right"]
    ends = {kind: Counter(row["end"] for row in real if row["kind"] == kind) for kind in KINDS}
    spent: Counter[str] = Counter()
    for usage in usages:
        for used in usage.values():
            spent.update(used)
    return {
        "planted": len(real),
        "no_errors": len(plants) - len(real),
        "passed": sum(row["end"] == "supported" for row in real),
        "verifier_supported": sum(row["verifier"] == "supported" for row in real),
        "by_code_alone": sum(not row["verifier"] for row in real),
        "rewritten_and_wrong": sum(row["end"] == "rewritten" and row["verdict"] == "wrong" for row in real),
        "by_kind": {kind: {end: counts[end] for end in ENDS if counts[end]} for kind, counts in ends.items()},
        "neighbours": len(neighbours),
        "neighbours_lost": sum(row["end"] in {"marked", "removed"} for row in neighbours),
        "neighbours_rewritten": sum(row["end"] == "rewritten" for row in neighbours),
        **spent,
    }
