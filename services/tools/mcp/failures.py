"""Reasons for excluding a server from a run, as plain data for the journal and for people."""

from typing import Literal

from pydantic import BaseModel

from services.run.errors import ToolError
from services.run.secrecy import without_secrets
from services.run.ui_text import say

Reason = Literal[
    "unreachable", "refused", "status", "unstartable", "ended", "silent", "garbage", "empty", "died", "unset", "cut"
]
"""Each reason has a message. Only `cut` does not exclude the server: it has more tools than are offered."""
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
    """A call failed because the server is no longer used in this run."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message("en-US"))
        self.failure = failure


class Broken(Exception):
    """A connection cannot be made or has broken; the caller, which knows the server, adds where and why."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason} {detail}".strip())
        self.reason = reason
        self.detail = without_secrets(" ".join(detail.split()))[:MAX_DETAIL]
