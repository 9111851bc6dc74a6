"""What becomes of a tool's result: how much of it the model sees, and how the rest is read."""

import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langgraph.store.memory import InMemoryStore

from schemas.context import RunContext
from schemas.usage import Usage
from services.models.reply import ToolCall
from services.run.budget import Budget, allowance_of
from services.run.errors import LimitReached
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run, current_run
from services.tools.calls import Calls, ToolResult
from services.tools.output import SHOWN, ResponseFormat, ToolOutput, as_tool
from services.tools.workspace import Workspace
from tests.services.tools.test_numbered_results import LOG, Wanted, log


async def searching(_: Wanted) -> ToolOutput:
    current_run().count(searches=2, pages=1)
    return ToolOutput(text="found")


async def exhausted(_: Wanted) -> ToolOutput:
    raise LimitReached("search_limit", 3)


TOOLS: list[BaseTool] = [
    as_tool("log", "Return the log.", Wanted, log),
    as_tool("searching", "Search.", Wanted, searching),
    as_tool("exhausted", "Search on.", Wanted, exhausted),
]


@pytest.fixture
def calls() -> Calls:
    return Calls(TOOLS, Workspace(EvidenceStore(InMemoryStore())))


async def call(calls: Calls, name: str, **arguments: Any) -> ToolResult:
    [made] = await calls.run([ToolCall(id="1", name=name, arguments=arguments)])
    return made.result


@pytest.mark.parametrize("size", ["brief", "standard", "full"])
async def test_a_long_result_is_shown_in_part_and_says_how_to_read_the_rest(calls: Calls, size: ResponseFormat) -> None:
    result = await call(calls, "log", response_format=size)
    assert result.text.startswith(LOG[: SHOWN[size]])
    assert len(result.text) < SHOWN[size] + 120
    assert f'read_result(id="{result.id}", start={SHOWN[size]})' in result.text


async def test_the_whole_of_a_result_can_be_read_piece_by_piece(calls: Calls) -> None:
    result = await call(calls, "log", response_format="brief")
    read, start = "", 0
    while start < len(LOG):
        part = await call(calls, "read_result", id=result.id, start=start)
        read += part.text[: SHOWN["full"]] if "more characters" in part.text else part.text
        start += SHOWN["full"]
    assert read == LOG


async def test_a_result_that_there_is_not_cannot_be_read(calls: Calls) -> None:
    result = await call(calls, "read_result", id="result_log_000000")
    assert result.failed
    assert "There are: none yet" in result.text


async def test_an_unknown_response_format_goes_back_as_an_error(calls: Calls) -> None:
    result = await call(calls, "log", response_format="everything")
    assert result.failed
    assert "brief" in result.text


async def test_what_a_tool_used_is_counted_for_its_call(calls: Calls) -> None:
    result = await call(calls, "searching")
    assert (result.usage.searches, result.usage.pages) == (2, 1)


async def test_a_limit_that_a_tool_meets_is_told_to_the_model(calls: Calls) -> None:
    result = await call(calls, "exhausted")
    assert result.failed
    assert "max_search" in result.text


async def test_the_journal_keeps_a_result_without_its_text(calls: Calls) -> None:
    result = await call(calls, "log", response_format="brief")
    assert len(json.dumps(result.model_dump(mode="json"))) < 2_500


def test_what_a_known_call_used_is_taken_from_the_limits_of_a_resumed_run() -> None:
    context = RunContext(max_searches=3, max_pages=3)
    run = Run(context, budget=Budget(allowance_of(context, Usage()), context))
    run.absorb(Usage(searches=2, pages=1), fresh=False)
    assert (run.budget.take_searches(9), run.budget.take_pages(9)) == (1, 2)
    assert (run.usage.searches, run.usage.pages) == (2, 1)
