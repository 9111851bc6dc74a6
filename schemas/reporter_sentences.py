"""A simpler task for a reporter whose report proves nothing: one sentence for each excerpt, which code then cites."""

from typing import Annotated

from pydantic import BaseModel, Field

from schemas.answer_schema import AtMost, Thought
from schemas.evidence_view import EvidenceView

MAX_EXCERPTS = 12
"""That are shown."""


class ReporterSentencesPrompt(BaseModel):
    """Variables of `prompts/reporter_sentences.md`."""

    question: str
    locale: str
    tone: str
    passages: list[EvidenceView]
    """Shown by their places from 1 instead of their ids, which no answer can get wrong in form."""


class PassageSentence(BaseModel):
    """What one passage tells of the question."""

    number: int
    sentence: Thought = ""


class PassageSentences(BaseModel):
    """The reporter's answer."""

    sentences: Annotated[list[PassageSentence], AtMost(MAX_EXCERPTS)] = Field(default_factory=list)
