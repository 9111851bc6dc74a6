"""Prompt and answer of a judge on the criteria of a dimension: a report, a reference, and scores of both by each criterion."""

from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from schemas.answer_schema import AtMost, Exactly, Reason
from schemas.judge_criteria import MAX_CRITERIA, CriterionView
from schemas.judge_dimensions import Dimension, Score


class JudgeScoresPrompt(BaseModel):
    """Variables of `prompts/judge_scores.md`."""

    question: str
    dimension: Dimension
    criteria: list[CriterionView]
    """Those of this dimension."""
    first: str
    """The report."""
    second: str
    """The reference."""


class CriterionScore(BaseModel):
    """The scores of both reports by one criterion; the reason comes first, so that a model thinks before it scores."""

    number: int
    reason: Reason = ""
    first: Score
    second: Score


class CriterionScores(BaseModel):
    """The judge's answer."""

    scores: Annotated[list[CriterionScore], AtMost(MAX_CRITERIA)] = Field(default_factory=list)


@cache
def scores_by(count: int) -> type[CriterionScores]:
    """Return the schema of an answer by so many criteria."""
    scores: Any = (Annotated[list[CriterionScore], Exactly(count)], Field(default_factory=list))
    return create_model("CriterionScores", __base__=CriterionScores, __module__=__name__, scores=scores)
