"""The report as a Word document: headings, tables and quotes in Word's own styles, citations as links."""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from services.reports.charts.svg import chart_png
from services.reports.html.figure import data_rows
from services.reports.parsed import (
    Block,
    Break,
    Citation,
    Code,
    Display,
    Drawing,
    Formula,
    Heading,
    Inline,
    Link,
    Listing,
    Paragraph,
    ParsedReport,
    Quotation,
    Rule,
    Table,
    Text,
    Unverified,
    words,
)
from services.reports.words import language_of, words_for

if TYPE_CHECKING:
    from docx.document import Document

FONT, CHINESE_FONT = "Calibri", "Microsoft YaHei"
WIDE, HIGH = 6.0, 8.0
"""Inches of a page that a picture may take."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WEB = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)


def render_docx(report: ParsedReport) -> bytes:
    """Render a report as a Word document; needs the package `python-docx`."""
    from docx import Document

    document = Document()
    document.core_properties.title = _clean(words(report.title))[:250]
    document.core_properties.author = "Leadline"
    document.core_properties.language = language_of(report.locale)
    _set_fonts(document)
    writer = _Writer(document, report)
    writer.fill(document.add_heading(level=0), report.title)
    writer.blocks(report.opening)
    if report.summary:
        document.add_heading(writer.say.summary, level=1)
        writer.fill(document.add_paragraph(), report.summary)
    writer.blocks(report.lead)
    for section in report.sections:
        writer.fill(document.add_heading(level=min(section.level - 1, 6)), section.title)
        if section.role == "references":
            writer.references(report)
        else:
            writer.blocks(section.blocks)
    document.add_paragraph(writer.say.generated, style="Intense Quote")
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


def _clean(text: str) -> str:
    """Take out what XML cannot hold."""
    return _CONTROL.sub("", text)


def _set_fonts(document: "Document") -> None:
    from docx.oxml.ns import qn

    for style in document.styles:
        font = getattr(style, "font", None)
        if font is not None:
            style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), CHINESE_FONT)
    document.styles["Normal"].font.name = FONT


class _Writer:
    def __init__(self, document: "Document", report: ParsedReport) -> None:
        self._document, self._report, self.say = document, report, words_for(report.locale)

    def blocks(self, blocks: Sequence[Block], style: str = "") -> None:
        for block in blocks:
            self._block(block, style)

    def _block(self, block: Block, style: str) -> None:
        match block:
            case Paragraph(content=content):
                self.fill(self._document.add_paragraph(style=style or None), content)
            case Heading(level=level, content=content):
                self.fill(self._document.add_heading(level=min(level, 6)), content)
            case Quotation(blocks=blocks):
                self.blocks(blocks, "Quote")
            case Listing(items=items, ordered=ordered):
                for item in items:
                    self.blocks(item, "List Number" if ordered else "List Bullet")
            case Table(header=header, rows=rows):
                self._table([header, *rows])
            case Code():
                self._code(block)
            case Display(latex=latex):
                self._mono(latex)
            case Drawing():
                self._chart(block)
            case Rule():
                self._document.add_paragraph("* * *")

    def _code(self, block: Code) -> None:
        if picture := self._report.picture(block):
            self._drawn(picture.png, picture.width, picture.height, picture.label)
        else:
            self._mono(block.text)

    def _chart(self, block: Drawing) -> None:
        """Draw a chart, with its numbers as a table below it."""
        chart = block.chart
        caption = self._document.add_paragraph(style="Caption")
        self.fill(caption, (Text(f"{chart.title}{f' ({chart.unit})' if chart.unit else ''} "), *block.citations))
        if drawn := chart_png(chart):
            self._drawn(*drawn, chart.title)
        self._table([[(Text(cell),) for cell in row] for row in data_rows(chart, self.say)])

    def references(self, report: ParsedReport) -> None:
        for one in report.references:
            entry = self._document.add_paragraph()
            entry.add_run(f"[{one.number}] ").bold = True
            if not _WEB.fullmatch(one.link) or not self._linked(entry, one.title, one.link):
                entry.add_run(_clean(one.title))
            entry.add_run(_clean(" — " + " · ".join([one.url, *one.details])))
            for quote in one.quotes:
                self._document.add_paragraph(_clean(" ".join(quote.text.split())), style="Quote")

    def fill(self, paragraph: Any, content: Sequence[Inline]) -> None:
        """Write inlines into a paragraph."""
        for one in content:
            match one:
                case Text(text=text, styles=styles):
                    run = paragraph.add_run(_clean(text))
                    run.bold = "strong" in styles or None
                    run.italic = "emphasis" in styles or None
                    if "code" in styles:
                        run.font.name = "Consolas"
                case Citation(number=number, link=link):
                    if not _WEB.fullmatch(link) or not self._linked(paragraph, f"[{number}]", link):
                        paragraph.add_run(f"[{number}]")
                case Link(text=text, link=link):
                    if not _WEB.fullmatch(link) or not self._linked(paragraph, text, link):
                        paragraph.add_run(_clean(text))
                case Formula(latex=latex):
                    paragraph.add_run(_clean(latex)).font.name = "Cambria Math"
                case Unverified():
                    paragraph.add_run(" ⚠").bold = True
                case Break():
                    paragraph.add_run().add_break()

    def _linked(self, paragraph: Any, text: str, link: str) -> bool:
        from docx.opc.constants import RELATIONSHIP_TYPE
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn
        from docx.shared import RGBColor

        try:
            number = paragraph.part.relate_to(_clean(link), RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
        except ValueError:
            return False
        anchor = OxmlElement("w:hyperlink")
        anchor.set(qn("r:id"), number)
        run = paragraph.add_run(_clean(text))
        run.font.color.rgb = RGBColor.from_string("0B5C77")
        anchor.append(run._r)
        paragraph._p.append(anchor)
        return True

    def _table(self, rows: Sequence[Sequence[Sequence[Inline]]]) -> None:
        table = self._document.add_table(rows=len(rows), cols=len(rows[0]), style="Light Grid Accent 1")
        for place, row in enumerate(rows):
            for at, cell in enumerate(row):
                self.fill(table.cell(place, at).paragraphs[0], cell)
        self._document.add_paragraph()

    def _drawn(self, png: bytes, width: float, height: float, label: str) -> None:
        """Put a picture on a line of its own, at the size of its pixels or as large as the page allows."""
        from docx.shared import Inches

        paragraph = self._document.add_paragraph()
        paragraph.alignment = 1  # in the middle
        inches = min(1 / 96, WIDE / width, HIGH / height)
        shape = paragraph.add_run().add_picture(io.BytesIO(png), Inches(width * inches), Inches(height * inches))
        shape._inline.docPr.set("descr", _clean(label))

    def _mono(self, text: str) -> None:
        from docx.shared import Pt

        run = self._document.add_paragraph().add_run(_clean(text))
        run.font.name, run.font.size = "Consolas", Pt(9.5)
