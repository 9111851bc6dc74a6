"""Prompt and answer of a judge on RACE's four dimensions: a report, a reference on the same question, and scores of both."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, Field

from schemas.answer_schema import Exactly, Reason

Dimension = Literal["comprehensiveness", "insight", "instruction_following", "readability"]
"""RACE's dimensions of a report (DeepResearch Bench, arXiv 2506.11763)."""
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
Score = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]


class DimensionCriterion(BaseModel):
    """A criterion of a good report on this question, in a dimension."""

    dimension: str
    text: str


class JudgeDimensionsPrompt(BaseModel):
    """Variables of `prompts/judge_dimensions.md`."""

    question: str
    criteria: list[DimensionCriterion]
    first: str
    """The report."""
    second: str
    """The reference."""


class DimensionScore(BaseModel):
    """The scores of both reports in one dimension."""

    dimension: Dimension
    reason: Reason = ""
    first: Score
    second: Score


class DimensionScores(BaseModel):
    """The judge's answer."""

    scores: Annotated[list[DimensionScore], Exactly(len(DIMENSIONS))] = Field(default_factory=list)
