"""What a judge says of all reports of an evaluation, and what comes of it: figures, pairs won, agreement with people."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from leadline.evaluation.evaluate import Evaluated
from leadline.evaluation.judge import TEMPLATES, CriterionSaid, Judge
from leadline.evaluation.measures import Figures
from leadline.evaluation.question import EvalQuestion
from leadline.evaluation.results import JudgeResult, QuestionResult, RunResult
from leadline.evaluation.statistics import agreement
from leadline.runs.store import open_home
from prompts import prompt_info
from schemas.context import RunContext
from schemas.judge_dimensions import Dimension, DimensionCriterion, DimensionScore
from schemas.reporter import Report
from services.run.settings import settings

WEIGHTS: dict[Dimension, float] = {
    "comprehensiveness": 0.29,
    "insight": 0.35,
    "instruction_following": 0.22,
    "readability": 0.14,
}
"""What each dimension counts where a question does not say: the means over the 100 tasks of DeepResearch Bench."""


async def judged(evaluated: Evaluated, questions: Sequence[EvalQuestion], context: RunContext) -> tuple[Evaluated, str]:
    """Ask a judge of every report, pair of reports and labelled report, one call after another.

    Returns:
        The evaluation with what the judge said, and why the latest judgement came to nothing that did; empty where all were given.
    """
    async with open_home(settings().leadline_home) as home:
        judge = Judge(context, home)
        results: list[QuestionResult] = []
        wins: dict[str, Counter[str]] = {}
        labels: list[tuple[bool, bool]] = []
        for question, result in zip(questions, evaluated.evaluation.questions, strict=True):
            reports = {
                name: report
                for name in evaluated.evaluation.names
                if (report := evaluated.reports.get((question.id, name))) is not None
            }
            of_settings = {
                name: await _judged_run(judge, question, run, reports.get(name)) for name, run in result.results.items()
            }
            pairs = await _pairs(judge, question, reports, wins)
            labels += await _labels(judge, question)
            results.append(result.model_copy(update={"results": of_settings, "pairs": pairs}))
        said = JudgeResult(
            model=judge.model,
            calls=judge.used.calls,
            input_tokens=judge.used.input_tokens,
            output_tokens=judge.used.output_tokens,
            cost=judge.used.cost,
            asked=judge.asked,
            no_judgement=judge.no_judgement,
            shortened=judge.shortened,
            wins={pair: {key: counts[key] for key in ("first", "second", "tie")} for pair, counts in wins.items()},
            agreement=agreement([mine for mine, _ in labels], [theirs for _, theirs in labels]),
            prompts={stem: prompt_info(stem).version for stem in TEMPLATES},
        )
    evaluation = evaluated.evaluation.model_copy(update={"questions": results, "judge": said})
    return replace(evaluated, evaluation=await asyncio.to_thread(evaluation.summarised)), judge.problem


async def _judged_run(judge: Judge, question: EvalQuestion, run: RunResult, report: Report | None) -> RunResult:
    if report is None:
        nothing = {"criteria_met": bool(question.criteria), "race": bool(question.reference)}
        return run.model_copy(update={"figures": run.figures | {key: 0.0 for key, wanted in nothing.items() if wanted}})
    figures: Figures = {}
    said: dict[str, Any] = {}
    if question.criteria:
        texts = [criterion.text for criterion in question.criteria]
        verdicts = await judge.criteria(run.run_id, question.question, report.markdown, texts)
        figures["criteria_met"] = _met(question, verdicts)
        said["criteria"] = [
            {"text": text, "met": one.met, "sentence": one.sentence, "reason": one.reason}
            for text, one in zip(texts, verdicts, strict=True)
        ]
    claims = await judge.claims(run.run_id, report)
    verdict_of = [None if judgement is None else judgement.verdict for _, judgement in claims]
    known = [verdict for verdict in verdict_of if verdict is not None]
    figures["claims_supported"] = known.count("supported") / len(known) if known else None
    said["claims"] = [
        {"text": claim.text, "verdict": verdict} for (claim, _), verdict in zip(claims, verdict_of, strict=True)
    ]
    if question.reference:
        criteria = [
            DimensionCriterion(dimension=one.dimension, text=one.text) for one in question.criteria if one.dimension
        ]
        scores = await judge.dimensions(run.run_id, question.question, criteria, report.markdown, question.reference)
        figures |= race(scores, question.dimension_weights or WEIGHTS)
        said["dimensions"] = {name: [score.first, score.second] for name, score in (scores or {}).items()}
    return run.model_copy(update={"figures": run.figures | figures, "judged": said})


def _met(question: EvalQuestion, verdicts: Sequence[CriterionSaid]) -> float | None:
    """Return the share of the criteria that are met, by weight, of those that were judged."""
    weights = [
        (criterion.weight, verdict.met)
        for criterion, verdict in zip(question.criteria, verdicts, strict=True)
        if verdict.met is not None
    ]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, met in weights if met) / total if total else None


def race(scores: Mapping[Dimension, DimensionScore] | None, weights: Mapping[Dimension, float]) -> Figures:
    """Return RACE's scores: a report's part of the sum of its scores and the reference's, so that a half is as good as it.

    The algorithm is that of DeepResearch Bench (arXiv 2506.11763), with one score a dimension.
    """
    if scores is None:
        return {}
    first = sum(weights.get(name, 0.0) * score.first for name, score in scores.items())
    second = sum(weights.get(name, 0.0) * score.second for name, score in scores.items())
    parts = {f"race_{name}": _part(score.first, score.second) for name, score in scores.items()}
    return {"race": _part(first, second), **parts}


def _part(first: float, second: float) -> float | None:
    return first / (first + second) if first + second else None


async def _pairs(
    judge: Judge, question: EvalQuestion, reports: Mapping[str, Report], wins: dict[str, Counter[str]]
) -> list[dict[str, Any]]:
    pairs = []
    for first, second in combinations(reports, 2):
        better = await judge.pair(
            f"{question.id} {first} {second}",
            question.question,
            [criterion.text for criterion in question.criteria],
            reports[first].markdown,
            reports[second].markdown,
        )
        pairs.append({"first": first, "second": second, "better": better})
        if better is not None:
            wins.setdefault(f"{first} | {second}", Counter())["tie" if better == "neither" else better] += 1
    return pairs


async def _labels(judge: Judge, question: EvalQuestion) -> list[tuple[bool, bool]]:
    """Return what the judge and people say of the criteria of labelled reports, where both say something."""
    both: list[tuple[bool, bool]] = []
    texts = [criterion.text for criterion in question.criteria]
    for number, labelled in enumerate(question.labelled):
        verdicts = await judge.criteria(f"{question.id} labelled {number}", question.question, labelled.report, texts)
        both += [
            (said.met, label)
            for said, label in zip(verdicts, labelled.met, strict=True)
            if said.met is not None and label is not None
        ]
    return both
