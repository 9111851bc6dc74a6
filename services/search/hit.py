"""The protocol of a search provider, and its hits."""

from typing import Annotated, Protocol, Self

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from schemas.card import Card
from schemas.clean_text import CleanLine
from schemas.evidence import SourceCategory, SourceKind
from schemas.publication import Publication
from services.search.source_kinds import category_of, site_of
from services.text.dates import iso_date


class HitPassage(BaseModel):
    """A passage that a provider points at, by offsets into the normalised text of its hit."""

    start: int
    end: int


class Hit(BaseModel):
    """One source that a provider found. Providers return their hits best first."""

    url: CleanLine
    title: CleanLine
    kind: SourceKind
    also_at: list[str] = Field(default_factory=list)
    """Further addresses of the same text."""
    text: str
    """The whole text, normalised; a search engine's snippet where that is all there is."""
    snippet_only: bool = False
    """Whether its page is still to be read, at `address_to_read`."""
    abstract_only: bool = False
    """Whether the text is the abstract of a publication and not what it says in full."""
    rendered: bool = False
    """Whether a browser ran the scripts of its page first."""
    published: Annotated[
        str | None, BeforeValidator(lambda value: iso_date(value) if isinstance(value, str) else value)
    ] = None
    """ISO date; what providers write in other forms becomes one, and what is no date None."""
    site: CleanLine = ""
    """Name of who publishes it; where a provider gives none, what its address tells."""
    source_kind: SourceCategory = "general"
    """Likewise."""
    found_by: str = ""
    """Which of several searches answered; empty where it was asked alone."""
    score: float = 0.0
    """How well its best passage matches, to be compared among folders of documents; 0 from other providers."""
    passages: list[HitPassage] = Field(default_factory=list)
    """Passages in order of rank; empty when the provider ranks whole sources only."""
    publication: Publication | None = None
    """What a catalogue knows of it; None from searches that know nothing of the kind."""
    card: Card = Card()
    """What it says about itself; where it was not read, what the provider says."""

    @property
    def address_to_read(self) -> str:
        """Address of its full text: the open full text of a publication, else its own address."""
        return (self.publication and self.publication.open_url) or self.url

    @model_validator(mode="after")
    def _complete(self) -> Self:
        authors = list(self.publication.authors) if self.publication else []
        self.published = self.published or self.card.published or None
        self.card = self.card.filled(Card(title=self.title, authors=authors, published=self.published or ""))
        self.title = self.card.heading
        self.site = self.site or site_of(self.url, self.kind)
        if self.kind == "web" and self.source_kind == "general":
            self.source_kind = category_of(self.url)
        return self


class SearchProvider(Protocol):
    """A searchable source of hits."""

    name: str

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return at most `limit` hits, best first.

        Raises:
            SearchError: the provider failed; the message says what to do.
        """
