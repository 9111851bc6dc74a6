"""The tools `web_search` and `search_documents`: passages found for a query, as the researcher finds them."""

from typing import Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from services.run.errors import SearchError
from services.run.scope import current_run
from services.search.journaled import Search, gather_once
from services.tools.output import ResponseFormat, ToolOutput, as_tool
from services.tools.workspace import Workspace

Where = Literal["web", "documents"]


class _Parameters(BaseModel):
    query: str = Field(min_length=1, description="An affirmative statement, phrased as a source would phrase it.")
    num_results: int = Field(default=10, ge=1, le=20, description="Passages.")
    response_format: ResponseFormat = Field(default="standard", description="How much of them to show.")


def web_search(workspace: Workspace) -> BaseTool:
    """Make the tool that searches the web for a step."""
    return _search("web_search", "Search the web; returns passages of the pages that were found.", "web", workspace)


def search_documents(workspace: Workspace) -> BaseTool:
    """Make the tool that searches the user's documents for a step."""
    description = "Search the user's own documents; returns passages of them."
    return _search("search_documents", description, "documents", workspace)


def _search(name: str, description: str, where: Where, workspace: Workspace) -> BaseTool:
    async def execute(wanted: _Parameters) -> ToolOutput:
        found = await gather_once(current_run(), [wanted.query], workspace.evidence, wanted.num_results, where=where)
        if not found.passages:
            raise SearchError("; ".join(["Nothing was found.", *found.failures]))
        return ToolOutput(
            text=listed(found),
            response_format=wanted.response_format,
            passages=found.passages,
            sources=found.sources,
        )

    return as_tool(name, description, _Parameters, execute, seconds=90)


def listed(found: Search) -> str:
    """Return passages with the titles and addresses of their sources."""
    return "\n\n".join(
        f"[{passage.title}] {found.sources[passage.content_hash].url}\n{passage.text}" for passage in found.passages
    )
