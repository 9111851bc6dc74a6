"""The report as every format sees it: parsed once from the finished Markdown, with the quotes behind its citations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from schemas.chart import Chart
from schemas.deck import DeckPage
from schemas.evidence import Standing, Status
from services.reports.reference import Reference
from services.reports.statuses import Counts

Style = Literal["strong", "emphasis", "code"]
Role = Literal["", "contradictions", "limits", "follow_up", "computations", "references"]
"""What a section that the program itself adds is; empty for those of the report's text."""
Alignment = Literal["", "left", "center", "right"]
_NUMBER = re.compile(r"[-+−±~≈]?\s?[$€£¥]?\d[\d,.]{0,30}\s?(?:[%‰]|[^\W\d_]{1,12})?")
"""A cell that holds a number, with a unit at most."""


@dataclass(frozen=True, slots=True)
class Text:
    """A run of characters in one style."""

    text: str
    styles: frozenset[Style] = frozenset()


@dataclass(frozen=True, slots=True)
class Formula:
    """LaTeX, without its delimiters."""

    latex: str
    display: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered mark; `link` is what it leads to: a web page, or a stored text beside the report."""

    number: int
    link: str
    excerpts: tuple[str, ...] = ()
    """Ids of the excerpts that prove the sentence before it."""
    status: Status = ""
    """Of that sentence."""


@dataclass(frozen=True, slots=True)
class Link:
    """Any other link of the report; it leads to one of its sources."""

    text: str
    link: str


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark behind a sentence that its citations do not support, or only by a conclusion."""

    status: Status = "unverified"
    """`inferred` or `unverified`."""
    reason: str = ""
    """Why, in the reader's language; empty where the check's record does not tell."""


@dataclass(frozen=True, slots=True)
class Break:
    """A hard line break."""


Inline = Text | Formula | Citation | Link | Mark | Break
Inlines = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences."""

    content: Inlines


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; each item is blocks."""

    items: tuple[tuple["Block", ...], ...]
    ordered: bool = False
    start: int = 1
    tight: bool = True


