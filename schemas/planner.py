"""The plan: research and processing steps with their queries and dependencies."""

from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from schemas.clean_text import CleanLine
from schemas.evidence import StepKind
from schemas.evidence_view import BackgroundPrompt, FindingView
from schemas.mcp import ToolView
from schemas.outline import NodeView, OutlineNode
from schemas.wishes import Form

StepType = Annotated[
    Literal["research", "processing"], BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)
]


class Step(BaseModel):
    """One step of a plan."""

    id: str
    """`1`, `2`, … over the whole run: a replan goes on where the last plan stopped."""
    title: str
    description: str
    step_type: StepType = "research"
    need_web_search: bool = True
    source_kind: StepKind = "general"
    """Kind of source that it looks for."""
    nodes: list[str] = Field(default_factory=list)
    """Ids of the nodes of the outline that it finds evidence for; empty where its evidence may belong to any."""
    queries: list[str] = Field(default_factory=list)
    """1 to 5 affirmative statements, phrased as a source would phrase them; none for a processing step."""
    depends_on: list[str] = Field(default_factory=list)
    """Ids of steps, of this plan or an earlier one, whose findings this step needs."""
    tools: list[str] = Field(default_factory=list)
    """Names of the servers whose tools it needs; their functions, and no others, go into its prompt."""


class Plan(BaseModel):
    """A plan that can be carried out. `has_enough_context` is true when nothing is left to find out; then there are no steps."""

    locale: str = ""
    has_enough_context: bool = False
    thought: str = ""
    title: str
    outline: list[OutlineNode] = Field(default_factory=list)
    """Of the report, as it is when the plan is made."""
    steps: list[Step] = Field(default_factory=list)
    notes: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """What code left out of what the model wrote, such as a dependency on a step that there is not."""

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"  {step.id}. {_facts(step)} {step.title}" for step in self.steps)])

    def __repr__(self) -> str:
        return f"Plan({self.title!r}, steps={len(self.steps)})"

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(str(self))

    def _repr_markdown_(self) -> str:
        lines = [f"**{self.title}**", ""]
        for step in self.steps:
            lines += [f"{step.id}. {step.title} *{_facts(step)}*", *(f"    - {query}" for query in step.queries)]
        return "\n".join(lines)


def _facts(step: Step) -> str:
    """Say in brackets what kind a step is, and what it needs."""
    needs = f", after {', '.join(step.depends_on)}" if step.depends_on else ""
    tools = f", with {', '.join(step.tools)}" if step.tools else ""
    return f"[{step.step_type}{needs}{tools}]"


class PlannerPrompt(BackgroundPrompt):
    """Variables of `prompts/planner.md`."""

    question: str
    locale: str
    today: str
    """ISO date."""
    max_step_num: int
    first_id: int = 1
    """Number of the plan's first step; steps are numbered over the whole run."""
    folders: list[CleanLine] = Field(default_factory=list)
    """What the user's folders hold, a line each."""
    only_folders: bool = False
    """Whether nothing else can be searched, nor asked by a tool."""
    nearby: list[CleanLine] = Field(default_factory=list)
    """Titles of further texts that the background search brought, nearest first."""
    feedback: list[str]
    """What the person said of earlier plans of this run."""
    findings: list[FindingView]
    """What finished steps found; empty for the first plan."""
    gaps: list[str]
    """Missing aspects that the reflector named."""
    queries: list[str] = Field(default_factory=list)
    """Its follow-up queries."""
    tables: list[str]
    """Tables among the user's documents: name, columns, rows."""
    tools: list[ToolView]
    """Servers of tools that steps may be given; usually none."""
    previous_plan: str
    """Titles of the last plan's steps, a line each; empty for the first plan."""
    steering: list[str] = Field(default_factory=list)
    """Messages of the user since the last plan, while the run went on; usually empty."""
    wishes: Form = Form()
    """Form, readers and dates of sources that are asked for."""
    undone: list[str] = Field(default_factory=list)
    """Titles of the last plan's steps that were not done, where something was said."""
    max_nodes: int = 0
    """Nodes that the outline may have; 0 where none is asked for, as there is one already or the depth wants none."""
    outline: list[NodeView] = Field(default_factory=list)
    """The outline as it has grown, with what has been found; empty for the first plan."""
    wide: bool = False
    """Whether breadth matters more than cost."""
    style: str = "report"
    """`data` where findings are to be computed from the user's tables."""


