"""What the tests of tools share: a run of their own, and a store of evidence in memory."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langgraph.store.memory import InMemoryStore

from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.tools.output import ToolOutput


@pytest.fixture
def run() -> Run:
    return Run()


@pytest.fixture
def evidence() -> EvidenceStore:
    return EvidenceStore(InMemoryStore())


async def output(tool: BaseTool, **arguments: Any) -> ToolOutput:
    """Call a tool as a model does and return its whole output."""
    message = await tool.ainvoke({"name": tool.name, "args": arguments, "id": "1", "type": "tool_call"})
    assert isinstance(message.artifact, ToolOutput)
    return message.artifact
