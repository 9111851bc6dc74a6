"""A simpler task for a reporter whose report proves nothing: one sentence for each excerpt, which code then cites."""

from typing import Annotated

from pydantic import BaseModel, Field

from schemas.answer_schema import AtMost, Thought
from schemas.clean_text import CleanLine

MAX_EXCERPTS = 12
"""That are shown."""


class NumberedExcerpt(BaseModel):
    """An excerpt as it is shown: by a number instead of its id, which no answer can get wrong in form."""

    number: int
    title: str
    """Of its source."""
    published: str = ""
    about: CleanLine = ""
    """What the card of its source has besides the title."""
    quote: str


class ReporterSentencesPrompt(BaseModel):
    """Variables of `prompts/reporter_sentences.md`."""

    question: str
    locale: str
    tone: str
    passages: list[NumberedExcerpt]


class PassageSentence(BaseModel):
    """What one passage tells of the question."""

    number: int
    sentence: Thought = ""


class PassageSentences(BaseModel):
    """The reporter's answer."""

    sentences: Annotated[list[PassageSentence], AtMost(MAX_EXCERPTS)] = Field(default_factory=list)
