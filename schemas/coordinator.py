"""The coordinator's call: what is asked, in which language, and whether research is due."""

from typing import Literal

from pydantic import BaseModel, Field

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


class Triage(BaseModel):
    """The coordinator's answer."""

    intent: Intent
    confidence: float = Field(default=1.0, ge=0, le=1)
    category: str = ""
    """The profile's topic that the question belongs to, where there is a profile."""
    reason: str = ""
    question: str
    """The question, rewritten so that it stands alone."""
    rewritten: bool = False
    locale: str = Field(description="BCP 47 tag of the user's language, for example en-US or zh-CN")
    complexity: Literal["simple", "complex"] = "complex"
    reply: str = ""
    """Direct reply, clarifying question, or the note that an edge case carries."""
