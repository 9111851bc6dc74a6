"""The graph for Aegra: several workers on several machines, one PostgreSQL, one Redis (docs/server.md).

Aegra hands a run whose worker died to another worker, with the input that it began with, and it lets runs of one thread
write into each other. What is here makes the first go on where it stopped, and lets the second take its turn.
"""

import copy
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from graph.builder import build_graph
from graph.machine import Machine
from leadline.contrib.aegra.turns import take_turn
from leadline.runs.persistence import serializer
from leadline.server.api_client import on_aegra

_ADDRESS = ("checkpoint_id", "checkpoint_map")


class OnAegra(Machine):
    """The compiled graph with one run per thread, each continuing from its own latest checkpoint."""

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """Copy as Aegra does for each request, with its checkpointer limited to our own types."""
        update = dict(update or {})
        saver = update.get("checkpointer")
        if isinstance(saver, BaseCheckpointSaver):
            saver = copy.copy(saver)
            saver.serde = serializer()
            update["checkpointer"] = saver
        return super().copy(update)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **choices: Any) -> AsyncIterator[Any]:  # noqa: A002 - the original's name for it
        """Run, or continue this run after its worker died.

        Raises:
            BadInput: an earlier run of this thread is active, and this one must not wait.
        """
        named = (config or {}).get("configurable", {})
        if "thread_id" in named and "run_id" in named:
            if on_aegra():
                await take_turn(named["thread_id"], named["run_id"])
            if await self._begun(named["thread_id"], named["run_id"]):
                # A review's answer must not answer the next review, nor may a fork be made twice
                input, config = None, _from_the_latest(config or {})  # noqa: A001 - as above
        stream = cast("AsyncGenerator[Any, None]", super().astream(input, config, **choices))
        async with aclosing(stream) as parts:
            async for part in parts:
                yield part

    async def _begun(self, thread_id: str, run_id: str) -> bool:
        """Tell whether the thread's latest checkpoint belongs to this run."""
        if not isinstance(self.checkpointer, BaseCheckpointSaver):
            return False
        latest = await self.checkpointer.aget_tuple({"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}})
        return latest is not None and latest.metadata.get("run_id") == run_id


def _from_the_latest(config: RunnableConfig) -> RunnableConfig:
    named = {name: value for name, value in config.get("configurable", {}).items() if name not in _ADDRESS}
    return {**config, "configurable": named}


graph = OnAegra.of(build_graph().compile(name="deep_research"))
"""The graph that `deploy/aegra.json` names."""
