"""Two ways of asking compared on a set of questions: prompt folders, models, or depths.

What is measured is the evidence that a run found and what its report did with it, never how well it reads.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from leadline.api import aresearch
from leadline.batch.question_sets import Question
from prompts import BUILT_IN, PromptError, Prompts, load_prompts, using
from schemas.depth import DEPTHS, Depth
from schemas.reporter import Report
from services.run.errors import BadInput, LeadlineError
from services.run.scope import checked_choices
from services.search.providers import allow_folders, providers_for


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of asking."""

    name: str
    prompts: Prompts = BUILT_IN
    model: str | None = None
    depth: Depth | None = None

    @property
    def choices(self) -> dict[str, Any]:
        """What its runs choose."""
        models = {"models": {"default": self.model}} if self.model else {}
        return {**models, **({"depth": self.depth} if self.depth else {})}


class Figures(BaseModel):
    """What a run, or all runs of a variant, used."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """In the currency of the price table; None where it is not known."""
    seconds: float


class Outcome(Figures):
    """What one question came to under one variant."""

    question: str
    """The question's id."""
    expected: int
    """Facts and documents that were expected."""
    found: int = 0
    """Of these, how many stand in the report's excerpts or are among their sources."""
    missing: list[str]
    claims: int = 0
    verified: int = 0
    run_id: str = ""
    error: str = ""
    """Why there is no report; the rest then counts as nothing found."""


class Total(Figures):
    """A variant over all questions."""

    name: str
    evidence_recall: float | None
    """Share of all expected facts and documents that were found, 0 to 1; None where none were expected."""
    verified_share: float | None
    """Share of all claims that passed the check, 0 to 1; None where there were none."""
    failed: int
    outcomes: list[Outcome]


def variants_of(prompts: Sequence[Path], models: Sequence[str], depths: Sequence[str] = ()) -> list[Variant]:
    """Return the variants that are to be compared; a single prompt folder is compared with the built-in prompts.

    Args:
        prompts: folders of prompts.
        models: names of models.
        depths: several of them are compared; a single one is that of all runs.

    Raises:
        BadInput: none or several kinds were given, or fewer than two variants, or a folder or a depth cannot be used.
    """
    levels = [level for level in DEPTHS if level in depths]
    if unknown := next((depth for depth in depths if depth not in levels), None):
        raise BadInput(f"There is no depth {unknown!r}. There are: {', '.join(DEPTHS)}.")
    compared = levels if len(levels) > 1 else []
    if sum(map(bool, (prompts, models, compared))) != 1:
        raise BadInput(
            "Compare prompts, models or depths: --prompts A --prompts B, --model A --model B, or --depth quick --depth deep."
        )
    if compared:
        return [Variant(depth, depth=depth) for depth in compared]
    shared = levels[0] if levels else None
    if models:
        variants = [Variant(model, model=model, depth=shared) for model in dict.fromkeys(models)]
    else:
        try:
            variants = [Variant(str(folder), load_prompts(folder), depth=shared) for folder in dict.fromkeys(prompts)]
        except PromptError as error:
            raise BadInput(str(error)) from None
        if len(variants) == 1:
            variants.insert(0, Variant(BUILT_IN.name, depth=shared))
    if len(variants) < 2:
        raise BadInput("One model alone cannot be compared. Name another with a second --model.")
    return variants


async def compare(
    questions: Sequence[Question],
    variants: Sequence[Variant],
    docs: Sequence[Path],
    on_outcome: Callable[[Variant, Outcome], None] | None = None,
    **choices: Any,
) -> list[Total]:
    """Run every question under every variant, one after another, so that the seconds can be compared.

    A question that fails counts as nothing found and is named; the rest goes on.

    Args:
        questions: what to ask.
        variants: how to ask it.
        docs: folders of documents to search.
        on_outcome: called after each run.
        choices: fields of `schemas.context.RunContext` for all runs.

    Raises:
        BadInput: a choice or a folder cannot be used.
    """
    allow_folders(docs)
    await providers_for(checked_choices({**choices, "documents": [str(folder) for folder in docs]}))  # indexed for all
    outcomes: dict[str, list[Outcome]] = {variant.name: [] for variant in variants}
    for question in questions:
        for variant in variants:
            outcome = await _ask(question, variant, docs, choices)
            outcomes[variant.name].append(outcome)
            if on_outcome is not None:
                on_outcome(variant, outcome)
    return [_total(name, of_it) for name, of_it in outcomes.items()]


