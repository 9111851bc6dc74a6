"""The outline of a long report: which sections there are, and which evidence each of them is written from."""

from pydantic import BaseModel, Field

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

    title: str
    focus: str = ""
    """What it tells, in one sentence."""
    excerpt_ids: list[str] = Field(default_factory=list)
    """Of the evidence that it is written from."""


class Outline(BaseModel):
    """The reporter's answer."""

    title: str
    sections: list[OutlineSection] = Field(default_factory=list)
    terms: list[str] = Field(default_factory=list)
    """Terms that all sections use alike."""
