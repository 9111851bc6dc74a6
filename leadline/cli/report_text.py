"""Prints a report in a terminal: headings, lists, tables, and charts as tables, citations as numbers, sources at the end.

Every word goes through `clean_line` or `clean_text` here, after Markdown was parsed: an entity such as `&#27;` becomes a control
character only then.
"""

from collections.abc import Iterable, Iterator, Sequence

from rich.box import ASCII, SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.constrain import Constrain
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text as Line

from leadline.progress.run_view import MARKS_OF_REPORTS
from leadline.progress.terminal import wrapped
from schemas.clean_text import clean_line, clean_text
from schemas.document import (
    Alignment,
    Block,
    Break,
    Citation,
    Code,
    Display,
    Drawing,
    Formula,
    Heading,
    Inlines,
    Link,
    Listing,
    Mark,
    Paragraph,
    Quotation,
    Rule,
    Table,
    Text,
)
from schemas.reporter import Report
from services.reports.charts.written import chart_rows, with_unit
from services.reports.document import ParsedReport, Section
from services.reports.formulas import plain_math
from services.reports.labels import labels_for
from services.reports.parser import parse_report
from services.reports.references import Reference
from services.reports.statuses import SIGNS
from services.run.ui_text import say

WIDEST = 100
"""Maximum columns of a line of text; longer lines are hard to read."""
NARROWEST = 20
NARROW_COLUMN = 12
"""Minimum columns of the terminal per table column; narrower tables are printed row by row."""
_NO_BREAK = "\u00a0"
_STYLES = {"strong": "bold", "emphasis": "italic", "code": "cyan"}


def print_report(report: Report, console: Console) -> None:
    """Print a report on a terminal; an answer without research has no title and no counts of statements."""
    for part in _Writer(parse_report(report), console).parts(headed=not report.direct):
        console.print(part, soft_wrap=isinstance(part, Line))


