"""Compares prompt folders, models or depths on a set of questions.

It is an evaluation (`evaluate.py`) with one kind of difference and no folder. It measures the evidence that runs found and the claims of
their reports, never how well these read.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import BaseModel

from leadline.batch.question_sets import Question
from leadline.evaluation.evaluate import evaluate
from leadline.evaluation.evaluation_runs import OnOutcome, SettingsRunner
from leadline.evaluation.gold import gold_among
from leadline.evaluation.measures import facts_missing, quotes_of
from leadline.evaluation.question import EvalQuestion
from leadline.evaluation.results import RunResult
from leadline.evaluation.settings import Setting, settings_of
from leadline.evaluation.table import laid_out
from prompts import BUILT_IN
from schemas.depth import DEPTHS
from schemas.reporter import Report
from services.run.errors import BadInput
from services.run.ui_text import say


class Figures(BaseModel):
    """Calls, tokens, cost and seconds of a run, or of all runs of a setting."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """In the currency of the price table; None where it is not known."""
    seconds: float


class Outcome(Figures):
    """Result of a question under a setting."""

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
    """Results of a setting over all questions."""

    name: str
    evidence_recall: float | None
    """Share of all expected facts and documents that were found, 0 to 1; None where none were expected."""
    verified_share: float | None
    """Share of all claims that passed the check, 0 to 1; None where there were none."""
    failed: int
    outcomes: list[Outcome]


def variants_of(prompts: Sequence[Path], models: Sequence[str], depths: Sequence[str] = ()) -> list[Setting]:
    """Return the settings to compare; a single prompt folder is compared with the built-in prompts.

    Args:
        prompts: folders of prompts.
        models: names of models.
        depths: several depths are compared; a single one applies to all runs.

    Raises:
        BadInput: none or several kinds were given, or fewer than two settings, or a folder or a depth cannot be used.
    """
    levels = [level for level in DEPTHS if level in depths]
    if unknown := next((depth for depth in depths if depth not in levels), None):
        raise BadInput(f"There is no depth {unknown!r}. There are: {', '.join(DEPTHS)}.")
    if sum((bool(prompts), bool(models), len(levels) > 1)) != 1:
        raise BadInput(
            "Compare prompts, models or depths: --prompts A --prompts B, --model A --model B, or --depth quick --depth deep."
        )
    variants = settings_of(prompts, models, levels)
    if prompts and len(variants) == 1:
        [own] = variants
        return [Setting(BUILT_IN.name, depth=own.depth), replace(own, name=own.prompts.name)]
    if len(variants) < 2:
        raise BadInput("One model alone cannot be compared. Name another with a second --model.")
    return variants


async def compare(
    questions: Sequence[Question],
    variants: Sequence[Setting],
    docs: Sequence[Path],
    on_outcome: OnOutcome | None = None,
    **choices: Any,
) -> list[Total]:
    """Run every question under every setting, one after another, so that the seconds are comparable.

    The reports of this evaluation are not written to files. A failed question counts as nothing found and is named; the
    other questions continue.

    Args:
        questions: the questions.
        variants: the settings.
        docs: folders of documents to search.
        on_outcome: called after each run with the question's id, the setting's name and the outcome.
        choices: fields of `schemas.context.RunContext` for all runs.

    Raises:
        BadInput: a choice or a folder cannot be used.
    """
    asked = [EvalQuestion.model_validate(question.model_dump()) for question in questions]
    with TemporaryDirectory(prefix="leadline-compare-") as place:
        runner = SettingsRunner(variants, {**choices, "documents": [str(folder) for folder in docs]}, Path(place))
        evaluated = await evaluate(asked, runner, name="", on_outcome=on_outcome)
    results = {result.id: result.results for result in evaluated.evaluation.questions}
    outcomes = {
        variant.name: [
            _outcome(question, results[question.id][variant.name], evaluated.reports.get((question.id, variant.name)))
            for question in questions
        ]
        for variant in variants
    }
    return [_total(name, of_it) for name, of_it in outcomes.items()]


def _outcome(question: Question, result: RunResult, report: Report | None) -> Outcome:
    expected = [*(forms[0] for forms in question.facts), *question.documents]
    if report is None:
        return Outcome(
            question=question.id,
            expected=len(expected),
            missing=expected,
            seconds=result.figures.get("seconds") or 0.0,
            error=result.error,
        )
    missing = missing_evidence(question, report)
    used = report.usage.total
    return Outcome(
        question=question.id,
        expected=len(expected),
        found=len(expected) - len(missing),
        missing=missing,
        claims=len(report.citations),
        verified=sum(claim.verified for claim in report.citations),
        calls=used.calls,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cost=used.cost,
        seconds=result.figures["seconds"] or 0.0,
        run_id=result.run_id,
    )


def missing_evidence(question: Question, report: Report) -> list[str]:
    """Return the facts missing from all excerpts of a report, and the documents that no excerpt is from."""
    excerpts = quotes_of(report)
    facts = facts_missing(
        EvalQuestion.model_validate(question.model_dump()), "\n".join(excerpt.quote for excerpt in excerpts)
    )
    sources = {source.content_hash: source for source in report.sources}
    found = gold_among(question.documents, {excerpt.content_hash for excerpt in excerpts}, sources)
    return [*facts, *(name for name in question.documents if name not in found)]


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


def table(totals: Sequence[Total], locale: str = "en-US") -> str:
    """Render totals as a Markdown table with a column per setting, and list the questions with different results."""
    unknown, none = say("eval_unknown", locale), say("eval_none", locale)
    rows = [
        ("compare_recall", [_percent(total.evidence_recall, none) for total in totals]),
        ("compare_verified", [_percent(total.verified_share, none) for total in totals]),
        ("measure_calls", [f"{total.calls:,}" for total in totals]),
        ("measure_input_tokens", [f"{total.input_tokens:,}" for total in totals]),
        ("measure_output_tokens", [f"{total.output_tokens:,}" for total in totals]),
        ("measure_cost", [unknown if total.cost is None else f"{total.cost:,.4f}" for total in totals]),
        ("measure_seconds", [f"{total.seconds:,.1f}" for total in totals]),
        ("compare_failed", [str(total.failed) for total in totals]),
    ]
    lines = laid_out([["", *(total.name for total in totals)], *([say(key, locale), *values] for key, values in rows)])
    differ = [
        say("compare_differs", locale, question=outcomes[0].question, counts=_counts(outcomes, locale))
        for outcomes in zip(*(total.outcomes for total in totals), strict=True)
        if len({outcome.found for outcome in outcomes}) > 1
    ]
    return "\n".join([*lines, *(["", *differ] if differ else [])])


def _counts(outcomes: Sequence[Outcome], locale: str) -> str:
    return say("compare_against", locale).join(
        say("eval_count_of", locale, count=outcome.found, all=outcome.expected) for outcome in outcomes
    )


def _percent(share: float | None, none: str) -> str:
    return none if share is None else f"{share:.1%}"
