"""The folder where runs live (`LEADLINE_HOME`): checkpoints, evidence, and a record of each run, all in SQLite."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.sqlite.aio import AsyncSqliteStore
from pydantic import BaseModel, Field

from graph import build_graph
from schemas.context import RunContext
from services.errors import BadInput, StoreError
from services.evidence.store import EvidenceStore

RunStatus = Literal["running", "waiting", "interrupted", "failed", "done"]
_RUNS = ("runs",)
_CHECKPOINTS = "checkpoints.sqlite"
_STORE = "store.sqlite"
ALLOWED_TYPES = [
    ("schemas." + module, name)
    for module, names in {
        "background_investigator": ["Background"],
        "coordinator": ["Triage"],
        "evidence": ["Artifact", "Claim", "Contradiction", "Excerpt", "Source"],
        "planner": ["Plan", "Step"],
        "reflector": ["Reflection", "StepVerdict"],
        "reporter": ["Report"],
        "results": ["StepResult"],
        "usage": ["Allowance", "CallUsage", "Usage"],
    }.items()
    for name in names
]
"""The types that a checkpoint may hold; anything else in one is refused when it is read."""


class RunRecord(BaseModel):
    """One run, as `leadline runs` lists it."""

    id: str
    question: str
    status: RunStatus = "running"
    created: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    out: str | None = None
    """Folder below which its report is written."""
    folder: str | None = None
    """Folder of its report, once that is written."""
    context: RunContext = Field(default_factory=RunContext)
    reviews: list[Any] = Field(default_factory=list)
    """Answers that were given to plan reviews, in order."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    """Open stores and the graph compiled with them."""

    graph: CompiledStateGraph[Any, RunContext, Any, Any]
    store: AsyncSqliteStore

    @property
    def evidence(self) -> EvidenceStore:
        """The texts and files of all runs."""
        return EvidenceStore(self.store)

    def graph_in_memory(self) -> CompiledStateGraph[Any, RunContext, Any, Any]:
        """Return the graph with the same store and checkpoints that nobody keeps."""
        return build_graph().compile(checkpointer=InMemorySaver(serde=_serde()), store=self.store, name="deep_research")

    async def save(self, record: RunRecord) -> None:
        """Write a run's record."""
        await self.store.aput(_RUNS, record.id, record.model_dump(mode="json"), index=False)

    async def records(self) -> list[RunRecord]:
        """Return all runs, the newest first."""
        found = await self.store.asearch(_RUNS, limit=1_000)
        return sorted((RunRecord.model_validate(item.value) for item in found), key=lambda one: one.id, reverse=True)

    async def record(self, run_id: str | None) -> RunRecord:
        """Return a run by its id, or the latest unfinished one.

        Raises:
            BadInput: there is no such run, or nothing to resume.
        """
        records = await self.records()
        if run_id is None:
            unfinished = [one for one in records if one.status != "done"]
            if not unfinished:
                raise BadInput("There is no unfinished run to resume. `leadline runs` lists all runs.")
            return unfinished[0]
        named = [one for one in records if one.id == run_id]
        if not named:
            raise BadInput(f"There is no run {run_id!r}. `leadline runs` lists all runs.")
        return named[0]


@asynccontextmanager
async def open_home(folder: Path) -> AsyncIterator[Home]:
    """Open the stores below a folder, which is made if need be.

    Raises:
        StoreError: the folder cannot be written, or a file in it is broken; the message says which and what to do.
    """
    try:
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be made ({error.strerror}). Set LEADLINE_HOME to a folder that can be written."
        ) from None
    async with AsyncExitStack() as stack:
        checkpointer = await _open(stack, AsyncSqliteSaver.from_conn_string, folder / _CHECKPOINTS)
        checkpointer.serde = _serde()
        store = await _open(stack, AsyncSqliteStore.from_conn_string, folder / _STORE)
        stack.push_async_callback(_stop_batching, store)
        try:
            yield Home(build_graph().compile(checkpointer=checkpointer, store=store, name="deep_research"), store)
        except sqlite3.DatabaseError as error:
            raise _broken(folder, error) from None


def _serde() -> JsonPlusSerializer:
    return JsonPlusSerializer(allowed_msgpack_modules=ALLOWED_TYPES)


async def _stop_batching(store: AsyncSqliteStore) -> None:
    """End the store's background task, which the store itself leaves to the garbage collector."""
    task = store._task
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _open(stack: AsyncExitStack, opener: Any, file: Path) -> Any:
    try:
        opened = await stack.enter_async_context(opener(str(file)))
        await opened.setup()
    except sqlite3.DatabaseError as error:
        raise _broken(file, error) from None
    return opened


def _broken(place: Path, error: sqlite3.DatabaseError) -> StoreError:
    return StoreError(
        f"{place} cannot be used ({error}). Move it away to start afresh (runs that are not finished are then lost), "
        "or set LEADLINE_HOME to another folder."
    )
