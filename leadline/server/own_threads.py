"""Access to threads for our own routes: only the caller's threads are found."""

from typing import Annotated

from fastapi import Depends, HTTPException, Request
from langgraph_sdk.errors import APIStatusError

from leadline.server.access import caller_of
from leadline.server.api_client import api_of
from leadline.server.auth import may_read


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
