"""The parsed report for all formats: built once from the finished Markdown, with the quotes behind its citations."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from schemas.deck import DeckPage
from schemas.document import (
    Alignment,
    Block,
    Break,
    Citation,
    Code,
    Drawing,
    Formula,
    Heading,
    Inline,
    Inlines,
    Link,
    Listing,
    Mark,
    Paragraph,
    Quotation,
    Role,
    Table,
    Text,
)
from schemas.evidence import Claim, Status
from services.reports.labels import Counts
from services.reports.references import Reference
from services.text.length import words_in

LONG = 1_500
"""Words from which a report is long: about four pages."""
_STRUCK = re.compile(r"~~([^~]{1,1000})~~")
_NUMBER = re.compile(r"[-+−±~≈]?\s?[$€£¥]?\d[\d,.]{0,30}\s?(?:[%‰]|[^\W\d_]{1,12})?")
"""A cell with a number and an optional unit."""
BOXES = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
"""Boxes of tasks in Markdown, and how they are shown."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn diagram."""

    svg: str
    """SVG of plain shapes and texts, sanitised for a page."""
    width: float
    """Width in CSS pixels, at which its text has the page's size."""
    height: float
    label: str
    """The words in the diagram."""
    png: bytes = b""
    """PNG at twice the size, if requested."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the content below it, up to the next heading."""

    title: Inlines
    level: int
    anchor: str
    """Anchor, unique in the report and safe in an address."""
    blocks: tuple[Block, ...]
    role: Role = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A contradiction of sources, with its sides."""

    topic: str
    sides: tuple[Inlines, ...]
    note: str = ""
    """A remark, such as that code could not confirm the contradiction."""


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number in a quoted or supported claim."""

    value: str
    """The number as written, with its unit."""
    claim: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class ParsedReport:
    """A parsed report."""

    locale: str
    question: str
    title: Inlines
    opening: tuple[Block, ...]
    """Notes at the top, such as a safety note."""
    summary: Inlines
    """The TL;DR without its label; empty if there is none."""
    lead: tuple[Block, ...]
    """Blocks before the first section, except opening, summary and its points."""
    sections: tuple[Section, ...]
    references: tuple[Reference, ...]
    figures: tuple[KeyFigure, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    """The contradictions between sources."""
    marked: tuple[Claim, ...] = ()
    """Its statements that are not proved or only inferred, in order."""
    counts: Counts = field(default_factory=Counts)
    """Whether the report answers, and how many of its statements have each status."""
    points: tuple[Block, ...] = ()
    """The list directly below the TL;DR, which belongs to it."""
    created: str = ""
    """ISO date of the newest reading of a source: the state of knowledge; empty without sources."""
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    """Drawn diagrams by their text."""
    by_rules: bool = False
    """Whether rules selected the sentences, without a model."""
    deck: tuple[DeckPage, ...] = ()
    """Pages of slides that a model wrote; empty if rules lay out the deck."""

    def picture(self, block: Code) -> Picture | None:
        """Return the picture of a block if it is a drawn diagram."""
        return self.pictures.get(block.text) if block.is_diagram else None

    @property
    def subtitle(self) -> str:
        """The question; empty if the title holds it."""
        return "" if letters(self.question).casefold() in letters(words(self.title)).casefold() else self.question

    @property
    def cited(self) -> tuple[Reference, ...]:
        """The cited sources."""
        return tuple(reference for reference in self.references if reference.cited)

    @property
    def uncited(self) -> tuple[Reference, ...]:
        """Sources that were read but are not cited."""
        return tuple(reference for reference in self.references if not reference.cited)

    @property
    def body(self) -> tuple[Section, ...]:
        """Sections of the report's own text."""
        return tuple(section for section in self.sections if not section.role)

    def section(self, role: Role) -> Section | None:
        """Return the section that the program added with a role, or None."""
        return next((section for section in self.sections if section.role == role), None)

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """All charts, in order."""
        return tuple(block for block in walk(self) if isinstance(block, Drawing))

    @property
    def is_long(self) -> bool:
        """Whether it is longer than about four pages, and has a list of its contents in print."""
        printed = [words(content) for block in walk(self) for content in contents(block)]
        printed += [block.text for block in walk(self) if isinstance(block, Code)]
        printed += [quote for reference in self.cited for quote in reference.printed_quotes]
        return words_in(" ".join(printed)) >= LONG


def walk(report: ParsedReport) -> Iterator[Block]:
    """Yield all blocks in order, including those inside lists and quotations."""
    in_sections = chain.from_iterable(section.blocks for section in report.sections)
    for block in (*report.opening, *report.points, *report.lead, *in_sections):
        yield from within(block)


def within(block: Block) -> Iterator[Block]:
    """Yield a block and the blocks inside it, in order."""
    yield block
    inner = block.blocks if isinstance(block, Quotation) else ()
    for part in chain.from_iterable(block.items) if isinstance(block, Listing) else inner:
        yield from within(part)


def contents(block: Block) -> tuple[Inlines, ...]:
    """Return the texts of a block itself: one, or the cells of a table."""
    match block:
        case Paragraph(content=content) | Heading(content=content):
            return (content,)
        case Table(header=header, rows=rows):
            return (*header, *chain.from_iterable(rows))
    return ()


def cited_in(blocks: Iterable[Block]) -> list[str]:
    """Return the ids of excerpts that blocks cite, in order."""
    parts = chain.from_iterable(map(within, blocks))
    texts = (part.citations if isinstance(part, Drawing) else chain(*contents(part)) for part in parts)
    return [key for citation in citations_in(chain.from_iterable(texts)) for key in citation.excerpts]


def changed(block: Block, change: Callable[[Inlines], Inlines]) -> Block:
    """Return a block with its texts, and those of the blocks inside it, changed by a function."""
    match block:
        case Paragraph(content=content) | Heading(content=content):
            return replace(block, content=change(content))
        case Quotation(blocks=blocks):
            return replace(block, blocks=tuple(changed(part, change) for part in blocks))
        case Listing(items=items):
            return replace(block, items=tuple(tuple(changed(part, change) for part in item) for item in items))
        case Table(header=header, rows=rows):
            changed_rows = tuple(tuple(map(change, row)) for row in rows)
            return replace(block, header=tuple(map(change, header)), rows=changed_rows)
    return block


def without_empty_sections(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Remove the headings below the title that have no content."""
    remaining: list[Block] = []
    below = 0
    """Level of the heading that comes next; 0 at the end, 9 where another block comes."""
    for block in reversed(blocks):
        level = block.level if isinstance(block, Heading) else 9
        if 1 < level < 9 and below <= level:
            continue
        remaining.append(block)
        below = level
    return tuple(remaining[::-1])


def number_sides(rows: Sequence[Sequence[str]]) -> tuple[Alignment, ...]:
    """Return the alignment of each column by its cells, which are rows of equal length without the header: numbers to the right, beside dashes, too."""
    held = ([cell.strip() for cell in column if letters(cell)] for column in zip(*rows, strict=True))
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


def struck_out(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text, each with whether it is struck out, as a source of which it is a quote shows it."""
    for place, part in enumerate(_STRUCK.split(text)):
        if part:
            yield part, place % 2 == 1


def citations_in(content: Iterable[Inline]) -> tuple[Citation, ...]:
    """Return the citations among inlines."""
    return tuple(inline for inline in content if isinstance(inline, Citation))


def statements(content: Inlines) -> Iterator[tuple[Inlines, Mark | None]]:
    """Split inlines at their marks: yield each mark with the sentence before it, and what has no mark alone."""
    before: Inlines = ()
    for inline in content:
        if isinstance(inline, Mark):
            rest, sentence = _divided(before, inline.size)
            if rest:
                yield rest, None
            yield sentence, inline
            before = ()
        else:
            before = (*before, inline)
    if before:
        yield before, None


def _divided(content: Inlines, size: int) -> tuple[Inlines, Inlines]:
    """Divide inlines before their last letters and digits, `size` of them; all are the last ones if that is 0."""
    for place in range(len(content) - 1, -1, -1) if size else ():
        inline = content[place]
        if isinstance(inline, Text):
            held = [at for at, char in enumerate(inline.text) if char.isalnum()]
            if size <= len(held):
                head, tail = inline.text[: held[-size]], inline.text[held[-size] :]
                return (*content[:place], Text(head, inline.styles)), (Text(tail, inline.styles), *content[place + 1 :])
        size = max(1, size - len(letters(words((inline,)))))
    return (), content


def unmarked(content: Inlines, *, inferred: bool = False) -> Inlines:
    """Return inlines without marks, or with those of inference alone: a title, a heading and the head of a table carry none."""
    kept: tuple[Status, ...] = ("inferred",) if inferred else ()
    return tuple(inline for inline in content if not isinstance(inline, Mark) or inline.status in kept)


def letters(text: str) -> str:
    """Return the letters and digits of a text, which all formats preserve."""
    return "".join(char for char in text if char.isalnum())


def is_label(content: Inlines) -> bool:
    """Tell whether a text is all bold, except for citations, blanks and a colon behind it: a title of the following block."""
    uncited = (inline for inline in content if not isinstance(inline, Citation))
    parts = tuple(inline for inline in uncited if not (isinstance(inline, Text) and not inline.text.strip(" :：")))
    return bool(parts) and all(isinstance(part, Text) and "strong" in part.styles for part in parts)
