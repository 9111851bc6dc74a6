"""Which of our own tools a plan may give to a step."""

from pathlib import Path

from schemas.context import RunContext
from services.run.scope import Run
from services.search.providers import allow_folders
from services.tools.tool_set import BASE, own_tool_views
from tests.conftest import SetEnvironment

DOCUMENTS, WEB = ["file_reader"], ["web_reader"]


async def names(run: Run) -> list[str]:
    views = await own_tool_views(run)
    assert all(view.name in BASE and view.description for view in views)
    return [view.name for view in views]


async def test_a_plan_is_told_of_the_tools_that_have_something_to_search(
    docs: Path, environment: SetEnvironment
) -> None:
    environment(TAVILY_API_KEY="tvly-any")
    allow_folders([docs])
    assert await names(Run(RunContext(documents=[str(docs)]))) == [*WEB, *DOCUMENTS]
    assert await names(Run(RunContext(documents=[str(docs)], search="documents"))) == DOCUMENTS
    assert await names(Run(RunContext(search="tavily"))) == WEB
    assert await names(Run(RunContext(search="none"))) == []
