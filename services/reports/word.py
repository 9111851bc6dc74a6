"""The report as a Word document: Pandoc makes it from a tree, in which nothing of its texts can be read as markup."""

import io
import json
import re
import subprocess
import zipfile
from collections.abc import Iterable, Sequence
from datetime import date
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from schemas.clean_text import clean_text
from schemas.document import (
    Alignment,
    Block,
    Citation,
    Code,
    Display,
    Drawing,
    Formula,
    Heading,
    Inline,
    Inlines,
    Link,
    Listing,
    Paragraph,
    Quotation,
    Rule,
    Table,
    Text,
)
from services.reports.charts.svg import chart_png
from services.reports.charts.written import chart_rows, with_unit
from services.reports.columns import column_widths, largest_size
from services.reports.document import ParsedReport, is_label, number_sides, statements, struck_out, words
from services.reports.labels import labels_for, language_of
from services.reports.pandoc import Node, attributed, broken, element, image, linked, paragraph, plain, styled
from services.reports.references import Reference
from services.reports.slides.slide import shortened
from services.reports.statuses import SIGNS
from services.run.errors import NotInstalled, SettingsError
from services.run.installation import install_command
from services.run.ui_text import say, told
from services.text.languages import direction

PROGRAMS = ("pandoc", "pandoc.exe")
"""Names of the program in its package."""
SECONDS = 60
"""Maximum time."""
MEMORY = "1g"
"""Maximum memory."""
REFERENCE = Path(__file__).with_name("reference.docx")
"""Document with the styles, the header with the title, and the footer with page numbers."""
ROOM, CELL = 6.4, 0.15
"""Width of a table, and the blank beside the text of a cell on both sides together, in inches."""
CELL_SIZES = (10, 9, 8, 7, 6)
"""Font sizes of cells in points, each with styles of its own in `reference.docx`."""
MAX_CHARTS = 24
"""Maximum charts that are drawn; of further ones only the numbers are shown."""
MAX_UNBROKEN = 600
"""Maximum characters of a table that is kept on one page."""
QUOTE = 200
"""Maximum width of a quote in the references, about two lines; the page and `evidence.json` have all of it."""
CONTENTS_BEGIN = (
    '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>'
    '<w:p><w:pPr><w:pStyle w:val="TOCField"/></w:pPr><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>'
    r'TOC \o "1-2" \h \z \u</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r></w:p>'
)
CONTENTS_END = (
    '<w:p><w:pPr><w:pStyle w:val="TOCField"/></w:pPr><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    "</w:sdtContent></w:sdt>"
)
"""The only raw nodes: Word's frame around a list of contents, to which it adds page numbers when a reader updates it."""


