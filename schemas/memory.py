"""What is remembered of a user's reports: proven statements with the quotes that prove them."""

from typing import Literal

from pydantic import BaseModel, Field

from schemas.clean_text import CleanLine, CleanText
from schemas.evidence import Excerpt, Source

MAX_ENTRIES = 2_000
"""Statements that are remembered of a user; the oldest go first."""
MAX_BYTES = 8_000_000
"""Of all of them, as JSON."""
MAX_ENTRY_BYTES = 20_000
"""Of a statement with its quotes and sources; a longer one is not remembered."""


class MemoryEntry(BaseModel):
    """A statement that was quoted or supported in a report, with its proof."""

    id: str = Field(pattern=r"^[0-9a-f]{12}$")
    """Made of the statement's words, so that the same statement is remembered once."""
    claim: CleanText
    status: Literal["quoted", "supported"]
    known_from: str
    """ISO date of the day on which its sources were read; of the earliest, where they were read on several."""
    question: CleanLine
    """That the report answered."""
    run: str
    """Id of the run, or of the thread on a server."""
    excerpts: list[Excerpt]
    """Those that the statement cites, without ids."""
    sources: dict[str, Source]
    """Of the excerpts, by content hash."""
    vectors: dict[str, str] = Field(default_factory=dict)
    """The statement's vector by the name of the embedding model, packed, in base64."""

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.model_dump_json().encode())


class MemoryView(BaseModel):
    """A remembered statement as people are shown it."""

    id: str
    claim: str
    known_from: str
    question: str
    run: str
    quotes: list[str]
    sources: list[dict[str, str]]
    """Title and address of each source."""

    @classmethod
    def of(cls, entry: MemoryEntry) -> "MemoryView":
        """Show an entry without offsets, hashes and vectors."""
        return cls(
            quotes=[excerpt.quote for excerpt in entry.excerpts],
            sources=[{"title": source.title or source.url, "url": source.url} for source in entry.sources.values()],
            **entry.model_dump(include={"id", "claim", "known_from", "question", "run"}),
        )
