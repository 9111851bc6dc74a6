"""Prompt and answer of a judge on the criteria of a good answer: the report, the criteria, and a verdict on each."""

from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from schemas.answer_schema import AtMost, Exactly, Reason

MAX_CRITERIA = 10
"""Of one call."""


class CriterionView(BaseModel):
    """A criterion of a good answer."""

    number: int
    """1, 2, … within the call."""
    text: str


class JudgeCriteriaPrompt(BaseModel):
    """Variables of `prompts/judge_criteria.md`."""

    question: str
    report: str
    criteria: list[CriterionView]


class CriterionVerdict(BaseModel):
    """The verdict on a criterion; its reason comes first, so that a model thinks before it decides."""

    number: int
    reason: Reason = ""
    met: bool
    sentence: Annotated[str, AtMost(600)] = ""
    """The sentence of the report that meets it; empty where none does."""


class CriteriaJudgement(BaseModel):
    """The judge's answer."""

    verdicts: Annotated[list[CriterionVerdict], AtMost(2 * MAX_CRITERIA)] = Field(default_factory=list)


@cache
def judgement_on(count: int) -> type[CriteriaJudgement]:
    """Return the schema of an answer on so many criteria; a small model leaves the last ones out where it may."""
    verdicts: Any = (Annotated[list[CriterionVerdict], Exactly(count)], Field(default_factory=list))
    return create_model("CriteriaJudgement", __base__=CriteriaJudgement, __module__=__name__, verdicts=verdicts)
