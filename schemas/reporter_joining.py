"""What joins the sections of a long report: a title, what comes first, and what is said twice."""

from pydantic import BaseModel, Field


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


class TermChange(BaseModel):
    """A term that is written differently in different sections."""

    written: str
    instead: str


class Joining(BaseModel):
    """The reporter's answer."""

    title: str
    summary: str
    """One or two sentences, with citations."""
    conclusion: str = ""
    """Two to four sentences, with citations."""
    repeated: list[int] = Field(default_factory=list)
    """Numbers of paragraphs that only say again what an earlier one says."""
    terms: list[TermChange] = Field(default_factory=list)
    follow_up_questions: list[str] = Field(default_factory=list)
