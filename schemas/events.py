"""Progress, as custom events: every event has a type, the node it came from and a title a person can read."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from schemas.clean_text import CleanLine

EventType = Literal[
    "notice",  # something the user should know before or during the run
    "estimate",  # before the run starts: what its depth will take, and what a limit leaves out of it (`services/run/estimate.py`)
    "triage",
    "reading",  # documents are being read, told every few seconds; `data` is a `ReadingProgress`
    "searching",  # the quick search begins; `data`: `queries`, `names`
    "background",
    "plan",
    "step_started",
    "source",
    "searched",  # a step that works with tools has searched; `data`: `step`, `queries`, `searched`
    "round",  # a round of search in a step has been judged; `data`: `step`, `round`, `passages`, `excerpts`, `sources`, `queries`, `searched`
    "step_finished",
    "reflection",
    "steering",  # a message of a person was taken at a boundary; `data` is a `Steering`
    "limit",
    "draft",  # a piece of the report as it is written; `data` is a `DraftPiece`. The server streams messages instead
    "report",
    "call_progress",  # a model call takes its time; `data` is a `CallProgress`, and the `step` that it is for
    "call",  # a model call has ended; `data` is what it used, as in `schemas/usage.py`, its `role`, and the `step`
    "review",  # `leadline … --events` waits for an answer on stdin; `data` is what is asked, with the plan
    "end",  # the last line of `leadline … --events`: the exit code, and what there is to know of the run
]


class Event(BaseModel):
    """One line of progress."""

    type: EventType
    node: str
    title: CleanLine
    """In the user's language."""
    data: dict[str, Any] = Field(default_factory=dict)


class ReadingProgress(BaseModel):
    """How far the documents of a run are read."""

    of: Literal["files", "passages"] = "files"
    """Files are converted; then passages are embedded, for the search by meaning."""
    done: int = 0
    total: int = 0
    """0 before the files are listed."""
    slow: int = 0
    """Number of files that took too long in their first attempt."""


CallState = Literal["waiting", "thinking", "writing", "running", "again"]
"""Of a model call: nothing has come yet; reasoning comes; the answer comes; the program that it wrote runs; the call is made again."""


class CallProgress(BaseModel):
    """How a model call stands that takes its time: told when its state changes, and every few seconds."""

    role: str
    state: CallState
    seconds: float
    """Since this attempt began."""
    attempt: int = 1
    reason: str = ""
    """Why it is made again: the rest of a key `again_…` of the texts for people, or `HTTP 429` and the like."""


class Searched(BaseModel):
    """What one search brought: `searched` of the events `background`, `searched` and `round` is a list of these."""

    name: CleanLine
    """As a choice names it, `documents`, that of a server of tools, or `links`: pages to which links of pages led."""
    hits: int = 0
    """Results of all queries."""
    failed: bool = False
    """Whether it answered no query."""
    reason: CleanLine = ""
    """Why it failed, where it failed for any query: the first sentence of its error."""

    def and_also(self, later: "Searched") -> "Searched":
        """Return what this search brought, and what it brought later."""
        return Searched(
            name=self.name,
            hits=self.hits + later.hits,
            failed=self.failed and later.failed,
            reason=later.reason or self.reason,
        )


class ToolSearch(BaseModel):
    """A search that a tool made, as it was told."""

    queries: list[CleanLine]
    searched: list[Searched]


class DraftPiece(BaseModel):
    """A piece of the report as it is written: plain Markdown with ids of excerpts, not checked yet."""

    text: str
    begins: bool = False
    """Whether a new text begins here; what came before counts no more."""
