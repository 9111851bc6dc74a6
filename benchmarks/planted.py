"""Planted errors: right statements of a report, each made wrong in one way, and what the product's own check makes of them.

Code makes what is certain: another number, another year, another source named or cited. A model writes the others from the
benchmark's own prompt: another actor, the opposite direction, a generalisation. The draft of the finished report, with errors in
place of their originals, goes the reporter's way: code, verifier, editor, verifier.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from benchmarks.report_files import CITATIONS
from leadline.runs.store import Home, RunRecord
from schemas.evidence import EXCERPT_ID, Claim, Excerpt, Source
from schemas.reporter import Report
from schemas.state import ResearchState
from schemas.usage import Allowance, CallUsage
from services.check.support import lexical_share
from services.embedding.cross_lingual import likeness_of
from services.models.endpoint import clients_open
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.code_citations import CodeCitations
from services.reports.document import letters
from services.reports.markdown import across_languages, check_draft
from services.reports.markdown_blocks import read_draft
from services.reports.rendering import to_draft
from services.reports.report_draft import Written, draft_of
from services.reports.verification import Verified, verify_draft
from services.run.budget import Budget
from services.run.journal import Journal, run_key
from services.run.scope import Run, working_for
from services.text.held_numbers import missing_quantities
from services.text.names import missing_names
from services.text.tokens import has_cjk

COPIES = 3
"""Copies of a report at most among which errors are dealt out; each costs a whole check."""
BY_MODEL = ("actor", "direction", "generalisation")
SURE = frozenset({"quoted", "supported"})
"""Statuses of the statements that are made wrong."""
KEPT = SURE | {"inferred"}
_YEAR = r"(?:1[5-9]|20)\d\d(?!\w|[.,]\d)"
_FIGURES = {"number": rf"(?!{_YEAR})\d+(?:,\d{{3}})*(?:\.\d+)?(?!\w|[.,]\d)", "year": _YEAR}
_END = re.compile(rf"[*_]*(?:{CITATIONS.pattern})*[^\w\s\[|]*(?:{CITATIONS.pattern})*")


@dataclass(frozen=True, slots=True)
class Statement:
    """A right statement and its place in the draft."""

    claim: Claim
    start: int
    raw: str
    """As it stands there, with its citations."""
    block: int
    """Number of its line in the draft; a paragraph, an item and a row are a line each."""


@dataclass(frozen=True, slots=True)
class Plant:
    """A statement made wrong."""

    kind: str
    statement: Statement
    changed: str
    """What stands in its place, with citations."""


class _Changed(BaseModel):
    number: int
    kind: str
    text: str


class Changes(BaseModel):
    """The model's wrong statements, by the numbers of the right ones."""

    changed: list[_Changed] = Field(default_factory=list)


def right_statements(draft: str, claims: Iterable[Claim]) -> list[Statement]:
    """Return the statements of a draft that the check supported, each with its place; unclear places are left out."""
    hidden = {place for match in CITATIONS.finditer(draft) for place in range(*match.span())}
    places = [place for place, char in enumerate(draft) if char.isalnum() and place not in hidden]
    shown = "".join(draft[place] for place in places)
    found = []
    for claim in claims:
        key = letters(claim.text)
        if claim.status not in SURE or len(key) < 8 or shown.count(key) != 1:
            continue
        at = shown.index(key)
        start, end = len(draft[: places[at]].rstrip('"“‘(（「《')), places[at + len(key) - 1] + 1
        if tail := _END.match(draft, end):
            end = tail.end()
        raw = draft[start:end]
        if "\n" not in raw and raw.count("**") % 2 == 0:
            found.append(Statement(claim, start, raw, draft.count("\n", 0, start)))
    return found


def by_code(
    statements: Iterable[Statement], excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]
) -> list[Plant]:
    """Return all errors that code can plant: at most one of each kind a statement."""
    names = [*dict.fromkeys(source.card.name for source in sources.values() if len(source.card.name) > 2)]
    named = rf"(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True))) or '(?!)'})(?!\w)"
    made = []
    for statement in statements:
        changes = {
            kind: _other_figure(statement, excerpts, re.compile(rf"{named}|(?<![\w.,-])({figure})", re.ASCII))
            for kind, figure in _FIGURES.items()
        } | {"document": _other_document(statement, excerpts, names, named)}
        made += [Plant(kind, statement, changed) for kind, changed in changes.items() if changed]
    return made


