"""The slides of a finished report: its statements by number, and the pages that are made of them."""

from typing import Annotated

from pydantic import BaseModel, Field

from schemas.answer_schema import AtMost, Title

MAX_PAGES = 24
"""Pages of cards that a deck has."""
MAX_CARDS = 4
"""Cards of one page."""
CardText = Annotated[str, AtMost(160)]


class SlideStatement(BaseModel):
    """A sentence of the report, or a row of a table, that was proved."""

    number: int
    text: str
    inferred: bool = False
    """Whether it is a conclusion from its sources."""


class SlideFigure(BaseModel):
    """A chart, a table or code of the report."""

    number: int
    kind: str
    """`chart`, `table` or `code`."""
    shows: str
    """The title and the numbers of a chart, the header of a table, whose rows are statements, or code."""


class SlideSection(BaseModel):
    """A section of the report."""

    number: int
    title: str
    statements: list[SlideStatement]
    figures: list[SlideFigure]


class ReporterSlidesPrompt(BaseModel):
    """Variables of `prompts/reporter_slides.md`."""

    question: str
    locale: str
    tone: str
    title: str
    """Of the report."""
    pages: int
    """That the deck has at most."""
    sections: list[SlideSection]


class SlideCard(BaseModel):
    """A card: a thought in few words."""

    text: CardText
    statements: Annotated[list[int], AtMost(6)] = Field(description="numbers of the statements that it says")
    value: Annotated[str, AtMost(30)] = Field(
        default="", description="the number with its unit in `text` that is the card's point; empty if none is"
    )


class SlidePage(BaseModel):
    """A page of the deck."""

    section: int = Field(description="number of the section that it belongs to")
    title: Title = Field(description="the point of the page, as a statement")
    cards: Annotated[list[SlideCard], AtMost(MAX_CARDS)] = Field(default_factory=list)
    figure: int = Field(default=0, description="number of the figure that it shows; 0: none")


class Slides(BaseModel):
    """The reporter's answer."""

    pages: Annotated[list[SlidePage], AtMost(MAX_PAGES)] = Field(default_factory=list)
