"""Threads of our own routes: only the caller's are found, and a turn without research keeps the last report."""

from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError

from leadline.server.access import caller_of
from leadline.server.api_client import api_of
from leadline.server.auth import may_read
from nodes.coordinator import DIRECT

MAX_TURNS = 200


async def own_thread(thread_id: str, request: Request) -> str:
    """Return a thread's id if the caller owns it; otherwise answer 404, whether or not the thread exists."""
    missing = HTTPException(404, "There is no such thread.")
    try:
        thread = await api_of(request).threads.get(thread_id)
    except APIStatusError:
        raise missing from None
    if not may_read(thread, caller_of(request.scope)):
        raise missing
    return str(thread["thread_id"])


OwnThread = Annotated[str, Depends(own_thread)]
"""The checked `thread_id` of a route's path."""


async def question_states(client: LangGraphClient, thread: str) -> list[Any]:
    """Return the state before each question of a thread, latest first."""
    return list(await client.threads.get_history(thread, limit=MAX_TURNS, metadata={"source": "input"}))


async def standing_values(client: LangGraphClient, thread: str, checkpoint: str | None = None) -> dict[str, Any]:
    """Return the values of a thread's standing state."""
    return values_of(await standing_state(client, thread, checkpoint))


async def standing_state(client: LangGraphClient, thread: str, checkpoint: str | None = None) -> Any:
    """Return a thread's state, or that of a checkpoint.

    Where the present turn was a greeting or was answered at once, it is that of the last turn that has a report.
    While a question is being researched there is none, so that the report on another question is not mistaken for its
    answer.

    Raises:
        HTTPException: 404, there is no such checkpoint.
    """
    try:
        state: Any = await client.threads.get_state(thread, checkpoint_id=checkpoint)
    except APIStatusError:
        if checkpoint is None:
            raise
        state = {}
    if checkpoint is not None and not state.get("created_at"):
        raise HTTPException(404, "This thread has no such checkpoint.")
    values = values_of(state)
    direct = (values.get("triage") or {}).get("intent") in DIRECT
    if checkpoint or values.get("report") or state.get("next") or not direct:
        return state
    earlier = await question_states(client, thread)
    return next((past for past in earlier if values_of(past).get("report")), state)


def values_of(state: Any) -> dict[str, Any]:
    """Return the values of a state; empty before the first question."""
    return state["values"] if isinstance(state["values"], dict) else {}