def _other_figure(statement: Statement, excerpts: Mapping[str, Excerpt], pattern: re.Pattern[str]) -> str:
    """Return a statement with a figure exchanged for the likest of what it cites, else of any excerpt; empty without one.

    Figures are the pattern's first group: those in names of sources are none.
    """
    raw = statement.raw
    written = [match for match in pattern.finditer(raw) if match[1]]
    barred = {None, *(match[1] for match in written)}
    cited = [excerpts[key] for key in statement.claim.citations if key in excerpts]
    for among in (cited, excerpts.values()):
        others = [match for each in among for match in pattern.finditer(each.quote) if match[1] not in barred]
        if pairs := [(figure, other) for other in others for figure in written]:
            figure, other = max(pairs, key=lambda pair: _likeness(*pair))
            return f"{raw[: figure.start()]}{other[1]}{raw[figure.end() :]}"
    return ""


def _likeness(one: re.Match[str], other: re.Match[str]) -> int:
    """Count in what two figures are alike: unit, decimals, digits."""
    return 2 * (_unit(one) == _unit(other)) + (("." in one[1]) == ("." in other[1])) + (len(one[1]) == len(other[1]))


def _unit(figure: re.Match[str]) -> str:
    """Return the beginning of the word behind a figure, or the Chinese character."""
    behind = figure.string[figure.end() : figure.end() + 12].lstrip()
    return behind[: 1 if has_cjk(behind[:1]) else 3]


def _other_document(statement: Statement, excerpts: Mapping[str, Excerpt], names: Sequence[str], named: str) -> str:
    """Return a statement that names another source, else cites the nearest one that does not prove it; empty without one."""
    raw, text = statement.raw, statement.claim.text
    others = [name for name in names if name not in raw]
    if others and re.search(named, raw, re.ASCII):
        return re.sub(named, lambda _: others[0], raw, count=1, flags=re.ASCII)
    cited = {excerpts[key].content_hash for key in statement.claim.citations if key in excerpts}
    lacking = [
        excerpt for excerpt in excerpts.values()
        if excerpt.content_hash not in cited
        and (missing_quantities(text, [excerpt.quote]) or missing_names(text, excerpt.quote))
    ]  # fmt: skip
    if not lacking or not CITATIONS.search(raw):
        return ""
    nearest = max(lacking, key=lambda excerpt: (lexical_share(text, excerpt.quote), excerpt.id))
    return _cited(CITATIONS.sub("", raw), [nearest.id])


def by_model(changes: Changes, statements: Sequence[Statement]) -> list[Plant]:
    """Return the errors that a model wrote into these statements, numbered from 1."""
    made = []
    for change in changes.changed:
        if change.kind in BY_MODEL and 1 <= change.number <= len(statements):
            statement = statements[change.number - 1]
            cites = statement.claim.citations if CITATIONS.search(statement.raw) else ()
            if letters(change.text) != letters(statement.claim.text):
                made.append(Plant(change.kind, statement, _cited(" ".join(change.text.split()), cites)))
    return made


def _cited(text: str, ids: Sequence[str]) -> str:
    """Put citations before the end mark of a sentence."""
    told = text.rstrip(".!?。！？…")
    return f"{told}{' ' if ids else ''}{''.join(f'[{key}]' for key in ids)}{text[len(told) :]}"


def copies_of(plants: Iterable[Plant], wanted: int) -> list[list[Plant]]:
    """Deal up to so many errors out to copies: kinds in turn, first of statements used least; one a paragraph where possible."""
    left, used = list(plants), Counter[str | int]()
    copies: list[list[Plant]] = [[] for _ in range(COPIES)]
    while left and sum(map(len, copies)) < wanted:
        plant = min(left, key=lambda each: (used[each.kind], used[each.statement.start]))
        left.remove(plant)
        free = [copy for copy in copies if all(other.statement.start != plant.statement.start for other in copy)]
        if free:
            min(free, key=lambda copy: any(other.statement.block == plant.statement.block for other in copy)).append(
                plant
            )
            used.update((plant.kind, plant.statement.start))
    return [copy for copy in copies if copy]


@dataclass(frozen=True, slots=True)
class Checked:
    """A copy of a report after the check."""

    plants: Sequence[Plant]
    verified: Verified
    report: CheckedReport
    letters: str
    """Of the draft as the editor left it, without citations."""
    usage: CallUsage

    def fate(self, key: str, cited: Iterable[str] | None = None) -> tuple[str, str]:
        """Return the end of the statement with these letters, and why; the best counts. With citations it cites no others."""
        every = [*self.report.claims, *self.report.left_out]
        found = [claim for claim in every if letters(claim.text) == key]
        claims = [claim for claim in found if cited is None or {*claim.citations} <= {*cited}]
        if not claims:  # what claims nothing in the eyes of the check counts as no statement
            return "untold" if not found and key in self.letters else "", ""
        claim = min(claims, key=lambda each: (each in self.report.left_out, each.status not in KEPT))
        if claim in self.report.left_out:
            return "removed", claim.reason
        return "supported" if claim.status in SURE else "inferred" if claim.status in KEPT else "marked", claim.reason


