"""The rules of `leadline.server.auth` for Aegra, which identifies users by request headers; `deploy/aegra.json` names this file.

Without tokens the origin of a request also matters, so the access check determines the caller.
"""

from typing import Any

from langgraph_sdk import Auth

from leadline.server.access import Refused, current_caller
from leadline.server.auth import nothing_else, own_assistants, own_items, own_threads

auth = Auth()
auth.on(nothing_else)
auth.on.threads(own_threads)
auth.on.assistants(own_assistants)
auth.on.store(own_items)


@auth.authenticate
async def authenticate(headers: dict[str, Any]) -> Auth.types.MinimalUserDict:
    """Name the user behind a request."""
    try:
        name = current_caller()
    except Refused as refused:
        raise Auth.exceptions.HTTPException(refused.status, str(refused)) from None
    return {"identity": name, "display_name": name, "is_authenticated": True}
