"""A plan as a model writes it: without ids, and with nothing needed but steps. Code makes a plan of it (`services/turn/drafted_plan.py`)."""

import re
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from schemas.answer_schema import AtMost, Id, Reason, Thought, Title
from schemas.evidence import StepKind
from schemas.outline import MOST_NODES, NodeDraft, as_text
from schemas.planner import PlannerPrompt, StepType

MOST_STEPS = 24
"""Some more than a run may allow a plan, so that a plan with too many is noticed."""
MOST_VIEWPOINTS = 6

_PROCESSING = re.compile("process|comput|calcul|analy|处理|计算|分析", re.IGNORECASE)


def _step_type(value: Any) -> Any:
    """Read other words for a processing step; whatever else is no step's type is left out, which makes it research."""
    return "processing" if isinstance(value, str) and _PROCESSING.match(value.strip()) else value


DraftType = Annotated[StepType, BeforeValidator(_step_type)]


class StepDraft(BaseModel):
    """One step. Its number is its place in the plan; an id that a model writes all the same is what `depends_on` may name."""

    id: SkipJsonSchema[Annotated[str, BeforeValidator(as_text)]] = ""
    title: Title = ""
    description: Thought = ""
    step_type: DraftType = "research"
    source_kind: StepKind = "general"
    need_web_search: SkipJsonSchema[bool] = True
    nodes: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """Numbers or ids of the nodes of the outline that it serves."""
    queries: Annotated[list[Reason], AtMost(5)] = Field(default_factory=list)
    depends_on: Annotated[list[Id], AtMost(MOST_STEPS)] = Field(default_factory=list)
    """Numbers of steps, of this plan or an earlier one, whose findings this step needs."""
    tools: SkipJsonSchema[list[str]] = Field(default_factory=list)


class PlanDraft(BaseModel):
    """The planner's answer. `has_enough_context` is true when nothing is left to find out; then there are no steps."""

    thought: Thought = ""
    has_enough_context: bool = False
    title: Title = ""
    viewpoints: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """Who is affected or would disagree, which discipline, and what each would ask. A model that writes them plans for them."""
    outline: SkipJsonSchema[list[NodeDraft]] = Field(default_factory=list)
    """Of the report, a flat list; a node's number is its place."""
    steps: Annotated[list[StepDraft], AtMost(MOST_STEPS)] = Field(default_factory=list)


def plan_schema(prompt: PlannerPrompt) -> type[PlanDraft]:
    """Return what a prompt asks for: an outline of the first plan, its nodes where there is one, tools where there are some."""
    return _schema(bool(prompt.tools), prompt.max_nodes, bool(prompt.outline), prompt.wide)


@lru_cache(maxsize=64)
def _schema(tools: bool, max_nodes: int, outlined: bool, wide: bool) -> type[PlanDraft]:
    of_step: dict[str, Any] = {}
    of_plan: dict[str, Any] = {}
    if tools:
        of_step["need_web_search"] = (bool, True)
        of_step["tools"] = _listed(Title, 12)
    if max_nodes or outlined:
        of_step["nodes"] = _listed(Id, MOST_NODES)
    if max_nodes:
        of_plan["outline"] = _listed(NodeDraft, min(max_nodes, MOST_NODES))
        if wide:
            of_plan["viewpoints"] = _listed(Reason, MOST_VIEWPOINTS)
    step = create_model("StepDraft", __base__=StepDraft, __doc__=StepDraft.__doc__, **of_step)
    of_plan["steps"] = _listed(step, MOST_STEPS)
    return create_model("Plan", __base__=PlanDraft, __doc__=PlanDraft.__doc__, **of_plan)


def _listed(item: Any, max_items: int) -> Any:
    return Annotated[list[item], AtMost(max_items)], Field(default_factory=list)
