"""The reflection: a verdict for each step and for the question."""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model, field_validator
from pydantic.json_schema import SkipJsonSchema

from schemas.answer_schema import AtMost, Id, Reason, Thought
from schemas.clean_text import CleanLine
from schemas.evidence import Contradiction
from schemas.evidence_view import BackgroundPrompt, FindingView
from schemas.outline import NodeDraft, NodeView, ThinNode

MOST_STEPS = 40
"""Verdicts on steps; no more are asked for than there are findings."""
MOST_THIN, MOST_NEW = 12, 4
"""Thin nodes that a reflection names, and nodes that it adds."""


class ReflectorPrompt(BackgroundPrompt):
    """Variables of `prompts/reflector.md`."""

    question: str
    locale: str
    today: str
    findings: list[FindingView]
    folders: list[CleanLine] = Field(default_factory=list)
    """What the user's folders hold, a line each."""
    gaps: list[str] = Field(default_factory=list)
    """What the last reflection found missing."""
    contradictions: list[Contradiction] = Field(default_factory=list)
    """What earlier reflections called contradictory."""
    pending: list[str] = Field(default_factory=list)
    """Titles of steps of the plan that have not run yet."""
    plan_iterations: int
    max_plan_iterations: int
    max_step_attempts: int
    outline: list[NodeView] = Field(default_factory=list)
    """With what has been found for each node; empty where the run has no outline."""
    wide: bool = False
    """Whether breadth matters more than cost."""
    dated: bool = False
    """Whether the question asks about a certain time, so that evidence may be out of date."""
    idle_plans: int = 0
    """How many plans in a row, the last one included, brought nothing new."""


class StepVerdict(BaseModel):
    """What the reflector says of one step's result."""

    step_id: Id
    reason: Reason = ""
    """Why, in a few words; where the model gives none, code says why the verdict is what it is."""
    redo: bool = False
    feedback: Reason = ""
    """What to do differently; needed when `redo` is true."""
    attempt: SkipJsonSchema[int] = 0
    """The attempt that was judged, from 1. Code sets it, and no model is asked for it."""


class Reflection(BaseModel):
    """The reflector's answer: each step first, then the question as a whole."""

    steps: Annotated[list[StepVerdict], AtMost(MOST_STEPS)] = Field(default_factory=list)
    covered_aspects: Annotated[list[Reason], AtMost(12)] = Field(default_factory=list)
    missing_aspects: Annotated[list[Reason], AtMost(8)] = Field(default_factory=list)
    contradictions: Annotated[list[Contradiction], AtMost(8)] = Field(default_factory=list)
    settled: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """Topics of known contradictions that are none after all."""
    outdated: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """Ids of excerpts that are out of date for a dated question. They stay evidence."""
    thin_nodes: SkipJsonSchema[list[ThinNode]] = Field(default_factory=list)
    new_nodes: SkipJsonSchema[list[NodeDraft]] = Field(default_factory=list)
    """Topics that the outline lacks, or parts of a node that is too broad."""
    follow_up_queries: Annotated[list[Reason], AtMost(3)] = Field(default_factory=list)
    """As affirmative statements."""
    reasoning: Thought = ""
    """In one to three sentences; it stands before the decision, so that a model thinks before it decides."""
    has_enough_context: bool = False
    confidence: SkipJsonSchema[float] = Field(default=0.0, ge=0, le=1)
    """Of versions before 0.2, and of the rules. No model is asked for it, as nothing uses it."""
    plan_iteration: SkipJsonSchema[int] = 0
    """Number of the plan that had run, from 1. Code sets it, and no model is asked for it."""
    outline: SkipJsonSchema[list[NodeView]] = Field(default_factory=list)
    """The outline as it has grown, with what has been found. Code sets it, and no model is asked for it."""

    @field_validator("contradictions", mode="before")
    @classmethod
    def _only_pairs(cls, value: Any) -> Any:
        """A contradiction that names no excerpt says nothing and is left out."""
        if not isinstance(value, list):
            return value
        return [item for item in value if not (isinstance(item, dict) and not item.get("excerpt_ids"))]


def reflection_schema(prompt: ReflectorPrompt) -> type[Reflection]:
    """Return what a prompt asks for: of the outline and of known contradictions where there are any, new nodes where breadth counts, dates where the question has one."""
    steps = min(MOST_STEPS, max(1, len(prompt.findings)))
    return _schema(steps, bool(prompt.outline), prompt.wide, prompt.dated, bool(prompt.contradictions))


@lru_cache(maxsize=64)
def _schema(steps: int, outlined: bool, wide: bool, dated: bool, disputed: bool) -> type[Reflection]:
    fields: dict[str, Any] = {"steps": (Annotated[list[StepVerdict], AtMost(steps)], Field(default_factory=list))}
    if disputed:
        fields["settled"] = (Annotated[list[Reason], AtMost(8)], Field(default_factory=list))
    if dated:
        fields["outdated"] = (Annotated[list[Id], AtMost(40)], Field(default_factory=list))
    if outlined:
        fields["thin_nodes"] = (Annotated[list[ThinNode], AtMost(MOST_THIN)], Field(default_factory=list))
    if outlined and wide:
        fields["new_nodes"] = (Annotated[list[NodeDraft], AtMost(MOST_NEW)], Field(default_factory=list))
    return create_model("Reflection", __base__=Reflection, __doc__=Reflection.__doc__, **fields)
