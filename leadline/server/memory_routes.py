"""Routes to the remembered statements of the caller's own reports.

GET    /memory          the statements, the newest first; `?words=` those that hold any of these words, the best first
DELETE /memory/<id>     forget a statement; one that there is not is as good as forgotten
DELETE /memory          forget all of them
"""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from langgraph.store.base import BaseStore
from pydantic import BaseModel

from leadline.runs.own_memory import matching
from leadline.server.access import caller_of
from leadline.server.api_client import api_of, store_of
from schemas.memory import MemoryView
from services.run.memory_store import forget, forget_all, memory_of

SHOWN = 200
"""Maximum statements in one answer."""
MAX_WORDS = 500

memory = APIRouter()


class Remembered(BaseModel):
    """What is remembered."""

    statements: list[MemoryView]
    count: int
    """Of all that match."""


@memory.get("/memory")
async def listed(request: Request, words: Annotated[str, Query(max_length=MAX_WORDS)] = "") -> Remembered:
    """List what is remembered of the caller's reports."""
    entries = matching(await memory_of(_store(request), caller_of(request.scope)), words)
    return Remembered(statements=[MemoryView.of(entry) for entry in entries[:SHOWN]], count=len(entries))


@memory.delete("/memory/{entry_id}", status_code=204)
async def forget_statement(request: Request, entry_id: Annotated[str, Path(pattern="^[0-9a-f]{12}$")]) -> None:
    """Forget a statement of the caller's."""
    await forget(_store(request), caller_of(request.scope), [entry_id])


@memory.delete("/memory", status_code=204)
async def forget_everything(request: Request) -> None:
    """Forget everything of the caller's."""
    await forget_all(_store(request), caller_of(request.scope))


def _store(request: Request) -> BaseStore:
    return store_of(api_of(request))
