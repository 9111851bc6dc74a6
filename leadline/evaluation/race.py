"""RACE: the score of a report against a reference, from scores by criterion or by dimension.

The method is that of DeepResearch Bench (Du and others, arXiv 2506.11763): a judge scores both reports by each criterion; a dimension's
score is the mean of its criteria's by their weights, the whole score the mean of the dimensions' by theirs, and the result is
the report's part of both whole scores. A question whose criteria do not cover its dimensions gets one score a dimension instead.
"""

from collections.abc import Mapping, Sequence

from leadline.evaluation.measures import Figures
from leadline.evaluation.question import Criterion, EvalQuestion
from schemas.judge_dimensions import DIMENSIONS, Dimension
from schemas.judge_scores import CriterionScore

WEIGHTS: dict[Dimension, float] = {
    "comprehensiveness": 0.29,
    "insight": 0.35,
    "instruction_following": 0.22,
    "readability": 0.14,
}
"""Default weight of each dimension: the means over the 100 tasks of DeepResearch Bench."""

Scores = Mapping[Dimension, tuple[float, float]]
"""Scores of the report and the reference by dimension, from 0 to 10."""


def weights_of(question: EvalQuestion) -> Mapping[Dimension, float]:
    """Return the weight of each dimension."""
    return question.dimension_weights or WEIGHTS


def criteria_by_dimension(question: EvalQuestion) -> dict[Dimension, list[Criterion]]:
    """Return the criteria of each weighted dimension; empty if one of them has no weighted criteria."""
    by_dimension = {
        dimension: [
            criterion for criterion in question.criteria if criterion.dimension == dimension and criterion.weight
        ]
        for dimension in DIMENSIONS
        if weights_of(question).get(dimension)
    }
    return by_dimension if all(by_dimension.values()) else {}


def dimension_score(
    criteria: Sequence[Criterion], scores: Sequence[CriterionScore | None]
) -> tuple[float, float] | None:
    """Return the scores of both reports in a dimension: weighted means over the scored criteria; None without any."""
    scored = [(criterion.weight, score) for criterion, score in zip(criteria, scores, strict=True) if score is not None]
    total = sum(weight for weight, _ in scored)
    if not total:
        return None
    return (
        sum(weight * score.first for weight, score in scored) / total,
        sum(weight * score.second for weight, score in scored) / total,
    )


def race(scores: Scores, weights: Mapping[Dimension, float]) -> Figures:
    """Return a report's share of the sum of both scores: a half is as good as the reference.

    Args:
        scores: scores of the judged dimensions; if a weighted one is missing, there is no result.
        weights: weights of the dimensions.
    """
    figures: Figures = {f"race_{name}": _part(*both) for name, both in scores.items()}
    counted = {name: weight for name, weight in weights.items() if weight}
    if not counted.keys() <= scores.keys():
        return figures
    first, second = (sum(weight * scores[name][place] for name, weight in counted.items()) for place in (0, 1))
    return {"race": _part(first, second), **figures}


def _part(first: float, second: float) -> float | None:
    return first / (first + second) if first + second else None
