"""The outline of a long report: which sections there are, and which evidence each of them is written from."""

from typing import Annotated

from pydantic import BaseModel, Field

from schemas.asked import AtMost, Id, Reason, Title
from schemas.evidence_view import FindingView


class ReporterOutlinePrompt(BaseModel):
    """Variables of `prompts/reporter_outline.md`."""

    question: str
    locale: str
    today: str
    tone: str
    words: int
    """Of the whole report."""
    findings: list[FindingView]


class OutlineSection(BaseModel):
    """One section of a long report."""

    title: Title
    focus: Reason = ""
    """What it tells, in one sentence."""
    excerpt_ids: Annotated[list[Id], AtMost(150)] = Field(default_factory=list)
    """Of the evidence that it is written from."""


class Outline(BaseModel):
    """The reporter's answer."""

    title: Title
    sections: Annotated[list[OutlineSection], AtMost(24)] = Field(default_factory=list)
    terms: Annotated[list[Title], AtMost(20)] = Field(default_factory=list)
    """Terms that all sections use alike."""
