"""What a search provider is, and what it finds."""

from typing import Protocol

from pydantic import BaseModel, Field

from schemas.clean import CleanLine
from schemas.evidence import SourceKind


class HitPassage(BaseModel):
    """A passage that a provider points at, by offsets into the normalised text of its hit."""

    start: int
    end: int


class Hit(BaseModel):
    """One source that a provider found. Providers return their hits best first."""

    url: CleanLine
    title: CleanLine
    kind: SourceKind
    text: str
    """The whole text, normalised; a search engine's snippet where that is all there is."""
    snippet_only: bool = False
    published: CleanLine | None = None
    score: float = 0.0
    """How well its best passage matches, to be compared among folders of documents; 0 from other providers."""
    passages: list[HitPassage] = Field(default_factory=list)
    """Passages in order of rank; empty when the provider ranks whole sources only."""


class SearchProvider(Protocol):
    """Anything that can be searched."""

    name: str

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return at most `limit` hits, best first.

        Raises:
            SearchError: the provider failed; the message says what to do.
        """