@dataclass(frozen=True, slots=True)
class Quotation:
    """A blockquote."""

    blocks: tuple["Block", ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has as many cells as the header."""

    header: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]
    aligned: tuple[Alignment, ...] = ()


@dataclass(frozen=True, slots=True)
class Code:
    """Program text, or a diagram's."""

    text: str
    language: str = ""

    @property
    def is_diagram(self) -> bool:
        """Tell whether it describes a picture."""
        return self.language.lower() == "mermaid"


@dataclass(frozen=True, slots=True)
class Picture:
    """A diagram, drawn."""

    svg: str
    """Of plain shapes and texts, ready to stand in a page."""
    width: float
    """In CSS pixels, at which its text has the size of the page's."""
    height: float
    label: str
    """The words in it."""
    png: bytes = b""
    """The same at twice the size, where it was asked for."""


@dataclass(frozen=True, slots=True)
class Display:
    """A formula on a line of its own."""

    latex: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart that was checked, with the numbers of the sources that it cites."""

    chart: Chart
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A line between blocks."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a list or a quotation; others begin sections."""

    level: int
    content: Inlines


Block = Paragraph | Listing | Quotation | Table | Code | Display | Drawing | Rule | Heading


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, up to the next heading."""

    title: Inlines
    level: int
    anchor: str
    """Unique in the report, safe in an address."""
    blocks: tuple[Block, ...]
    role: Role = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What sources say differently, side by side."""

    topic: str
    sides: tuple[Inlines, ...]
    note: str = ""
    """What is to be known of it, such as that code could not confirm it."""


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number that stands in a claim that is quoted or supported."""

    value: str
    """As written, with its unit."""
    claim: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class ParsedReport:
    """A report, taken apart."""

    locale: str
    question: str
    title: Inlines
    opening: tuple[Block, ...]
    """Notes that stand first, such as a safety note."""
    summary: Inlines
    """The TL;DR, without its label; empty where there is none."""
    lead: tuple[Block, ...]
    """What stands before the first section, besides opening and summary."""
    sections: tuple[Section, ...]
    references: tuple[Reference, ...]
    figures: tuple[KeyFigure, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    """The contradictions between sources."""
    counts: Counts = field(default_factory=Counts)
    """Its statements by status, and whether it answers."""
    created: str = ""
    """ISO date of the newest reading of a source: the state of knowledge; empty without sources."""
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    """Diagrams that were drawn, by their text."""
    by_rules: bool = False
    """Whether rules selected its sentences, and no model wrote it."""
    entries: Mapping[int, Inlines] = field(default_factory=dict)
    """References in the report's citation style, by their numbers; those that are missing are shown plainly."""
    deck: tuple[DeckPage, ...] = ()
    """Pages of slides that a model wrote; none where the deck is laid out by rules."""

    def picture(self, block: Code) -> Picture | None:
        """Return the picture of a block, if it is a diagram that was drawn."""
        return self.pictures.get(block.text) if block.is_diagram else None

    @property
    def subtitle(self) -> str:
        """The question; empty where the title says the same."""
        return "" if letters(self.question).casefold() == letters(words(self.title)).casefold() else self.question

    @property
    def standing(self) -> Standing:
        """Whether it answers, and how many of its statements are quoted or supported."""
        return self.counts.standing

    @property
    def cited(self) -> tuple[Reference, ...]:
        """The sources that the report cites."""
        return tuple(reference for reference in self.references if reference.cited)

    @property
    def uncited(self) -> tuple[Reference, ...]:
        """Those that were read and are not cited."""
        return tuple(reference for reference in self.references if not reference.cited)

    @property
    def body(self) -> tuple[Section, ...]:
        """The sections of the report's own text."""
        return tuple(section for section in self.sections if not section.role)

    def section(self, role: Role) -> Section | None:
        """Return the section that the program added, if it did."""
        return next((section for section in self.sections if section.role == role), None)

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """All charts, in the order of the report."""
        return tuple(block for block in walk(self) if isinstance(block, Drawing))

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks that stand in the report directly."""
        yield from (*self.opening, *self.lead)
        for section in self.sections:
            yield from section.blocks


def walk(report: ParsedReport) -> Iterator[Block]:
    """Yield all blocks, those inside lists and quotations too, in order."""
    for block in report.blocks:
        yield from _within(block)


def _within(block: Block) -> Iterator[Block]:
    yield block
    if isinstance(block, Quotation):
        for part in block.blocks:
            yield from _within(part)
    elif isinstance(block, Listing):
        for part in chain.from_iterable(block.items):
            yield from _within(part)


def number_sides(rows: Sequence[Sequence[str]]) -> tuple[Alignment, ...]:
    """Return to which side each column of a table is aligned by what it holds: numbers to the right.

    Args:
        rows: without the header, with as many cells each.
    """
    columns = zip(*rows, strict=True)
    held = [[cell.strip() for cell in column if cell.strip()] for column in columns]
    return tuple("right" if cells and all(map(_NUMBER.fullmatch, cells)) else "" for cells in held)


def words(content: Inlines) -> str:
    """Return the text of inlines without citations, marks and styles."""
    parts = []
    for inline in content:
        match inline:
            case Text(text=text) | Link(text=text) | Formula(latex=text):
                parts.append(text)
            case Break():
                parts.append(" ")
    return " ".join("".join(parts).split())


def citations_in(content: Iterable[Inline]) -> tuple[Citation, ...]:
    """Return the citations among inlines."""
    return tuple(inline for inline in content if isinstance(inline, Citation))


def letters(text: str) -> str:
    """Return what remains of a text in every format: its letters and digits."""
    return "".join(char for char in text if char.isalnum())


def is_label(content: Inlines) -> bool:
    """Tell whether a text is all in bold, but for its citations and the blanks between them: a title of what follows."""
    told = tuple(
        inline
        for inline in content
        if not isinstance(inline, Citation) and not (isinstance(inline, Text) and inline.text.isspace())
    )
    return bool(told) and is_bold(told)


def is_bold(content: Inlines) -> bool:
    """Tell whether a text is all in bold, as titles of what follows are."""
    return all(isinstance(inline, Text) and "strong" in inline.styles for inline in content)
