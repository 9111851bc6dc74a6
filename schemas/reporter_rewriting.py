"""The sentences of a report that what they cite does not support, and what is to stand in their place."""

from typing import Annotated

from pydantic import BaseModel, Field

from schemas.answer_schema import Answer, AtMost
from schemas.evidence_view import EvidenceView

MAX_SENTENCES = 30
"""That are written anew."""


class FailedSentence(BaseModel):
    """A sentence that failed the check."""

    number: int
    text: str
    reason: str
    """Why, in words."""
    cites: list[str]
    before: str = ""
    """The statement in front of it in the report."""
    after: str = ""
    """The statement behind it."""


class ReporterRewritingPrompt(BaseModel):
    """Variables of `prompts/reporter_rewriting.md`."""

    question: str
    locale: str
    tone: str
    evidence: list[EvidenceView]
    """What the sentences cite."""
    sentences: list[FailedSentence]


class RewrittenSentence(BaseModel):
    """A sentence with its citations; empty where nothing of it can be said."""

    number: int
    text: Answer = ""


class Rewriting(BaseModel):
    """The reporter's answer."""

    sentences: Annotated[list[RewrittenSentence], AtMost(2 * MAX_SENTENCES)] = Field(default_factory=list)
