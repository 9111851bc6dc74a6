"""What a step came to, keyed by its id and never by the worker that did it."""

from typing import Literal

from pydantic import BaseModel, Field

from schemas.clean import CleanLine, CleanText
from schemas.evidence import Artifact, Excerpt
from schemas.reflector import StepVerdict

RECALLED = "0"
"""Id of the result that holds what earlier turns of the thread found: the evidence of step zero, which no plan has."""
StepStatus = Literal["done", "failed", "skipped"]


class StepResult(BaseModel):
    """The result of one step, after its latest attempt."""

    step_id: str
    status: StepStatus
    finding: CleanText = ""
    excerpts: list[Excerpt] = Field(default_factory=list)
    confidence: float = 0.0
    missing_aspects: list[CleanLine] = Field(default_factory=list)
    attempts: int = 1
    reflections: list[StepVerdict] = Field(default_factory=list)
    artifacts: list[Artifact] = Field(default_factory=list)
    seconds: float = 0.0
    error: CleanText = ""
    """What happened and what to do, when `status` is not `done`."""
