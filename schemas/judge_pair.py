"""Prompt and answer of a judge on a pair: two reports on the same question, and which of them is better."""

from typing import Literal

from pydantic import BaseModel

from schemas.answer_schema import Thought

Better = Literal["first", "second", "neither"]


class JudgePairPrompt(BaseModel):
    """Variables of `prompts/judge_pair.md`."""

    question: str
    criteria: list[str]
    """Of a good answer, where the set has them."""
    first: str
    second: str


class PairJudgement(BaseModel):
    """The judge's answer."""

    reason: Thought = ""
    better: Better
