"""The coordinator's call: what is asked, in which language, and whether research is due."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from schemas.answer_schema import LONGEST, Answer, AtMost, Id, Reason, Title, reduced_schema
from schemas.evidence_view import EvidenceView
from schemas.profile import Profile
from schemas.wishes import Wishes

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
    today: str = ""
    """ISO date on which it is asked."""
    known: list[EvidenceView] = Field(default_factory=list)
    """What earlier turns read that may answer the question; empty in a first turn."""
    answers: bool = False
    """True where a simple question that is known wholly is answered in this call."""
    asked_back: str = ""
    """The unclear question that the last turn asked back about; the present message answers that."""
    report: str = ""
    """The question of the report that the last turn ended with; empty where it ended with none."""


class Triage(BaseModel):
    """The coordinator's answer. The reason comes first, so that a model thinks before it decides."""

    reason: Reason = ""
    """Why the message is what `intent` says, in one sentence."""
    revises: bool = False
    """Whether the message asks to change the report of the last turn, where there is one, and asks nothing new."""
    intent: Intent
    category: Title = ""
    """The profile's topic that the question belongs to, where there is a profile."""
    original: SkipJsonSchema[str] = ""
    """The question as asked. Code sets it, and no model is asked for it."""
    wishes: Wishes = Field(default_factory=Wishes)
    """What the message asks of the answer besides its subject."""
    question: Answer = ""
    """The question, rewritten so that it stands alone; as it was asked where that is empty."""
    rewritten: SkipJsonSchema[bool] = False
    """Whether it differs from `original`. Code sets it, and no model is asked for it."""
    rewriting: Reason = ""
    """Why the question was rewritten: which pronoun or omission stood for what."""
    locale: Annotated[str, AtMost(20)] = Field(
        default="", description="BCP 47 tag of the user's language, for example en-US or zh-CN"
    )
    """Of the message; the answer's may differ (`wishes`)."""
    complexity: Literal["simple", "complex"] = "complex"
    reply: Annotated[str, AtMost(LONGEST)] = ""
    """Direct reply, clarifying question, or the note that an edge case carries."""
    answered: Literal["no", "part", "whole"] = "no"
    """How much of the question the evidence of earlier turns answers."""
    uses: Annotated[list[Id], AtMost(40)] = Field(default_factory=list)
    """Ids of the known excerpts that answer it."""
    missing: Annotated[list[Reason], AtMost(8)] = Field(default_factory=list)
    """What they leave open, as affirmative statements."""
    answer: Answer = ""
    """The answer itself, citing known excerpts, to a simple question that they answer wholly."""


def triage_schema(prompt: CoordinatorPrompt) -> type[BaseModel]:
    """Return the part of `Triage` that a prompt asks for; which model answers does not count."""
    needless = {
        "category": prompt.profile is None,
        "revises": not prompt.report,
        "locale": prompt.locale != "auto",
        "rewriting": not prompt.conversation and not prompt.asked_back,
        "answered": not prompt.known,
        "uses": not prompt.known,
        "missing": not prompt.known,
        "answer": not (prompt.known and prompt.answers),
    }
    return reduced_schema(Triage, frozenset(name for name, out in needless.items() if out))
