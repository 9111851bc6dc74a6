"""The coordinator's call: what is asked, in which language, and whether research is due."""

from typing import Literal

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from schemas.evidence_view import EvidenceView
from schemas.profile import Profile

Intent = Literal["in_scope", "edge_case", "out_of_scope", "greeting", "unclear", "not_research"]


class Turn(BaseModel):
    """One earlier message of the thread."""

    role: Literal["user", "assistant"]
    text: str


class CoordinatorPrompt(BaseModel):
    """Variables of `prompts/coordinator.md`."""

    question: str
    conversation: list[Turn]
    profile: Profile | None
    locale: str
    """The run's locale, or `auto`."""
    known: list[EvidenceView] = Field(default_factory=list)
    """What earlier turns read that may answer the question; empty in a first turn."""
    answers: bool = False
    """True where a simple question that is known wholly is answered in this call."""
    asked_back: str = ""
    """The unclear question that the last turn asked back about; the present message answers that."""


class Triage(BaseModel):
    """The coordinator's answer."""

    intent: Intent
    confidence: float = Field(default=1.0, ge=0, le=1)
    category: str = ""
    """The profile's topic that the question belongs to, where there is a profile."""
    reason: str = ""
    original: SkipJsonSchema[str] = ""
    """The question as asked. Code sets it, and no model is asked for it."""
    question: str
    """The question, rewritten so that it stands alone."""
    rewritten: bool = False
    rewriting: str = ""
    """Why the question was rewritten: which pronoun or omission stood for what."""
    locale: str = Field(description="BCP 47 tag of the user's language, for example en-US or zh-CN")
    complexity: Literal["simple", "complex"] = "complex"
    reply: str = ""
    """Direct reply, clarifying question, or the note that an edge case carries."""
    answered: Literal["no", "part", "whole"] = "no"
    """How much of the question the evidence of earlier turns answers."""
    uses: list[str] = Field(default_factory=list)
    """Ids of the known excerpts that answer it."""
    missing: list[str] = Field(default_factory=list)
    """What they leave open, as affirmative statements."""
    answer: str = ""
    """The answer itself, citing known excerpts, to a simple question that they answer wholly."""
