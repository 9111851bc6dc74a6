"""The researcher's call: relevance, verbatim quotes, a finding and what is missing, judged over ranked passages."""

from pydantic import BaseModel, Field

from schemas.evidence import Passage, Relevance
from schemas.evidence_view import FindingView


class ResearcherPrompt(BaseModel):
    """Variables of `prompts/researcher.md`."""

    question: str
    locale: str
    title: str
    description: str
    queries: list[str]
    feedback: str
    """The reflector's feedback on an earlier attempt; empty at the first."""
    findings: list[FindingView]
    """Findings of the steps this one depends on."""
    passages: list[Passage]
    with_tools: bool = False
    """Whether the step is a loop of tool calls instead of one answer."""


class Quotation(BaseModel):
    """A verbatim quote from one passage."""

    passage_id: str = ""
    """Empty for a quote from the result of a tool."""
    quote: str = Field(description="Copied from the passage character by character, one to three sentences.")
    relevance: Relevance = "medium"


class Findings(BaseModel):
    """The researcher's answer."""

    excerpts: list[Quotation] = Field(default_factory=list)
    finding: str = ""
    """One to three sentences that answer the step from the excerpts; empty when they do not."""
    confidence: float = Field(default=0.0, ge=0, le=1)
    missing_aspects: list[str] = Field(default_factory=list)
