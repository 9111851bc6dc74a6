"""What a judge sees of two reports on one question, and which it finds better."""

from typing import Literal

from pydantic import BaseModel

from schemas.answer_schema import Thought

Better = Literal["first", "second", "neither"]


class JudgePairPrompt(BaseModel):
    """Variables of `prompts/judge_pair.md`."""

    question: str
    criteria: list[str]
    """What a good answer does, where the set says so."""
    first: str
    second: str


class PairJudgement(BaseModel):
    """The judge's answer."""

    reason: Thought = ""
    better: Better
