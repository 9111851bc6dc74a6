"""The researcher's call: relevance, verbatim quotes, a finding and what is missing, judged over ranked passages."""

from typing import Annotated

from pydantic import BaseModel, Field

from schemas.asked import AtMost, Id, Reason, Thought
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

    passage_id: Id = ""
    """Empty for a quote from the result of a tool."""
    quote: Annotated[str, AtMost(900)] = Field(
        description="Copied from the passage character by character, one to three sentences."
    )
    relevance: Relevance = "medium"


class Findings(BaseModel):
    """The researcher's answer."""

    excerpts: Annotated[list[Quotation], AtMost(16)] = Field(default_factory=list)
    finding: Thought = ""
    """One to three sentences that answer the step from the excerpts; empty when they do not."""
    missing_aspects: Annotated[list[Reason], AtMost(6)] = Field(default_factory=list)
    confidence: float = Field(default=0.0, ge=0, le=1)
    """How well the excerpts answer the step."""
