"""One section of a long report, written from its own evidence."""

from pydantic import BaseModel

from schemas.evidence_view import FindingView
from schemas.reporter import ContradictionView


class ReporterSectionPrompt(BaseModel):
    """Variables of `prompts/reporter_section.md`."""

    question: str
    locale: str
    today: str
    tone: str
    title: str
    focus: str
    words: int
    """Of this section."""
    outline: list[str]
    """Titles of all sections, in order."""
    terms: list[str]
    findings: list[FindingView]
    """With this section's evidence alone."""
    contradictions: list[ContradictionView]
