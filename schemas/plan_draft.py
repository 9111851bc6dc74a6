"""A plan as a model writes it: without ids, and with nothing needed but steps. Code makes a plan of it (`services/turn/drafted_plan.py`)."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from schemas.asked import AtMost, Id, Reason, Thought, Title
from schemas.planner import PlannerPrompt, StepType

MOST_STEPS = 24
"""Some more than a run may allow a plan, so that a plan with too many is noticed."""


_PROCESSING = re.compile("process|comput|calcul|analy|处理|计算|分析", re.IGNORECASE)


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) else value


def _step_type(value: Any) -> Any:
    """Read other words for a processing step; whatever else is no step's type is left out, which makes it research."""
    return "processing" if isinstance(value, str) and _PROCESSING.match(value.strip()) else value


DraftType = Annotated[StepType, BeforeValidator(_step_type)]


class StepDraft(BaseModel):
    """One step. Its number is its place in the plan; an id that a model writes all the same is what `depends_on` may name."""

    id: SkipJsonSchema[Annotated[str, BeforeValidator(_as_text)]] = ""
    title: Title = ""
    description: Thought = ""
    step_type: DraftType = "research"
    need_web_search: SkipJsonSchema[bool] = True
    queries: Annotated[list[Reason], AtMost(5)] = Field(default_factory=list)
    depends_on: Annotated[list[Id], AtMost(MOST_STEPS)] = Field(default_factory=list)
    """Numbers of steps, of this plan or an earlier one, whose findings this step needs."""
    tools: SkipJsonSchema[list[str]] = Field(default_factory=list)


class ToolStepDraft(StepDraft):
    """One step of a plan whose steps may be given tools."""

    need_web_search: bool = True
    tools: Annotated[list[Title], AtMost(12)] = Field(default_factory=list)


class PlanDraft(BaseModel):
    """The planner's answer. `has_enough_context` is true when nothing is left to find out; then there are no steps."""

    thought: Thought = ""
    has_enough_context: bool = False
    title: Title = ""
    steps: Annotated[list[StepDraft], AtMost(MOST_STEPS)] = Field(default_factory=list)


_STEPS: Any = (Annotated[list[ToolStepDraft], AtMost(MOST_STEPS)], Field(default_factory=list))
_PLAIN = create_model("Plan", __base__=PlanDraft, __doc__=PlanDraft.__doc__)
_WITH_TOOLS = create_model("Plan", __base__=PlanDraft, __doc__=PlanDraft.__doc__, steps=_STEPS)


def plan_schema(prompt: PlannerPrompt) -> type[PlanDraft]:
    """Return what a prompt asks for: tools of steps only where there are some."""
    return _WITH_TOOLS if prompt.tools else _PLAIN
