"""The tools `web_search` and `search_documents`, which find passages for a query, and `web_reader`, which returns the text of a page that was named."""

from typing import Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from schemas.evidence import StepKind
from services.run.errors import PageRefused, SearchError
from services.run.scope import current_run
from services.search.journaled import gather_once
from services.search.run_pages import page_once
from services.tools.output import ResponseFormat, ToolOutput, as_tool
from services.tools.workspace import Workspace

_DESCRIPTIONS = {
    "web_search": "Search the web; returns passages of the pages that were found.",
    "search_documents": "Search the user's own documents; returns passages of them.",
}


class _Parameters(BaseModel):
    query: str = Field(min_length=1, description="An affirmative statement, phrased as a source would phrase it.")
    num_results: int = Field(default=10, ge=1, le=20, description="Passages.")
    response_format: ResponseFormat = Field(default="standard", description="How much of them to show.")


def search_tool(
    name: Literal["web_search", "search_documents"], workspace: Workspace, kind: StepKind = "general"
) -> BaseTool:
    """Build the tool that searches the web, or the user's documents, for a step that needs a kind of source."""

    async def execute(request: _Parameters) -> ToolOutput:
        run = current_run()
        search = await gather_once(
            run,
            [request.query],
            workspace.evidence,
            request.num_results,
            where="web" if name == "web_search" else "documents",
            source_kind=kind,
        )
        run.has_searched([request.query], search.searched)
        if not search.passages:
            raise SearchError("; ".join(["Nothing was found.", *search.failures]))
        found = [(passage, search.sources[passage.content_hash]) for passage in search.passages]
        return ToolOutput(
            text="\n\n".join(f"[{passage.title}] {source.url}\n{passage.text}" for passage, source in found),
            response_format=request.response_format,
            passages=search.passages,
            sources=search.sources,
        )

    return as_tool(name, _DESCRIPTIONS[name], _Parameters, execute, seconds=90)


class _PageParameters(BaseModel):
    url: str = Field(min_length=1, description="Address of a page that a search found or the question names.")
    response_format: ResponseFormat = Field(default="standard", description="How much of the page to show.")


def web_reader(workspace: Workspace) -> BaseTool:
    """Build the tool for a step, whose workspace holds the permitted addresses."""

    async def execute(request: _PageParameters) -> ToolOutput:
        if request.url not in workspace.addresses:
            raise PageRefused(
                f"{request.url} is not read: no search found it, and the question does not name it. Search first."
            )
        page = await page_once(current_run(), request.url, workspace.evidence)
        return ToolOutput(
            text=page.text,
            response_format=request.response_format,
            kind="web",
            title=page.title or page.final_url,
            url=page.final_url,
            at=page.fetched_at,
            site=page.site,
            source_kind=page.source_kind,
            published=page.published,
            card=page.card,
        )

    return as_tool("web_reader", "Read a web page.", _PageParameters, execute, seconds=90)
