"""The text of a report as a tree: blocks, and in them styled text, citations, formulas and the marks of statements."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import PlainSerializer

from schemas.chart import Chart
from schemas.evidence import Status

Style = Literal["strong", "emphasis", "code"]
Alignment = Literal["", "left", "center", "right"]
Role = Literal["", "contradictions", "limits", "follow_up", "computations", "files", "references"]
"""Kind of a section that the program adds; empty for sections of the report's text."""


@dataclass(frozen=True, slots=True)
class Text:
    """A run of characters in one style."""

    text: str
    styles: Annotated[frozenset[Style], PlainSerializer(sorted)] = frozenset()


@dataclass(frozen=True, slots=True)
class Formula:
    """A LaTeX formula without delimiters."""

    latex: str
    display: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered citation with its link to a web page, or to a stored text beside the report; in a draft an excerpt's id."""

    number: int
    """0 in a draft."""
    link: str
    excerpts: tuple[str, ...] = ()
    """Ids of the excerpts that prove the preceding sentence."""
    status: Status = ""
    """Status of that sentence."""


@dataclass(frozen=True, slots=True)
class Link:
    """Any other link, which leads to a source of the report."""

    text: str
    link: str


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark after a sentence that is unsupported or only inferred."""

    status: Status = "unverified"
    """`inferred` or `unverified`."""
    reason: str = ""
    """Reason in the reader's language; empty if the check recorded none."""
    size: int = 0
    """Letters and digits of the sentence; 0 if they are unknown."""

    def __post_init__(self) -> None:
        """Check the status: a tree may come with a folder that somebody sent."""
        if self.status not in {"inferred", "unverified"}:
            raise ValueError(f"a mark is inferred or unverified, not {self.status!r}")


@dataclass(frozen=True, slots=True)
class Break:
    """A hard line break."""


Inline = Text | Formula | Citation | Link | Break | Mark
"""In this order: of kinds that fit stored fields alike the first is read, and a break has no fields, a mark a default for each."""
Inlines = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of text."""

    content: Inlines


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, with blocks in each item."""

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
    """A table; every row has as many cells as the header, and each column a side."""

    header: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]
    aligned: tuple[Alignment, ...] = ()


@dataclass(frozen=True, slots=True)
class Code:
    """Program text, or the text of a diagram."""

    text: str
    language: str = ""

    @property
    def is_diagram(self) -> bool:
        """Tell whether the code is a diagram."""
        return self.language.lower() == "mermaid"


@dataclass(frozen=True, slots=True)
class Display:
    """A displayed formula."""

    latex: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A checked chart, with the numbers of its cited sources."""

    chart: Chart
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A horizontal rule."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: it starts a section, unless it stands inside a list or a quotation."""

    level: int
    content: Inlines
    role: Role = ""


Block = Paragraph | Listing | Quotation | Table | Code | Display | Drawing | Rule | Heading


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a report."""

    body: tuple[Block, ...]
    """Its own text, the title first: citations are ids of excerpts, and marks and citations have the statuses of their statements."""
    notes: tuple[Block, ...] = ()
    """Notes below the title, such as a safety note."""
    added: tuple[Block, ...] = ()
    """Sections that the program adds, without the references."""
