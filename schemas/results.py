"""Results of steps, keyed by step id and never by the worker that did it."""

from typing import Literal

from pydantic import BaseModel, Field

from schemas.clean_text import CleanLine, CleanText
from schemas.evidence import Artifact, Excerpt
from schemas.reflector import StepVerdict

RECALLED = "0"
"""Id of the result that holds what earlier turns of the thread found: the evidence of step zero, which no plan has."""
StepStatus = Literal["done", "failed", "skipped"]


class StepResult(BaseModel):
    """The result of one step after its latest attempt, with what earlier attempts found."""

    step_id: str
    status: StepStatus
    finding: CleanText = ""
    confidence: float = 0.0
    missing_aspects: list[CleanLine] = Field(default_factory=list)
    attempts: int = 1
    reflections: list[StepVerdict] = Field(default_factory=list)
    """Every verdict on the step, in order, each with the attempt that it judges and its reason."""
    artifacts: list[Artifact] = Field(default_factory=list)
    seconds: float = 0.0
    error: CleanText = ""
    """What happened and what to do, when `status` is not `done`; with `done`, why the latest attempt added nothing."""
    excerpts: list[Excerpt] = Field(default_factory=list)

    @property
    def unjudged(self) -> bool:
        """True while no reflection has seen the latest attempt."""
        return all(verdict.attempt < self.attempts for verdict in self.reflections) and self.attempts > 0