class PlanError(ValueError):
    """A plan that cannot be carried out, or an answer to its review: `key` names the message, which takes `values` (`services/run/ui_text.toml`)."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key, values)
        self.key, self.values = key, values


def settle_plan(plan: Plan, *, first_id: int, finished: Collection[str], max_steps: int | None) -> Plan:
    """Check a person's plan and number its steps on from `first_id`.

    Args:
        plan: as a person gave it; a model's is settled by `services/turn/drafted_plan.py`.
        first_id: number of its first step; steps are numbered over the whole run.
        finished: ids of steps of earlier plans, which its steps may depend on.
        max_steps: refuse more steps than this; None lets any number pass.

    Returns:
        The plan with ids renumbered, queries trimmed to five, and a research step's title standing in for missing queries.

    Raises:
        PlanError: no steps although something is missing, too many steps, ids that are not unique, or dependencies
            that are unknown or run in a circle.
    """
    if plan.has_enough_context and not plan.steps:
        return plan
    if not plan.steps:
        raise PlanError("review_no_steps")
    if max_steps is not None and len(plan.steps) > max_steps:
        raise PlanError("review_too_many", steps=len(plan.steps), most=max_steps)
    ids = [step.id for step in plan.steps]
    doubled = sorted({identifier for identifier in ids if ids.count(identifier) > 1})
    if doubled:
        raise PlanError("review_ids_twice", ids=", ".join(doubled))
    for step in plan.steps:
        unknown = [needed for needed in step.depends_on if needed not in ids and needed not in finished]
        if unknown:
            raise PlanError("review_unknown", step=step.id, needed=", ".join(unknown))
    _refuse_circles(plan.steps)
    numbers = {step_id: str(first_id + place) for place, step_id in enumerate(ids)}
    steps = [
        step.model_copy(
            update={
                "id": numbers[step.id],
                "depends_on": [numbers.get(step_id, step_id) for step_id in dict.fromkeys(step.depends_on)],
                "queries": queries_of(step),
            }
        )
        for step in plan.steps
    ]
    return plan.model_copy(update={"steps": steps, "has_enough_context": False})


def first_steps(plan: Plan, count: int) -> Plan:
    """Keep the first `count` steps, without dependencies on what is cut off."""
    remaining = plan.steps[:count]
    cut = {step.id for step in plan.steps[count:]}
    steps = [
        step.model_copy(update={"depends_on": [step_id for step_id in step.depends_on if step_id not in cut]})
        for step in remaining
    ]
    return plan.model_copy(update={"steps": steps})


def queries_of(step: Step) -> list[str]:
    """Return a step's queries, at most five; its title where a research step has none, nothing for a processing step."""
    if step.step_type == "processing":
        return []
    queries = [query.strip() for query in step.queries if query.strip()]
    return list(dict.fromkeys(queries))[:5] or [step.title.strip() or step.title]


def _refuse_circles(steps: list[Step]) -> None:
    try:
        TopologicalSorter({step.id: step.depends_on for step in steps}).prepare()
    except CycleError as error:
        raise PlanError("review_circle", steps=", ".join(sorted(set(error.args[1])))) from None


def known_tools(plan: Plan, names: Collection[str]) -> Plan:
    """Keep of the tools that steps name those that there are, spelled as they are called."""
    spelled = {name.casefold(): name for name in names}
    steps = [
        step.model_copy(
            update={
                "tools": list(
                    dict.fromkeys(spelled[tool.casefold()] for tool in step.tools if tool.casefold() in spelled)
                )
            }
        )
        for step in plan.steps
    ]
    return plan.model_copy(update={"steps": steps})
