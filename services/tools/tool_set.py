"""The tools of one step: by its kind, the output style and the operator's choice, and those that the plan assigned to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from schemas.context import RunContext
from schemas.planner import Step
from services.errors import SettingsError
from services.models.roles import OFFLINE, role_model
from services.runs import Run
from services.search.providers import providers_for
from services.settings import settings
from services.tools.run_python import run_python
from services.tools.web_reader import web_reader
from services.tools.web_search import search_documents, web_search
from services.tools.workspace import Workspace

GROUPS = {
    "search": ("web_search", "web_reader", "search_documents"),
    "code": ("run_python",),
}
"""Tools by the names that `LEADLINE_TOOLS` takes."""
DATA_STYLE = ("code",)
"""Groups of the data style; every other style has files and what `LEADLINE_TOOLS` says."""
OF_KIND = {
    "research": frozenset({"web_search", "web_reader", "search_documents"}),
    "processing": frozenset({"run_python", "search_documents"}),
}
"""A research step gathers, a processing step computes."""
MAKERS: dict[str, Callable[[Workspace], BaseTool]] = {
    "web_search": web_search,
    "web_reader": web_reader,
    "search_documents": search_documents,
    "run_python": run_python,
}


@dataclass(slots=True)
class ToolSet:
    """What a step works with."""

    tools: list[BaseTool] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    """What is missing and why, in the user's language."""


class _Names(BaseModel):
    names: list[str]


async def works_with_tools(run: Run, step: Step) -> bool:
    """Tell whether a step is a loop of tool calls: tools were assigned to it, or its style works on data.

    All other steps are a single model call, which costs a fraction. The offline model calls no tools.
    """
    if run.journal.replays:
        return run.journal.marked("tools")
    wanted = bool(step.tools) or (step.step_type == "processing" and run.context.output_style == "data")
    if not wanted or role_model(run.node, run.context).model == OFFLINE:
        return False
    await run.journal.mark("tools")
    return True


async def tool_set(run: Run, step: Step, workspace: Workspace) -> ToolSet:
    """Build the tools of a step.

    Raises:
        SettingsError: `LEADLINE_TOOLS` names a group that there is not.
    """

    async def work() -> _Names:
        return _Names(names=await _base_names(run.context, step))

    names = (await run.journal.once("tool", "tool set", {"step": step.id}, _Names, work)).answer.names
    return ToolSet([MAKERS[name](workspace) for name in names if name in MAKERS])


async def _base_names(context: RunContext, step: Step) -> list[str]:
    groups: Sequence[str] = DATA_STYLE if context.output_style == "data" else settings().leadline_tools
    unknown = [one for one in groups if one not in GROUPS]
    if unknown:
        raise SettingsError(
            f"LEADLINE_TOOLS names {unknown[0]!r}. There are: {', '.join(GROUPS)}. Correct it in the environment or .env."
        )
    providers = await providers_for(context)
    missing = set() if providers.web else {"web_search", "web_reader"}
    missing |= set() if providers.documents else {"search_documents"}
    names = dict.fromkeys(name for group in groups for name in GROUPS[group])
    return [name for name in names if name in OF_KIND[step.step_type] and name not in missing]
