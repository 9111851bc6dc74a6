"""The tool `web_reader`: returns the text of a page that a search, the user or the plan named, and of no other page."""

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from services.run.errors import PageRefused
from services.run.scope import current_run
from services.search.run_pages import page_once
from services.tools.output import ResponseFormat, ToolOutput, as_tool
from services.tools.workspace import Workspace


class _Parameters(BaseModel):
    url: str = Field(min_length=1, description="Address of a page that a search found or the question names.")
    response_format: ResponseFormat = Field(default="standard", description="How much of the page to show.")


def web_reader(workspace: Workspace) -> BaseTool:
    """Build the tool for a step.

    Args:
        workspace: holds the permitted addresses.
    """

    async def execute(request: _Parameters) -> ToolOutput:
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

    return as_tool("web_reader", "Read a web page.", _Parameters, execute, seconds=90)