def render_docx(report: ParsedReport) -> bytes:
    """Render a report as a Word document. Blocking.

    Raises:
        NotInstalled: the package `pypandoc-binary` is missing.
        SettingsError: Pandoc failed.
    """
    tree = json.dumps(Tree(report).document()).encode()
    options = ["--sandbox", "--from=json", "--to=docx", "--output=-", f"--reference-doc={REFERENCE}"]
    command = [str(_program()), *options, "+RTS", f"-M{MEMORY}", "-RTS"]
    try:
        made = subprocess.run(command, input=tree, capture_output=True, timeout=SECONDS, env={}, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        reason = error.stderr.decode("utf-8", "replace") if isinstance(error, subprocess.CalledProcessError) else error
        raise SettingsError(**told("format_pandoc", reason=reason)) from error
    return _finished(made, report.created or date.today().isoformat(), direction(words(report.title)))


_FROM_THE_RIGHT = (
    (b'<w:pStyle w:val="Title" />', b"<w:bidi />"),
    (b'<w:tblStyle w:val="Table" />', b"<w:bidiVisual />"),
)
"""Styles whose parts Pandoc leaves as they are, and what sets those from the right."""

_UNREAD_SIGN = re.compile(
    rb"(?P<start><m:(?:oMath|e|sup|sub|num|den)>)?<m:r><m:rPr>(?P<style>(?:(?!</m:rPr>).){0,200})</m:rPr>"
    rb"<m:t>(?P<sign>(?(start)[^<>\w\s{}]|[()\[\]|]))</m:t>",
)
"""A sign of a formula that LibreOffice would read as syntax of its own: a bracket, of which it must find the other one in the same part, or
an operator without anything before it."""


def _finished(document: bytes, created: str, side: str) -> bytes:
    """Set author and date, which Pandoc would print below the title, keep rows of tables on one page, and set title and tables from the right."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as made, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as parts:
        for part in made.infolist():
            data = made.read(part)
            if part.filename == "docProps/core.xml":
                data = data.replace(b"1970-01-01T", f"{created}T".encode())
                data = data.replace(b"<dc:creator></dc:creator>", b"<dc:creator>Leadline</dc:creator>")
            if part.filename == "word/document.xml":
                data = data.replace(b"<w:tr><w:tc>", b"<w:tr><w:trPr></w:trPr><w:tc>")
                data = data.replace(b"<w:tr><w:trPr>", b"<w:tr><w:trPr><w:cantSplit />")
                data = _UNREAD_SIGN.sub(rb"\g<start><m:r><m:rPr><m:lit />\g<style></m:rPr><m:t>\g<sign></m:t>", data)
                for style, turned in _FROM_THE_RIGHT if side == "rtl" else ():
                    data = data.replace(style, style + turned)
            parts.writestr(part, data)
    return written.getvalue()


class Tree:
    """The parts of a report as nodes."""

    def __init__(self, report: ParsedReport) -> None:
        self._report, self._labels = report, labels_for(report.locale)
        self._drawn = {id(drawing) for drawing in report.drawings[:MAX_CHARTS]}

    def document(self) -> Node:
        """Return the whole tree, with a list of contents if the report is long."""
        report, labels = self._report, self._labels
        blocks = [self._facts(), *self._blocks(report.opening)]
        if report.summary:
            blocks += [self._heading(1, (Text(labels.summary),)), element("Para", self._inlines(report.summary))]
            blocks += self._blocks(report.points)
        if report.figures:
            figures: list[tuple[Inlines, Inlines]] = [
                ((Text(figure.value, frozenset({"strong"})),), (Text(f"{figure.claim} "), *figure.citations))
                for figure in report.figures
            ]
            blocks += [self._heading(1, (Text(labels.key_figures),)), *self._table((), figures, shares=(0.22, 0.78))]
        blocks += [*(self._contents() if report.is_long else []), *self._blocks(report.lead)]
        for section in report.sections:
            blocks.append(self._heading(section.level - 1, section.title, section.anchor))
            blocks += self._references() if section.role == "references" else self._blocks(section.blocks)
        blocks.append(paragraph("Facts", [plain(labels.origin(by_rules=report.by_rules))]))
        language, side = language_of(report.locale), direction(words(report.title))
        named = {"title": self._inlines(report.title), "lang": [plain(language)], "dir": [plain(side)]}
        meta = {name: element("MetaInlines", inlines) for name, inlines in named.items()}
        return {"pandoc-api-version": [1, 23, 1], "meta": meta, "blocks": blocks}

    def _facts(self) -> Node:
        report, labels = self._report, self._labels
        facts = [plain(f"{labels.question}: {report.subtitle}")] if report.subtitle else []
        if report.counts.text:
            style = {"all": "Good", "some": "Warn", "none": "Warn"}.get(report.counts.standing, "")
            facts.append(styled(style, [plain(report.counts.shown)]))
        if report.created:
            facts.append(plain(labels.as_of.format(date=report.created)))
        return paragraph("Facts", [part for fact in facts for part in (plain(" · "), fact)][1:])

    def _contents(self) -> list[Node]:
        entries = [
            paragraph(f"toc {section.level - 1}", [linked(words(section.title), f"#{section.anchor}")])
            for section in self._report.sections
            if section.level <= 3
        ]
        begin, end = (element("RawBlock", "openxml", xml) for xml in (CONTENTS_BEGIN, CONTENTS_END))
        return [paragraph("TOC Heading", [plain(self._labels.contents)]), begin, *entries, end]

    def _heading(self, level: int, content: Inlines, anchor: str = "") -> Node:
        return element("Header", min(level, 6), attributed(anchor), self._inlines(content))

    def _blocks(self, blocks: Iterable[Block], *, tight: bool = False) -> list[Node]:
        return [node for block in blocks for node in self._block(block, tight=tight)]

    def _block(self, block: Block, *, tight: bool) -> list[Node]:
        match block:
            case Paragraph(content=content) if is_label(content):
                return [paragraph("Label", self._inlines(content))]
            case Paragraph(content=content):
                return [element("Plain" if tight else "Para", self._inlines(content))]
            case Heading(level=level, content=content):
                return [self._heading(level, content)]
            case Quotation(blocks=blocks):
                return [element("BlockQuote", [node for part in blocks for node in self._quoted(part)])]
            case Listing(items=items, ordered=ordered, start=start):
                listed = [self._blocks(item, tight=block.tight) for item in items]
                numbers = [start, element("Decimal"), element("Period")]
                return [element("OrderedList", numbers, listed) if ordered else element("BulletList", listed)]
            case Table(header=header, rows=rows):
                return self._table(header, rows, block.aligned)
            case Code(text=text):
                picture = self._report.picture(block)
                if picture is None:
                    return [element("CodeBlock", attributed(), clean_text(text))]
                return [image(picture.png, picture.width, picture.height, picture.label)]
            case Display(latex=latex):
                return [element("Para", [element("Math", element("DisplayMath"), clean_text(latex))])]
            case Drawing():
                return self._chart(block)
            case Rule():
                return [element("HorizontalRule")]
        return []

    def _quoted(self, block: Block) -> list[Node]:
        """Return a block of a quotation: code in the style of its words, as a block of code leaves the quotation's bar."""
        if not isinstance(block, Code):
            return self._block(block, tight=False)
        lines = clean_text(block.text).expandtabs(4).split("\n")
        code = [node for line in lines for node in (element("LineBreak"), element("Code", attributed(), line))][1:]
        return [element("Para", code)]

    def _chart(self, block: Drawing) -> list[Node]:
        chart = block.chart
        title = self._inlines((Text(f"{with_unit(chart.title, chart.unit)} "), *block.citations))
        drawn = chart_png(chart) if id(block) in self._drawn else None
        cells = chart_rows(chart)
        header, *rows = [[(Text(cell),) for cell in row] for row in cells]
        pictures = [image(*drawn, chart.title)] if drawn else []
        return [paragraph("caption", title), *pictures, *self._table(header, rows, number_sides(cells[1:]))]

    def _table(
        self,
        header: Sequence[Inlines],
        rows: Sequence[Sequence[Inlines]],
        sides: Sequence[Alignment] = (),
        shares: Sequence[float] = (),
    ) -> list[Node]:
        texts = [[words(cell) for cell in row] for row in filter(None, [header, *rows])]
        size = largest_size(texts, CELL_SIZES, ROOM, CELL)
        kept = sum(len(cell) for row in texts for cell in row) <= MAX_UNBROKEN
        aligned = [element(f"Align{side.capitalize() or 'Default'}") for side in sides or [""] * len(texts[0])]
        columns = shares or [wide / ROOM for wide in column_widths(texts, size, ROOM, CELL)]
        widths = [element("ColWidth", share) for share in columns]
        head = [self._row(_cell_style(size, kept=True), [_in_bold(cell) for cell in header])] if header else []
        body = [self._row(_cell_style(size, kept=kept and row is not rows[-1]), row) for row in rows]
        columns_of = list(map(list, zip(aligned, widths, strict=True)))
        none = attributed()
        table = element("Table", none, [None, []], columns_of, [none, head], [[none, 0, [], body]], [none, []])
        return [table, paragraph("Table End", [plain("")])]

    def _row(self, style: str, cells: Sequence[Inlines]) -> list[Any]:
        contents = [[paragraph(style, self._inlines(cell))] for cell in cells]
        return [attributed(), [[attributed(), element("AlignDefault"), 1, 1, content] for content in contents]]

    def _references(self) -> list[Node]:
        nodes = [node for reference in self._report.cited for node in self._reference(reference)]
        if others := len(self._report.uncited):
            nodes.append(paragraph("Facts", [plain(self._labels.more_read_elsewhere.format(count=others))]))
        return nodes

    def _reference(self, reference: Reference) -> list[Node]:
        number = styled("", [element("Strong", [plain(f"[{reference.number}]")])], f"ref-{reference.number}")
        about = f" — {' · '.join(reference.parts)}" if reference.parts else ""
        content = [number, plain("\t"), linked(reference.title, reference.link), plain(about)]
        # A word that is cut goes, unless it is of a script without blanks
        quotes = [re.sub(r"(?a:(?<!\w)\w++)…\Z", "…", shortened(quote, QUOTE)) for quote in reference.printed_quotes]
        written = filter(None, [*quotes, reference.further_quotes])
        quoted = [paragraph("Quote", broken(quote), direction(quote)) for quote in written]
        return [paragraph("Bibliography", content, direction(reference.title)), *quoted]

    def _inlines(self, content: Inlines) -> list[Node]:
        """Return inlines; a marked statement is underlined, with its sign behind it."""
        nodes: list[Node] = []
        for statement, mark in statements(content):
            written = [self._inline(inline) for inline in _with_fixed_blanks(statement)]
            if mark:
                sign = element("Superscript", [plain(SIGNS[mark.status])])
                written = [styled(mark.status.capitalize(), written), styled("Warn", [sign])]
            nodes += written
        return nodes

    def _inline(self, inline: Inline) -> Node:
        match inline:
            case Text(text=text, styles=styles):
                nodes = [element("Code", attributed(), clean_text(text))] if "code" in styles else _struck(text)
                nodes = [element("Emph", nodes)] if "emphasis" in styles else nodes
                nodes = [element("Strong", nodes)] if "strong" in styles else nodes
                return nodes[0] if len(nodes) == 1 else styled("", nodes)
            case Citation(number=number, link=link):
                listed = any(reference.number == number for reference in self._report.cited)
                return linked(f"[{number}]", f"#ref-{number}" if listed else link)
            case Link(text=text, link=link):
                return linked(text, link)
            case Formula(latex=latex):
                return element("Math", element("InlineMath"), clean_text(latex))
        return element("LineBreak")


def _struck(text: str) -> list[Node]:
    return [element("Strikeout", [plain(part)]) if is_struck else plain(part) for part, is_struck in struck_out(text)]


def _with_fixed_blanks(content: Inlines) -> Iterable[Inline]:
    """Keep a citation on the line of the word before it."""
    for inline, after in zip(content, (*content[1:], None), strict=False):
        joins = isinstance(inline, Text) and isinstance(after, Citation) and inline.text.endswith(" ")
        yield Text(f"{inline.text.rstrip(' ')}\u00a0", inline.styles) if isinstance(inline, Text) and joins else inline


def _cell_style(size: int, *, kept: bool) -> str:
    """Return the name of the style of a cell, which may keep its row with the next one."""
    return f"Cell{' Kept' if kept else ''}{f' {size}' if size < CELL_SIZES[0] else ''}"


def _in_bold(content: Inlines) -> Inlines:
    return tuple(Text(part.text, part.styles | {"strong"}) if isinstance(part, Text) else part for part in content)


def _program() -> Path:
    """Return the package's Pandoc without importing the package, which would search for other installations."""
    package = PathFinder.find_spec("pypandoc")
    folders = package.submodule_search_locations if package else None
    programs = [Path(folder, "files", name) for folder in folders or [] for name in PROGRAMS]
    program = next(filter(Path.is_file, programs), None)
    if program is None:
        raise NotInstalled(say("needs_package", package="pypandoc-binary"), install_command("formats"))
    return program
