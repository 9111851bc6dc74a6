"""Which of our own tools a plan may give to a step."""

import asyncio
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.context import RunContext
from services.run.journal import Journal, Recording, replaying
from services.run.scope import Run
from services.run.settings import forget_settings
from services.search.providers import allow_folders
from services.tools.tool_set import BASE, own_tool_views

DOCUMENTS, WEB = ["file_reader"], ["web_reader"]


async def names(run: Run) -> list[str]:
    views = await own_tool_views(run)
    assert all(view.name in BASE and view.description for view in views)
    return [view.name for view in views]


async def test_a_plan_is_told_of_the_tools_that_have_something_to_search(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-any")
    forget_settings()
    allow_folders([docs])
    assert await names(Run(RunContext(documents=[str(docs)]))) == [*WEB, *DOCUMENTS]
    assert await names(Run(RunContext(documents=[str(docs)], search="documents"))) == DOCUMENTS
    assert await names(Run(RunContext(search="tavily"))) == WEB
    assert await names(Run(RunContext(search="none"))) == []


async def test_a_replay_is_told_of_the_same_tools_though_the_folder_is_gone(docs: Path) -> None:
    allow_folders([docs])
    store, context = InMemoryStore(), RunContext(documents=[str(docs)])
    first = await names(Run(context, journal=Journal(store, "key", "task", "1:planner")))
    await asyncio.to_thread(docs.rename, docs.with_name("elsewhere"))
    with replaying(await Recording.load(store, "key", "r")):
        again = await names(Run(context, journal=Journal(store, "key", "task", "1:planner")))
    assert again == first == DOCUMENTS
