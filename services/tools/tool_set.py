"""Selects the tools of a step by its kind, the output style, the operator's setting, and the plan's assignments."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from schemas.context import RunContext
from schemas.mcp import ToolView
from schemas.planner import Step
from schemas.state import StepTask
from services.run.roles import OFFLINE, role_model
from services.run.scope import Run
from services.run.settings import ToolGroup, settings
from services.search.providers import providers_for
from services.tools.builtin_tools import query_database, run_python, search_tool, web_reader
from services.tools.databases.configuration import databases
from services.tools.file_reader import file_reader
from services.tools.mcp.tools import mcp_tools
from services.tools.workspace import Workspace

QUERY = "query_database"
GROUPS: dict[ToolGroup, tuple[str, ...]] = {
    "search": ("web_search", "web_reader", "search_documents"),
    "code": ("run_python",),
    "files": ("file_reader",),
    "data": (QUERY,),
}
"""Tools by their group names in `LEADLINE_TOOLS`."""
DATA_STYLE: tuple[ToolGroup, ...] = ("files", "code", "data")
"""Groups of the data style; other styles have the group `files` and those in `LEADLINE_TOOLS`."""
OF_KIND = {
    "research": frozenset({"web_search", "web_reader", "search_documents", "file_reader", QUERY}),
    "processing": frozenset({"run_python", "search_documents", "file_reader", QUERY}),
}
"""Tools by kind of step: a research step gathers, a processing step computes."""
OWN = {
    "web_reader": "reads one whole web page that a search or the question named",
    "file_reader": "reads one whole file of the user: table, JSON, text, document",
}
"""A planner's descriptions of the built-in tools that do what rounds of search do not; databases are described by their schemas.

Searches in a loop of tools cost 60,000 tokens a step and found 180 sentences that answer it, rounds 43,000 and 330 (two deep runs; November 2026).
"""
BASE = tuple(dict.fromkeys(name for names in GROUPS.values() for name in names))
"""Names of the built-in tools."""


@dataclass(slots=True)
class ToolSet:
    """The tools of a step."""

    tools: list[BaseTool] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    """Messages about missing tools with reasons, in the user's language."""


class _Names(BaseModel):
    names: list[str]


async def works_with_tools(run: Run, step: Step) -> bool:
    """Decide whether a step runs the tool loop: it has assigned tools, or its style works on data.

    All other steps are a single model call, which costs a fraction. The offline model calls no tools.
    """
    loops = bool(step.tools) or (step.step_type == "processing" and run.context.output_style == "data")
    return await run.journal.decided("tools", lambda: loops and role_model(run.node, run.context).model != OFFLINE)


async def own_tool_views(run: Run) -> list[ToolView]:
    """Return the built-in tools that a research step of this run can get, if there is something for them to search.

    Raises:
        DocumentsError: a folder is missing, empty or forbidden.
        BadInput: a chosen provider has no key.
    """

    async def work() -> _Names:
        missing = await _without_provider(run.context)
        return _Names(names=[name for name in OWN if name not in missing])

    names = (await run.journal.once("tool", "own tools", {"own": "tools"}, _Names, work)).answer.names
    return [ToolView(name=name, description=OWN[name]) for name in names if name in OWN]


async def tool_set(run: Run, task: StepTask, workspace: Workspace) -> ToolSet:
    """Build the tools of a step; its plan assigned some, by their names or their servers."""
    step = task["step"]

    async def work() -> _Names:
        return _Names(names=await _base_names(run.context, step))

    names = (await run.journal.once("tool", "tool set", {"step": step.id}, _Names, work)).answer.names
    servers, notices = await mcp_tools(run, [tool for tool in step.tools if tool not in BASE], task["locale"])
    return ToolSet([*(_base_tool(name, run, task, workspace) for name in names if name in BASE), *servers], notices)


async def _base_names(context: RunContext, step: Step) -> list[str]:
    groups: Sequence[ToolGroup] = (
        DATA_STYLE if context.output_style == "data" else ("files", *settings().leadline_tools)
    )
    missing = await _without_provider(context)
    missing |= set() if await asyncio.to_thread(databases) else {QUERY}
    names = [*(name for group in groups for name in GROUPS[group]), *step.tools]
    return [name for name in dict.fromkeys(names) if name in OF_KIND[step.step_type] and name not in missing]


async def _without_provider(context: RunContext) -> set[str]:
    providers = await providers_for(context)
    missing = set() if providers.web else {"web_search", "web_reader"}
    return missing if providers.documents else {*missing, "search_documents", "file_reader"}


def _base_tool(name: str, run: Run, task: StepTask, workspace: Workspace) -> BaseTool:
    match name:
        case "web_search" | "search_documents":
            return search_tool(name, workspace, task["step"].source_kind)
        case "web_reader":
            return web_reader(workspace)
        case "file_reader":
            return file_reader(run, workspace.evidence)
        case "query_database":
            return query_database(run, workspace.evidence)
        case _:
            return run_python(workspace)
