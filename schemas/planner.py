"""The plan: research and processing steps with their queries and dependencies."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from schemas.evidence_view import EvidenceView, FindingView


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


StepType = Annotated[Literal["research", "processing"], BeforeValidator(_lower)]


class Step(BaseModel):
    """One step of a plan."""

    id: str
    """`1`, `2`, … over the whole run: a replan goes on where the last plan stopped."""
    title: str
    description: str
    step_type: StepType = "research"
    need_web_search: bool = True
    queries: list[str] = Field(default_factory=list)
    """1 to 5 affirmative statements, phrased as a source would phrase them; none for a processing step."""
    depends_on: list[str] = Field(default_factory=list)
    """Ids of steps, of this plan or an earlier one, whose findings this step needs."""
    tools: list[str] = Field(default_factory=list)


class Plan(BaseModel):
    """The planner's answer. `has_enough_context` is true when nothing is left to find out; then there are no steps."""

    locale: str = ""
    has_enough_context: bool = False
    thought: str = ""
    title: str
    steps: list[Step] = Field(default_factory=list)


class PlannerPrompt(BaseModel):
    """Variables of `prompts/planner.md`."""

    question: str
    locale: str
    today: str
    """ISO date."""
    max_step_num: int
    background: list[EvidenceView]
    """Hits in the web and in the user's documents."""
    feedback: list[str]
    """What the person said of earlier plans of this run."""
    findings: list[FindingView]
    """What finished steps found; empty for the first plan."""
    gaps: list[str]
    """Missing aspects and follow-up queries that the reflector named."""
    tables: list[str]
    """Tables among the user's documents: name, columns, rows."""
    previous_plan: str
    """Titles of the last plan's steps, a line each; empty for the first plan."""
