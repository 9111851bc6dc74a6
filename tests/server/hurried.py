"""Our app as it is for a thread that is deleted right after the check that it is there, and with little patience for bodies."""

from typing import cast

from leadline.server.app import app
from leadline.server.server_guards import BodyDeadline
from leadline.server.threads import own_thread

BETWEEN = 3.0
"""Seconds that it waits for the next piece of a body."""


def unchecked(thread_id: str) -> str:
    """Return the id of a thread as it came."""
    return thread_id


app.dependency_overrides[own_thread] = unchecked
[deadline] = [added for added in app.user_middleware if cast("object", added.cls) is BodyDeadline]
deadline.kwargs["between"] = BETWEEN
