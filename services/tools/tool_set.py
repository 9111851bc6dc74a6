"""The tools of one step: by its kind, the output style and the operator's choice, and those that the plan assigned to it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from schemas.context import RunContext
from schemas.planner import Step
from schemas.state import StepTask
from services.errors import SettingsError
from services.models.roles import OFFLINE, role_model
from services.runs import Run
from services.search.providers import providers_for
from services.settings import settings
from services.tools.databases.naming import databases
from services.tools.file_reader import file_reader
from services.tools.mcp.tools import mcp_tools
from services.tools.query_database import query_database
from services.tools.report import report
from services.tools.run_python import run_python
from services.tools.web_reader import web_reader
from services.tools.web_search import search_documents, web_search
from services.tools.workspace import Workspace

QUERY = "query_database"
GROUPS = {
    "search": ("web_search", "web_reader", "search_documents"),
    "code": ("run_python",),
    "files": ("file_reader",),
    "data": (QUERY,),
    "report": ("report",),
}
"""Tools by the names that `LEADLINE_TOOLS` takes."""
DATA_STYLE = ("report", "files", "code", "data")
"""Groups of the data style; every other style has files and what `LEADLINE_TOOLS` says."""
OF_KIND = {
    "research": frozenset({"web_search", "web_reader", "search_documents", "file_reader", QUERY}),
    "processing": frozenset({"run_python", "search_documents", "file_reader", "report", QUERY}),
}
"""A research step gathers, a processing step computes."""
MAKERS: dict[str, Callable[[Run, StepTask, Workspace], BaseTool]] = {
    "web_search": lambda run, task, workspace: web_search(workspace),
    "web_reader": lambda run, task, workspace: web_reader(workspace),
    "search_documents": lambda run, task, workspace: search_documents(workspace),
    "run_python": lambda run, task, workspace: run_python(workspace),
    "file_reader": lambda run, task, workspace: file_reader(run, workspace.evidence),
    "report": lambda run, task, workspace: report(task, workspace),
    QUERY: lambda run, task, workspace: query_database(run, workspace.evidence),
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


async def tool_set(run: Run, task: StepTask, workspace: Workspace) -> ToolSet:
    """Build the tools of a step.

    Args:
        run: whose configuration counts.
        task: whose step names the servers and tools that the plan assigned to it.
        workspace: what the tools share.

    Raises:
        SettingsError: `LEADLINE_TOOLS` names a group that there is not.
    """
    step = task["step"]

    async def work() -> _Names:
        return _Names(names=await _base_names(run.context, step))

    names = (await run.journal.once("tool", "tool set", {"step": step.id}, _Names, work)).answer.names
    servers, notices = await mcp_tools(run, [one for one in step.tools if one not in MAKERS], task["locale"])
    return ToolSet([*(MAKERS[name](run, task, workspace) for name in names if name in MAKERS), *servers], notices)


async def _base_names(context: RunContext, step: Step) -> list[str]:
    groups: Sequence[str] = DATA_STYLE if context.output_style == "data" else ("files", *settings().leadline_tools)
    unknown = [one for one in groups if one not in GROUPS]
    if unknown:
        raise SettingsError(
            f"LEADLINE_TOOLS names {unknown[0]!r}. There are: {', '.join(GROUPS)}. Correct it in the environment or .env."
        )
    providers = await providers_for(context)
    missing = set() if providers.web else {"web_search", "web_reader"}
    missing |= set() if providers.documents else {"search_documents", "file_reader"}
    missing |= set() if await asyncio.to_thread(databases) else {QUERY}
    wanted = [*(name for group in groups for name in GROUPS[group]), *step.tools]
    return [name for name in dict.fromkeys(wanted) if name in OF_KIND[step.step_type] and name not in missing]