async def checked(
    home: Home, record: RunRecord, state: ResearchState, markdown: str, plants: Sequence[Plant]
) -> Checked:
    """Put a draft with errors to the check, with a journal of its own, so that a repeated measurement asks nothing twice."""
    report, sources, context = state["report"], state["sources"], record.context
    assert report is not None
    for plant in sorted(plants, key=lambda each: -each.statement.start):
        start, raw = plant.statement.start, plant.statement.raw
        markdown = f"{markdown[:start]}{plant.changed}{markdown[start + len(raw) :]}"
    known = [excerpt for excerpt in report.excerpts if excerpt.content_hash in sources]
    citing = CodeCitations(known, {key: source.title for key, source in sources.items()})
    blocks = read_draft(markdown, {excerpt.id: excerpt for excerpt in known})
    draft = draft_of(state, context, Written(blocks=blocks, citing=citing), known)
    own = run_key(f"planted {record.id}", state["turn"]), run_key(to_draft(draft.blocks), 0)
    budget = Budget(Allowance(seconds=context.max_seconds), context)
    run = Run(context, "reporter", locale=report.locale, journal=Journal(home.store, *own, "reporter"), budget=budget)
    async with clients_open():
        with working_for(run):
            draft.likeness = await likeness_of(await asyncio.to_thread(across_languages, draft))
            tone = context.profile.tone if context.profile else ""
            verified = await verify_draft(draft, home.evidence.get_text, tone=tone)
    final = verified.draft(draft)
    left = letters(CITATIONS.sub("", to_draft(final.blocks)))
    return Checked(plants, verified, await asyncio.to_thread(check_draft, final), left, run.usage.total)


def row_of(plant: Plant, check: Checked) -> dict[str, Any]:
    """Return what became of an error, for a reader."""
    key, original = letters(CITATIONS.sub("", plant.changed)), letters(plant.statement.claim.text)
    end, reason = check.fate(key, re.findall(EXCERPT_ID, plant.changed) if key == original else None)
    judged = (judgement.verdict for (text, _), judgement in check.verified.judgements.items() if letters(text) == key)
    return {
        "kind": plant.kind,
        "original": plant.statement.raw,
        "planted": plant.changed,
        "verifier": next(judged, ""),
        "end": {"untold": "marked", "": "mended" if original in check.letters else "rewritten"}.get(end, end),
        "reason": reason,
    }


def neighbours_of(report: Report, check: Checked) -> list[dict[str, Any]]:
    """Return what became of each right statement that stood beside errors, itself untouched."""
    planted = {plant.statement.claim.text for plant in check.plants}
    rows = []
    for claim in report.citations:
        if claim.status in KEPT and claim.text not in planted:
            end, reason = check.fate(letters(claim.text))
            end = end if end in {"marked", "removed"} else "kept" if end else "rewritten"
            rows.append({"statement": claim.text, "was": claim.status, "end": end, "reason": reason})
    return rows


def figures_of(
    plants: Sequence[Mapping[str, Any]], neighbours: Iterable[Mapping[str, Any]], checks: Sequence[Checked]
) -> dict[str, Any]:
    """Count what became of errors, by kind, and of their neighbours; an error whose verdict is `right` was none."""
    real = [row for row in plants if row["verdict"] != "right"]
    beside = Counter(row["end"] for row in neighbours)
    used = sum((check.usage for check in checks), CallUsage())
    return {
        "copies": len(checks),
        "limits": [limit for check in checks for limit in check.verified.limits],
        "planted": len(real),
        "no_errors": len(plants) - len(real),
        "passed": sum(row["end"] == "supported" for row in real),
        "verifier_supported": sum(row["verifier"] == "supported" for row in real),
        "by_code_alone": sum(not row["verifier"] for row in real),
        "rewritten_and_wrong": sum(row["end"] == "rewritten" and row["verdict"] == "wrong" for row in real),
        "by_kind": {
            kind: Counter(row["end"] for row in real if row["kind"] == kind)
            for kind in (*_FIGURES, "document", *BY_MODEL)
        },
        "neighbours": beside.total(),
        "neighbours_lost": beside["marked"] + beside["removed"],
        "neighbours_rewritten": beside["rewritten"],
        "calls": used.calls,
        "prompt_tokens": used.input_tokens,
    }
