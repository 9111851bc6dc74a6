"""The deck of a report: pages that a model wrote from its statements, as far as code could prove them."""

from pydantic import BaseModel, Field

from schemas.clean_text import CleanLine


class DeckCard(BaseModel):
    """A thought on a page."""

    text: CleanLine
    citations: list[str]
    """Ids of the excerpts that prove it."""
    inferred: bool = False
    """Whether it says what the report marks as an inference."""
    value: CleanLine = ""
    """The number with its unit in the text that is the card's point; empty if none is."""


class DeckPage(BaseModel):
    """A page: one point, and what it rests on."""

    section: int
    """Section of the report's own text that it belongs to, from 1."""
    title: CleanLine
    cards: list[DeckCard] = Field(default_factory=list)
    figure: int = 0
    """What it shows, from 1: the report's charts and tables in their order, and then its code; 0 for none."""
