"""The verifier's call: sentences of a report with the passages that they cite, and a verdict on each."""

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, Field, create_model

from schemas.answer_schema import AtMost, Reason
from schemas.evidence import Judged
from schemas.evidence_view import SurroundedView

MAX_STATEMENTS = 40
"""Of one call."""


class StatementView(BaseModel):
    """A sentence to judge."""

    number: int
    """1, 2, … within the call."""
    text: str
    cites: list[str]
    """Ids of passages."""
    suspicion: str = ""
    """What makes a program suspect it, in words."""
    paragraph: str = ""
    """The paragraph in which it stands, in words; empty where it stands alone."""
    uncited: bool = False
    """Whether it has no citation of its own, and `cites` are those of its paragraph."""
    inferred: bool = False
    """Whether it is a conclusion from them, rather than what they say."""


class VerifierPrompt(BaseModel):
    """Variables of `prompts/verifier.md`."""

    locale: str
    passages: list[SurroundedView]
    statements: list[StatementView]
    inferences: bool = False
    """Whether any of them is a conclusion."""


class StatementVerdict(BaseModel):
    """The verdict on one sentence; what it leaves out and the reason come first, so that a model thinks before it decides."""

    number: int
    omitted: Reason = ""
    """Words of its passages that narrow it or speak against it, and that it does not have; empty if there are none."""
    reason: Reason = ""
    verdict: Literal[Judged, "open"]
    """`open` is `supported` of what says that something is not settled yet, which other sources may have settled."""
    words: Reason = ""
    """The decisive words, copied from a cited passage; empty where the passages do not tell, of `absent` what a source would say that does."""


class Verification(BaseModel):
    """The verifier's answer."""

    verdicts: list[StatementVerdict] = Field(default_factory=list)


@lru_cache(maxsize=MAX_STATEMENTS)
def verification_schema(statements: int) -> type[Verification]:
    """Return what a call with so many statements asks for: a verdict for each and no more, as small models come to no end."""
    bounded = Annotated[list[StatementVerdict], AtMost(statements)]
    return create_model(
        "Verification",
        __base__=Verification,
        __doc__=Verification.__doc__,
        verdicts=(bounded, Field(default_factory=list)),
    )
