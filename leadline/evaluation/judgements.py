"""Judgements of all reports of an evaluation: criteria met, claims supported, scores, pairs won, agreement with people."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from leadline.evaluation.evaluate import Evaluated
from leadline.evaluation.judge import TEMPLATES, Judge, JudgedCriterion
from leadline.evaluation.measures import Figures
from leadline.evaluation.question import EvalQuestion
from leadline.evaluation.race import criteria_by_dimension, dimension_score, race, weights_of
from leadline.evaluation.results import JudgeResult, QuestionResult, RunResult
from leadline.evaluation.statistics import agreement
from leadline.runs.store import open_home
from prompts import prompt_info
from schemas.context import RunContext
from schemas.judge_dimensions import Dimension, DimensionCriterion
from schemas.reporter import Report
from services.reports.difference import own_text
from services.run.settings import settings


async def judged(evaluated: Evaluated, questions: Sequence[EvalQuestion], context: RunContext) -> tuple[Evaluated, str]:
    """Ask a judge about every report, pair of reports and labelled report, one call after another.

    Returns:
        The evaluation with the judgements, and the reason of the latest failed one; empty if all succeeded.
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
        result_of_judge = JudgeResult(
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
    evaluation = evaluated.evaluation.model_copy(update={"questions": results, "judge": result_of_judge})
    return replace(evaluated, evaluation=await asyncio.to_thread(evaluation.summarised)), judge.problem


def text_of(report: Report) -> str:
    """Return a report as shown to a judge: its own text with bare numbers as citations.

    The program's additions (counts of checked sentences, marks, limits, references) would tell the judge what to think of it, and their
    addresses take more room than the text.
    """
    return "\n".join(own_text(report))


async def _judged_run(judge: Judge, question: EvalQuestion, run: RunResult, report: Report | None) -> RunResult:
    if report is None:
        nothing = {"criteria_met": bool(question.criteria), "race": bool(question.reference)}
        return run.model_copy(update={"figures": run.figures | {key: 0.0 for key, wanted in nothing.items() if wanted}})
    figures: Figures = {}
    record: dict[str, Any] = {}
    if question.criteria:
        texts = [criterion.text for criterion in question.criteria]
        verdicts = await judge.criteria(run.run_id, question.question, text_of(report), texts)
        figures["criteria_met"] = _met(question, verdicts)
        record["criteria"] = [
            {"text": text, "met": verdict.met, "sentence": verdict.sentence, "reason": verdict.reason}
            for text, verdict in zip(texts, verdicts, strict=True)
        ]
    claims = await judge.claims(run.run_id, report)
    verdict_of = [None if judgement is None else judgement.verdict for _, judgement in claims]
    known = [verdict for verdict in verdict_of if verdict is not None]
    figures["claims_supported"] = known.count("supported") / len(known) if known else None
    record["claims"] = [
        {"text": claim.text, "verdict": verdict} for (claim, _), verdict in zip(claims, verdict_of, strict=True)
    ]
    if question.reference:
        scores, record["scores"] = await _scores(judge, question, run.run_id, text_of(report))
        figures |= race(scores, weights_of(question))
        record["dimensions"] = {name: list(both) for name, both in scores.items()}
    return run.model_copy(update={"figures": run.figures | figures, "judged": record})


async def _scores(
    judge: Judge, question: EvalQuestion, run_id: str, report: str
) -> tuple[dict[Dimension, tuple[float, float]], list[dict[str, Any]]]:
    """Return the scores of a report and its reference by dimension, and by criterion if its criteria have dimensions."""
    by_dimension = criteria_by_dimension(question)
    if not by_dimension:
        shown = [
            DimensionCriterion(dimension=criterion.dimension, text=criterion.text)
            for criterion in question.criteria
            if criterion.dimension
        ]
        whole = await judge.dimensions(run_id, question.question, shown, report, question.reference) or {}
        return {name: (score.first, score.second) for name, score in whole.items()}, []
    texts = {name: [criterion.text for criterion in criteria] for name, criteria in by_dimension.items()}
    scored = await judge.scores(run_id, question.question, texts, report, question.reference)
    scores: dict[Dimension, tuple[float, float]] = {}
    record: list[dict[str, Any]] = []
    for name, criteria in by_dimension.items():
        both = dimension_score(criteria, scored[name])
        if both is not None:
            scores[name] = both
        record += [
            {
                "dimension": name,
                "text": criterion.text,
                "weight": criterion.weight,
                "first": None if score is None else score.first,
                "second": None if score is None else score.second,
                "reason": "" if score is None else score.reason,
            }
            for criterion, score in zip(criteria, scored[name], strict=True)
        ]
    return scores, record


def _met(question: EvalQuestion, verdicts: Sequence[JudgedCriterion]) -> float | None:
    """Return the weighted share of met criteria among the judged ones."""
    weights = [
        (criterion.weight, verdict.met)
        for criterion, verdict in zip(question.criteria, verdicts, strict=True)
        if verdict.met is not None
    ]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, met in weights if met) / total if total else None


async def _pairs(
    judge: Judge, question: EvalQuestion, reports: Mapping[str, Report], wins: dict[str, Counter[str]]
) -> list[dict[str, Any]]:
    pairs = []
    for first, second in combinations(reports, 2):
        better = await judge.pair(
            f"{question.id} {first} {second}",
            question.question,
            [criterion.text for criterion in question.criteria],
            text_of(reports[first]),
            text_of(reports[second]),
        )
        pairs.append({"first": first, "second": second, "better": better})
        if better is not None:
            wins.setdefault(f"{first} | {second}", Counter())["tie" if better == "neither" else better] += 1
    return pairs


async def _labels(judge: Judge, question: EvalQuestion) -> list[tuple[bool, bool]]:
    """Return the judge's and people's verdicts on criteria of labelled reports, if both exist."""
    both: list[tuple[bool, bool]] = []
    texts = [criterion.text for criterion in question.criteria]
    for number, labelled in enumerate(question.labelled):
        verdicts = await judge.criteria(f"{question.id} labelled {number}", question.question, labelled.report, texts)
        both += [
            (verdict.met, label)
            for verdict, label in zip(verdicts, labelled.met, strict=True)
            if verdict.met is not None and label is not None
        ]
    return both
