"""The report as a Word document: headings, tables and quotes in Word's own styles, citations as links."""

import io
from collections.abc import Sequence
from typing import Any

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_UNDERLINE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.shared import Inches, Pt, RGBColor

from schemas.clean_text import clean_text
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
    Inline,
    Link,
    Listing,
    Paragraph,
    Quotation,
    Rule,
    Table,
    Text,
)
from services.reports.charts.svg import chart_png
from services.reports.document import ParsedReport, is_label, number_sides, statements, words
from services.reports.html.figure import data_rows, title_with_unit
from services.reports.html.formulas import mathml
from services.reports.labels import labels_for, language_of
from services.reports.plain_math import plain_math
from services.reports.reference import is_web_link
from services.reports.signs import SIGNS
from services.reports.word_styles import ACCENT, SOFT, element, number_anew, set_styles

HEAD, GOOD, WARN = "E4F0F4", "17693A", "8A4B00"
WIDE, HIGH = 6.0, 8.0
"""Maximum size of a picture in inches."""
MAX_CHARTS = 24
"""Maximum charts that are drawn; of further ones only the numbers are shown."""
MAX_UNBROKEN_ROWS = 12
"""Maximum rows of a table that is kept on one page."""
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def render_docx(report: ParsedReport) -> bytes:
    """Render a report as a Word document; needs the package `python-docx`."""
    document = Document()
    document.core_properties.title = clean_text(words(report.title))[:250]
    document.core_properties.author = "Leadline"
    document.core_properties.language = language_of(report.locale)
    set_styles(document, language_of(report.locale))
    writer = _Writer(document, report)
    writer.fill(document.add_heading(level=0), report.title)
    writer.facts()
    writer.blocks(report.opening)
    if report.summary:
        document.add_heading(writer.labels.summary, level=1)
        writer.fill(document.add_paragraph(), report.summary)
    if report.figures:
        document.add_heading(writer.labels.key_figures, level=1)
        writer.figures()
    writer.blocks(report.lead)
    for section in report.sections:
        writer.fill(document.add_heading(level=min(section.level - 1, 6)), section.title)
        if section.role == "references":
            writer.references(report)
        else:
            writer.blocks(section.blocks)
    writer.small((writer.labels.origin(by_rules=report.by_rules), SOFT))
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


