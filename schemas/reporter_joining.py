"""The prompt and the answer that join the sections of a long report: title, opening, repetitions."""

from typing import Annotated

from pydantic import BaseModel, Field

from schemas.answer_schema import Answer, AtMost, Reason, Title
from schemas.wishes import Form


class Paragraph(BaseModel):
    """A paragraph of a section."""

    number: int
    text: str


class SectionText(BaseModel):
    """A section as it was written."""

    title: str
    paragraphs: list[Paragraph]


class ReporterJoiningPrompt(BaseModel):
    """Variables of `prompts/reporter_joining.md`."""

    question: str
    locale: str
    tone: str
    sections: list[SectionText]
    missing_aspects: list[str]
    wishes: Form = Form()
    """Form and readers that are asked for."""


class TermChange(BaseModel):
    """A term that is written differently in different sections."""

    written: Title
    instead: Title


class Joining(BaseModel):
    """The reporter's answer."""

    title: Title
    summary: Answer
    """One or two sentences, with citations."""
    conclusion: Answer = ""
    """Two to four sentences, with citations."""
    repeated: Annotated[list[int], AtMost(100)] = Field(default_factory=list)
    """Numbers of paragraphs that only say again what an earlier one says."""
    terms: Annotated[list[TermChange], AtMost(20)] = Field(default_factory=list)
    follow_up_questions: Annotated[list[Reason], AtMost(3)] = Field(default_factory=list)
