"""What a worker does with a run that another left: it comes with the input that it began with."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from leadline.contrib.aegra.app import graph
from services.run.settings import forget_settings

QUESTION = "Why was tallow pressed into the lead, and who owned the schooner Lalla Rookh?"


async def test_the_answer_to_a_review_does_not_answer_the_next_one_when_its_run_is_taken_over(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_DOCS", str(docs))
    forget_settings()
    served = graph.copy({"checkpointer": InMemorySaver(), "store": InMemoryStore()})

    async def plan_after(given: Any, run: str) -> Any:
        config: Any = {"configurable": {"thread_id": "thread", "run_id": run}}
        async for _ in served.astream(given, config, context={"review_plan": True}, stream_mode="updates"):
            pass
        state = await served.aget_state(config)
        return state.values["feedback"], state.interrupts[0].value["plan"]

    edit: Any = Command(resume="[EDIT_PLAN] also the silver chromate tube")
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    assert (await plan_after({"question": QUESTION}, first))[0] == []
    edited = await plan_after(edit, second)
    assert len(edited[0]) == 1
    assert await plan_after(edit, second) == edited
