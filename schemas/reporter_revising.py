"""The reporter's prompt for a change of a finished report."""

from pydantic import BaseModel, Field

from schemas.evidence_view import EvidenceView


class ReporterRevisingPrompt(BaseModel):
    """Variables of `prompts/reporter_revising.md`."""

    request: str
    question: str
    """That the report answers."""
    locale: str
    tone: str
    report: str
    """The finished report in Markdown, citing excerpt ids, without what the program adds."""
    evidence: list[EvidenceView]
    """All that may be cited, what the report cites first."""
    found: list[str] = Field(default_factory=list)
    """Ids of the evidence that was searched for this request."""
