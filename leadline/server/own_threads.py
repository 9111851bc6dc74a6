"""Threads as our own routes find them: those of the caller, and no others."""

from typing import Annotated

from fastapi import Depends, HTTPException, Request
from langgraph_sdk.errors import APIStatusError

from leadline.server.access import caller_of
from leadline.server.api_client import api_of
from leadline.server.auth import may_read


async def own_thread(thread_id: str, request: Request) -> str:
    """Return a thread's id, if it exists and is the caller's; otherwise answer 404, and do not say which of both it is."""
    missing = HTTPException(404, "There is no such thread.")
    try:
        thread = await api_of(request).threads.get(thread_id)
    except APIStatusError:
        raise missing from None
    if not may_read(thread, caller_of(request.scope)):
        raise missing
    return str(thread["thread_id"])


OwnThread = Annotated[str, Depends(own_thread)]
"""A route's `thread_id` in its path, checked."""
