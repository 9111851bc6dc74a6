"""A change of a finished report that a user asks for, and the version that it makes."""

from datetime import UTC, datetime

from pydantic import AliasChoices, BaseModel, Field

from schemas.clean_text import CleanText
from schemas.reporter import Report

MAX_REQUEST = 2_000
"""Characters of a request."""


class Revision(BaseModel):
    """What a finished report is to become."""

    request: CleanText = Field(min_length=1, max_length=MAX_REQUEST)
    """In words: shorter, without a section, in another language, for other readers."""
    locale: str = Field(default="", max_length=35)
    """Language that it is to have; empty where the request tells, or it stays."""
    without: str = Field(default="", max_length=500)
    """Heading of a section that it is to lose, which code does; empty for a change by the request."""
    shorten: bool = Field(default=False, validation_alias=AliasChoices("shorten", "shorter"))
    """Whether the request is to shorten it: without a model, the first statement of each section stays."""
    research: bool = True
    """Whether what it asks for and the evidence does not hold is searched for."""
    by_message: bool = False
    """Whether it came as a message in the conversation, and not as a command. Code sets it."""
    refused: str = Field(default="", max_length=10_000)
    """Why the report stays as it was, in the reader's language; empty where it was changed. Code sets it."""


class Version(BaseModel):
    """One version of a report."""

    number: int
    """1 for the report as it was written."""
    request: str = ""
    """By which it was made; empty for the first."""
    created: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    report: Report
