"""The earlier turns of a thread, as its next turn sees them."""

from pydantic import BaseModel, Field

from schemas.evidence import Source


class Former(BaseModel):
    """The conversation so far: what was asked last, what was offered, and the sources that answers were quoted from."""

    question: str = ""
    """The last question that was researched, standing alone."""
    asked: str = ""
    """The same as it was asked."""
    sources: dict[str, Source] = Field(default_factory=dict)
    """Sources that earlier turns quoted, and copies of them, by content hash; the latest last."""
    follow_up_questions: list[str] = Field(default_factory=list)
    """Those of the last report, in the order of their numbers."""
    asked_back: str = ""
    """The unclear question that the assistant asked back about, if the last turn was one."""