class _Writer:
    def __init__(self, document: Any, report: ParsedReport) -> None:
        self._document, self._report, self.labels = document, report, labels_for(report.locale)
        self._charts = 0

    def facts(self) -> None:
        """Write the question, the statements' statuses and the date of the sources."""
        report = self._report
        facts: list[tuple[str, str]] = []
        if report.subtitle:
            facts.append((f"{self.labels.question}: {report.subtitle}", SOFT))
        if report.counts.text:
            facts.append((report.counts.shown, {"all": GOOD, "empty": SOFT}.get(report.standing, WARN)))
        if report.created:
            facts.append((self.labels.as_of.format(date=report.created), SOFT))
        self.small(*facts)

    def small(self, *pieces: tuple[str, str]) -> None:
        """Write a line outside of the report's own text, from pieces with colours."""
        line = self._document.add_paragraph()
        for place, (text, colour) in enumerate(pieces):
            if place:
                _small_run(line, " · ", SOFT)
            _small_run(line, text, colour)

    def figures(self) -> None:
        """Write the key figures, each with its sentence."""
        self._table(
            [
                [(Text(figure.value, frozenset({"strong"})),), (Text(f"{figure.claim} "), *figure.citations)]
                for figure in self._report.figures
            ],
            headed=False,
            wide=(1.5, WIDE - 1.5),
        )

    def blocks(self, blocks: Sequence[Block], style: str = "") -> None:
        for block in blocks:
            self._block(block, style)

    def _block(self, block: Block, style: str) -> None:
        match block:
            case Paragraph(content=content):
                paragraph = self._document.add_paragraph(style=style or None)
                # An all-bold text is the title of the following block
                paragraph.paragraph_format.keep_with_next = is_label(content)
                self.fill(paragraph, content)
            case Heading(level=level, content=content):
                self.fill(self._document.add_heading(level=min(level, 6)), content)
            case Quotation(blocks=blocks):
                self.blocks(blocks, "Quote")
            case Listing(items=items, ordered=ordered):
                self._list(items, block.start if ordered else None)
            case Table(header=header, rows=rows):
                self._table([header, *rows], sides=block.aligned)
            case Code():
                self._code(block)
            case Display(latex=latex):
                paragraph = self._document.add_paragraph()
                paragraph.alignment = 1  # centred
                self._formula(paragraph, latex)
            case Drawing():
                self._chart(block)
            case Rule():
                self._document.add_paragraph("* * *")

    def _code(self, block: Code) -> None:
        if picture := self._report.picture(block):
            self._picture(picture.png, picture.width, picture.height, picture.label)
        else:
            self._code_text(block.text)

    def _chart(self, block: Drawing) -> None:
        """Draw a chart, followed by a table of its numbers."""
        chart = block.chart
        caption = self._document.add_paragraph(style="Caption")
        self.fill(caption, (Text(f"{title_with_unit(chart)} "), *block.citations))
        self._charts += 1
        if self._charts <= MAX_CHARTS and (drawn := chart_png(chart)):
            self._picture(*drawn, chart.title)
        rows = data_rows(chart, self.labels)
        self._table([[(Text(cell),) for cell in row] for row in rows], sides=number_sides(rows[1:]))

    def references(self, report: ParsedReport) -> None:
        """List the cited sources, and the number of other sources that were read."""
        for reference in report.cited:
            entry = self._document.add_paragraph()
            entry.add_run(f"[{reference.number}] ").bold = True
            if styled := report.entries.get(reference.number):
                self.fill(entry, styled)
                about = reference.beside_entry
            else:
                self._link(entry, reference.title, reference.link)
                about = reference.parts
            entry.add_run(clean_text(f" — {' · '.join(about)}" if about else ""))
            for quote in reference.quoted_texts:
                self._document.add_paragraph(clean_text(quote), style="Quote")
        if report.uncited:
            self.small((self.labels.more_read_elsewhere.format(count=len(report.uncited)), SOFT))
        for last in self._document.paragraphs[-2:]:  # the note on the author must not stand alone on a page
            last.paragraph_format.keep_with_next = True

    def fill(self, paragraph: Any, content: Sequence[Inline]) -> None:
        """Write inlines to a paragraph; a marked statement is underlined, with its sign behind it."""
        for statement, mark in statements(tuple(content)):
            first = len(paragraph.runs)
            self._fill(paragraph, statement)
            if mark:
                line = WD_UNDERLINE.DOTTED if mark.status == "inferred" else WD_UNDERLINE.SINGLE
                for run in paragraph.runs[first:]:
                    run.font.underline = line
                sign = paragraph.add_run(SIGNS[mark.status])
                sign.font.superscript = True
                sign.font.color.rgb = RGBColor.from_string(ACCENT if mark.status == "inferred" else WARN)

    def _fill(self, paragraph: Any, content: Sequence[Inline]) -> None:
        for inline in content:
            match inline:
                case Text(text=text, styles=styles):
                    run = paragraph.add_run(clean_text(text))
                    run.bold = "strong" in styles or None
                    run.italic = "emphasis" in styles or None
                    if "code" in styles:
                        run.font.name = "Consolas"
                case Citation(number=number, link=link):
                    _keep_together(paragraph)
                    self._link(paragraph, f"[{number}]", link)
                case Link(text=text, link=link):
                    self._link(paragraph, text, link)
                case Formula(latex=latex):
                    self._formula(paragraph, latex)
                case Break():
                    paragraph.add_run().add_break()

    @staticmethod
    def _link(paragraph: Any, text: str, link: str) -> None:
        """Write a web link; of other links only the text."""
        run = paragraph.add_run(clean_text(text))
        if is_web_link(link):
            number = paragraph.part.relate_to(clean_text(link), RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
            anchor = OxmlElement("w:hyperlink", {qn("r:id"): number})
            run.font.color.rgb = RGBColor.from_string(ACCENT)
            anchor.append(run._r)
            paragraph._p.append(anchor)

    def _list(self, items: Sequence[Sequence[Block]], start: int | None) -> None:
        first = len(self._document.paragraphs) if start is not None else 0
        for item in items:
            self.blocks(item, "List Bullet" if start is None else "List Number")
        if start is not None:
            number_anew(self._document, self._document.paragraphs[first:], start)

    def _formula(self, paragraph: Any, latex: str) -> None:
        """Write a formula in Word's format; as a line of text without the converter, or if it fails."""
        drawn = str(mathml(latex)).replace("&nbsp;", "\u00a0")
        try:
            from math_ml2omml import convert

            made = parse_xml(convert(drawn).replace("<m:oMath>", f'<m:oMath xmlns:m="{MATH}">', 1))
        except Exception:  # noqa: BLE001 - the converter raises whatever a wrong formula makes it stumble over
            paragraph.add_run(clean_text(plain_math(latex))).font.name = "Cambria Math"
        else:
            paragraph._p.append(made)

    def _table(
        self,
        rows: Sequence[Sequence[Sequence[Inline]]],
        *,
        headed: bool = True,
        wide: Sequence[float] = (),
        sides: Sequence[Alignment] = (),
    ) -> None:
        table = self._document.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
        borders = OxmlElement("w:tblBorders")
        for side in ("top", "bottom", "insideH", "left", "right", "insideV"):
            line = "single" if side in {"top", "bottom", "insideH"} else "nil"
            borders.append(element(side, val=line, sz="4", color="DCDFE3"))
        table._tbl.tblPr.append(borders)
        for column, inches in zip(table.columns, wide, strict=False):
            column.width = Inches(inches)
        for place, row in enumerate(rows):
            for at, content in enumerate(row):
                cell = table.cell(place, at)
                if wide:
                    cell.width = Inches(wide[at])
                paragraph = cell.paragraphs[0]
                paragraph.paragraph_format.space_before = paragraph.paragraph_format.space_after = Pt(3)
                if sides and sides[at] == "right":
                    paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
                paragraph.paragraph_format.keep_with_next = place < len(rows) - 1 and len(rows) <= MAX_UNBROKEN_ROWS
                if headed and place == 0:
                    self.fill(paragraph, _in_bold(content))
                    cell._tc.get_or_add_tcPr().append(element("shd", val="clear", color="auto", fill=HEAD))
                else:
                    self.fill(paragraph, content)
        if headed:
            table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
        self._document.add_paragraph().paragraph_format.space_after = Pt(0)

    def _picture(self, png: bytes, width: float, height: float, label: str) -> None:
        """Put a picture on its own line, at its pixel size or as large as the page permits."""
        paragraph = self._document.add_paragraph()
        paragraph.alignment = 1  # centred
        inches = min(1 / 96, WIDE / width, HIGH / height)
        shape = paragraph.add_run().add_picture(io.BytesIO(png), Inches(width * inches), Inches(height * inches))
        shape._inline.docPr.set("descr", clean_text(label))

    def _code_text(self, text: str) -> None:
        run = self._document.add_paragraph().add_run(clean_text(text))
        run.font.name, run.font.size = "Consolas", Pt(9.5)


def _keep_together(paragraph: Any) -> None:
    """Keep the following text on the line of the preceding word."""
    last = paragraph.runs[-1] if paragraph.runs else None
    if last is not None and last.text.endswith(" "):
        last.text = f"{last.text.rstrip(' ')}\u00a0"


def _small_run(paragraph: Any, text: str, colour: str) -> None:
    run = paragraph.add_run(clean_text(text))
    run.font.size, run.font.color.rgb = Pt(9.5), RGBColor.from_string(colour)


def _in_bold(content: Sequence[Inline]) -> list[Inline]:
    return [Text(inline.text, inline.styles | {"strong"}) if isinstance(inline, Text) else inline for inline in content]