class _Writer:
    """Converts the blocks of a report to lines and tables that fit a console."""

    def __init__(self, report: ParsedReport, console: Console) -> None:
        self._report, self._labels = report, labels_for(report.locale)
        self._width = max(NARROWEST, min(console.width, WIDEST))
        self._ascii = console.options.ascii_only

    def parts(self, *, headed: bool) -> Iterator[RenderableType]:
        """Yield the report from its title to its sources."""
        report = self._report
        if headed:
            yield from self._head()
        yield from self._blocks(report.opening)
        if report.summary:
            yield from self._heading(Line(self._labels.summary, style="bold"))
            yield from self._lines(self._content(report.summary))
            yield Line()
        yield from self._blocks((*report.points, *report.lead))
        for section in report.sections:
            yield from self._section(section)

    def _head(self) -> Iterator[RenderableType]:
        report, labels = self._report, self._labels
        title = self._content(report.title)
        title.stylize("bold")
        yield from self._lines(title)
        if report.subtitle:
            yield from self._lines(Line(clean_line(f"{labels.question}{labels.colon}{report.subtitle}"), style="dim"))
        if report.counts.text:
            yield from self._lines(
                Line(self._plain(report.counts.shown), style=MARKS_OF_REPORTS[report.counts.standing][1])
            )
        yield Line()

    def _section(self, section: Section) -> Iterator[RenderableType]:
        title = self._content(section.title)
        title.stylize("bold cyan" if section.level <= 2 else "bold")
        yield from self._heading(title)
        if section.role == "references":
            yield from self._references()
        else:
            yield from self._blocks(section.blocks)

    def _heading(self, title: Line) -> Iterator[RenderableType]:
        yield from self._lines(title)
        yield Line()

    def _blocks(self, blocks: Iterable[Block], indent: str = "", *, apart: bool = True) -> Iterator[RenderableType]:
        """Yield blocks after `indent`, each followed by an empty line if they are separate."""
        for block in blocks:
            yield from self._block(block, indent)
            if apart:
                yield Line()

    def _block(self, block: Block, indent: str) -> Iterator[RenderableType]:
        match block:
            case Paragraph(content=content):
                yield from self._lines(self._content(content), indent)
            case Heading(content=content):
                title = self._content(content)
                title.stylize("bold")
                yield from self._lines(title, indent)
            case Quotation(blocks=blocks):
                yield from self._blocks(blocks, f"{indent}{'|' if self._ascii else '│'} ", apart=False)
            case Listing():
                yield from self._list(block, indent)
            case Table(header=header, rows=rows, aligned=sides):
                yield from self._table(
                    [[self._content(cell) for cell in row] for row in (header, *rows)], indent, sides
                )
            case Code():
                yield from self._code(block, indent)
            case Display(latex=latex):
                yield from self._lines(Line(clean_line(plain_math(latex))), f"{indent}    ")
            case Drawing():
                yield from self._chart(block, indent)
            case Rule():
                yield Line(f"{indent}{('-' if self._ascii else '─') * 20}", style="dim")

    def _list(self, listing: Listing, indent: str) -> Iterator[RenderableType]:
        for number, item in enumerate(listing.items, listing.start):
            mark = f"{number}. " if listing.ordered else ("- " if self._ascii else "• ")
            behind = " " * len(mark)
            first, *rest = item or (Paragraph(()),)
            if isinstance(first, Paragraph):
                yield from self._lines(self._content(first.content), f"{indent}{behind}", f"{indent}{mark}")
            else:
                yield Line(f"{indent}{mark}")
                rest = [first, *rest]
            yield from self._blocks(rest, f"{indent}{behind}", apart=False)

    def _table(
        self, rows: Sequence[Sequence[Line]], indent: str, sides: Sequence[Alignment] = ()
    ) -> Iterator[RenderableType]:
        header, *body = rows
        room = self._width - len(indent)
        if len(header) * NARROW_COLUMN > room:
            yield from self._records(header, body, indent)
            return
        grid = Grid(
            safe_box=self._ascii, border_style="dim", box=ASCII if self._ascii else SIMPLE_HEAD, show_edge=False
        )
        for place, name in enumerate(header):
            side = sides[place] if place < len(sides) else ""
            grid.add_column(name, justify=side or "left", overflow="fold")
        for row in body:
            grid.add_row(*row)
        yield Padding(Constrain(grid, room), (0, 0, 0, len(indent)))

    def _records(self, header: Sequence[Line], rows: Sequence[Sequence[Line]], indent: str) -> Iterator[RenderableType]:
        """Yield a wide table row by row: each cell after the name of its column."""
        for row in rows:
            for place, (name, cell) in enumerate(zip(header, row, strict=True)):
                line = Line.assemble((name.plain, "dim"), self._labels.colon, cell)
                yield from self._lines(line, f"{indent}    ", f"{indent}{'  ' if place else '- '}")

    def _code(self, block: Code, indent: str) -> Iterator[RenderableType]:
        if block.is_diagram:
            yield Line(f"{indent}{self._labels.diagram}", style="dim")
        yield from self._lines(Line(clean_text(block.text).expandtabs(4), style="dim"), f"{indent}    ")

    def _chart(self, block: Drawing, indent: str) -> Iterator[RenderableType]:
        title = self._content(
            (Text(f"{with_unit(block.chart.title, block.chart.unit)} ", frozenset({"strong"})), *block.citations)
        )
        yield from self._lines(title, indent)
        rows = chart_rows(block.chart)
        yield from self._table([[Line(clean_line(cell)) for cell in row] for row in rows], indent)

    def _references(self) -> Iterator[RenderableType]:
        """List the cited sources, and count the others, which the report's files name."""
        for reference in self._report.cited:
            yield from self._reference(reference)
        if others := len(self._report.uncited):
            yield from self._lines(Line(say("seen_uncited", self._report.locale, count=others), style="dim"))

    def _reference(self, reference: Reference) -> Iterator[RenderableType]:
        mark = f"[{reference.number}] "
        behind = " " * len(mark)
        yield from self._lines(Line(clean_line(reference.title)), behind, Line(mark, style="cyan"))
        about = " · ".join(reference.parts)
        yield from self._lines(Line(self._plain(clean_line(about)), style="dim"), behind)

    def _content(self, content: Inlines) -> Line:
        """Return the content of a line; a citation stays with the preceding word."""
        line = Line()
        for inline in content:
            match inline:
                case Text(text=text, styles=styles):
                    line.append(self._plain(clean_line(text)), " ".join(sorted(_STYLES[style] for style in styles)))
                case Link(text=text):
                    line.append(clean_line(text))
                case Formula(latex=latex):
                    line.append(clean_line(plain_math(latex)))
                case Citation(number=number):
                    if line.plain.endswith(" "):
                        line.right_crop(1)
                        line.append(_NO_BREAK)
                    line.append(f"[{number}]", "cyan")
                case Mark(status=status):
                    line.append(self._plain(SIGNS[status]), "cyan" if status == "inferred" else "yellow")
                case Break():
                    line.append("\n")
        return line

    def _lines(self, text: Line, indent: str = "", first: str | Line | None = None) -> Iterator[Line]:
        """Yield a text as lines after `indent`, the first line after `first`."""
        for place, line in enumerate(wrapped(text, self._width - len(indent))):
            before = indent if place or first is None else first
            yield (
                Line.assemble(before, line) if line.plain else Line(before.rstrip() if isinstance(before, str) else "")
            )

    def _plain(self, text: str) -> str:
        """Return a text with characters that the terminal supports in the place of signs and dashes."""
        if not self._ascii:
            return text
        for mark, plain in (("✓", "+"), ("†", "!"), ("‡", "~"), (" · ", ", "), ("—", "-")):
            text = text.replace(mark, plain)
        return text