async def _ask(question: Question, variant: Variant, docs: Sequence[Path], choices: dict[str, Any]) -> Outcome:
    started = time.monotonic()
    with using(variant.prompts):
        try:
            report = await aresearch(question.question, docs=docs, **(choices | variant.choices))
        except BadInput:
            raise
        except LeadlineError as error:
            return _failed(question, str(error), time.monotonic() - started)
    return _outcome(question, report, time.monotonic() - started)


def _outcome(question: Question, report: Report, seconds: float) -> Outcome:
    missing = missing_evidence(question, report)
    expected = len(question.facts) + len(question.documents)
    used = report.usage.roles.values()
    return Outcome(
        question=question.id,
        expected=expected,
        found=expected - len(missing),
        missing=missing,
        claims=len(report.citations),
        verified=sum(claim.verified for claim in report.citations),
        calls=sum(role.calls for role in used),
        input_tokens=sum(role.input_tokens for role in used),
        output_tokens=sum(role.output_tokens for role in used),
        cost=report.usage.total.cost,
        seconds=round(seconds, 3),
        run_id=report.run_id,
    )


def _failed(question: Question, error: str, seconds: float) -> Outcome:
    expected = [*(forms[0] for forms in question.facts), *question.documents]
    return Outcome(
        question=question.id, expected=len(expected), missing=expected, seconds=round(seconds, 3), error=error
    )


def missing_evidence(question: Question, report: Report) -> list[str]:
    """Return the facts that stand in no excerpt of a report and the documents that none is from."""
    cited = {key for claim in report.citations for key in claim.citations}
    of_steps = {excerpt.id for result in report.results for excerpt in result.excerpts}
    excerpts = [one for one in report.excerpts if one.id in cited or one.id in of_steps or not of_steps]
    quotes = "\n".join(excerpt.quote for excerpt in excerpts).casefold()
    facts = [forms[0] for forms in question.facts if not any(form.casefold() in quotes for form in forms)]
    quoted = {excerpt.content_hash for excerpt in excerpts}
    names = {Path(source.url).name for source in report.sources if {source.content_hash, source.duplicate_of} & quoted}
    return [*facts, *(name for name in question.documents if name not in names)]


def _total(name: str, outcomes: list[Outcome]) -> Total:
    expected, claims = sum(outcome.expected for outcome in outcomes), sum(outcome.claims for outcome in outcomes)
    costs = [outcome.cost for outcome in outcomes if not outcome.error]
    known = [cost for cost in costs if cost is not None]
    return Total(
        name=name,
        evidence_recall=sum(outcome.found for outcome in outcomes) / expected if expected else None,
        verified_share=sum(outcome.verified for outcome in outcomes) / claims if claims else None,
        calls=sum(outcome.calls for outcome in outcomes),
        input_tokens=sum(outcome.input_tokens for outcome in outcomes),
        output_tokens=sum(outcome.output_tokens for outcome in outcomes),
        cost=sum(known) if known and len(known) == len(costs) else None,
        seconds=round(sum(outcome.seconds for outcome in outcomes), 3),
        failed=sum(bool(outcome.error) for outcome in outcomes),
        outcomes=outcomes,
    )


def table(totals: Sequence[Total]) -> str:
    """Render totals as a Markdown table, a column a variant, and name the questions on which they differ."""
    rows = [
        ("evidence recall", [_percent(total.evidence_recall) for total in totals]),
        ("verified claims", [_percent(total.verified_share) for total in totals]),
        ("model calls", [f"{total.calls:,}" for total in totals]),
        ("input tokens", [f"{total.input_tokens:,}" for total in totals]),
        ("output tokens", [f"{total.output_tokens:,}" for total in totals]),
        ("cost", ["unknown" if total.cost is None else f"{total.cost:,.4f}" for total in totals]),
        ("seconds", [f"{total.seconds:,.1f}" for total in totals]),
        ("failed questions", [str(total.failed) for total in totals]),
    ]
    cells = [["", *(total.name.replace("|", "\\|") for total in totals)], *([name, *values] for name, values in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))]
    lines = [" | ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in cells]
    rule = " | ".join(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    differ = [
        f"{same[0].question}: {' against '.join(f'{outcome.found} of {outcome.expected}' for outcome in same)} found"
        for same in zip(*(total.outcomes for total in totals), strict=True)
        if len({outcome.found for outcome in same}) > 1
    ]
    body = [f"| {line} |" for line in (lines[0], rule, *lines[1:])]
    return "\n".join([*body, *(["", *differ] if differ else [])])


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.1%}"
