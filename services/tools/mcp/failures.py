"""Reasons for leaving a server out of a run, as plain data that the journal keeps and a person can read."""

from typing import Literal

from pydantic import BaseModel

from services.run.errors import ToolError
from services.run.ui_text import say

Reason = Literal[
    "unreachable", "refused", "status", "unstartable", "ended", "silent", "garbage", "empty", "died", "unset", "cut"
]
"""Each has its message. `cut` alone does not leave the server out: it has more tools than are offered."""
MAX_DETAIL = 100


class Failure(BaseModel):
    """One server and what is wrong with it; no field holds a secret."""

    server: str
    address: str
    reason: Reason
    detail: str = ""
    """A number, the name of a variable, or the system's word for what failed."""

    def message(self, locale: str) -> str:
        """Return the message for people, in the language of the run."""
        return say(f"mcp_{self.reason}", locale, **self.model_dump(exclude={"reason"}))


class ServerFailed(ToolError):
    """A call cannot be made, or broke off, because the server is no longer used in this run."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message("en-US"))
        self.failure = failure


class Broken(Exception):
    """A connection that cannot be made or has broken; where and why is said by whoever knows the server."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason} {detail}".strip())
        self.reason = reason
        self.detail = " ".join(detail.split())[:MAX_DETAIL]
