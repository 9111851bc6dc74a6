"""The deck as PowerPoint: native text and tables, charts as pictures, and the sources of each slide in its notes."""

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, MSO_UNDERLINE, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Inches, Pt

from schemas.chart import Chart
from schemas.clean_text import clean_text
from services.reports.charts.svg import chart_png
from services.reports.columns import width
from services.reports.document import ParsedReport, words
from services.reports.formulas import plain_math
from services.reports.labels import labels_for, language_of
from services.reports.slides.slide import (
    BESIDE,
    GAP,
    HIGH,
    PADDING,
    ROOM,
    SIZES,
    TITLE,
    VALUE_WIDE,
    ShownCard,
    Slide,
    cards_height,
    code_size,
    row_height,
    shortened,
    table_columns,
    text_height,
    value_size,
)
from services.reports.slides.slide_outline import SINGLE_COLUMN, outline
from services.reports.statuses import SIGNS
from services.text.languages import direction

SLIDE_WIDE, SLIDE_HIGH = 13.333, 7.5
"""Size of a slide in inches: 16:9."""
MARGIN, TOP = 0.67, 1.75
INK, SOFT, ACCENT, WARN, PAPER, SHEET, LINE = "1B2430", "55606E", "0B5C77", "8A4B00", "FBFAF7", "FFFFFF", "DCDFE3"
WARN_SOFT = "FDF0DC"
LINE_WIDE = 120
"""Length of the line above a title in half-width characters."""
CHART_HIGH, CAPTION = 4.75, 0.45
"""Height of a chart with its caption, and of the caption, in inches."""
AXES, ENLARGED = 1.4, 1.7
"""What the axes and the legend of a chart take of its width and height in inches, about, and how much larger it is than on a page."""
FONT, CHINESE_FONT, CODE_FONT = "Segoe UI", "Microsoft YaHei", "Consolas"


def render_pptx(report: ParsedReport) -> bytes:
    """Render a report as a PowerPoint file; needs the package `python-pptx`."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(SLIDE_WIDE), Inches(SLIDE_HIGH)
    deck.core_properties.title = clean_text(words(report.title))[:250]
    deck.core_properties.author = "Leadline"
    deck.core_properties.language = language_of(report.locale)
    writer = _Writer(deck, report)
    for slide in outline(report):
        writer.add(slide)
    data = io.BytesIO()
    deck.save(data)
    return data.getvalue()


class _Box(NamedTuple):
    """A rectangle on a slide, in inches."""

    left: float
    top: float
    wide: float
    high: float

    def lengths(self, side: str) -> list[Any]:
        """Return left, top, width and height in the library's units; mirrored in a deck that is read from the right."""
        box = self._replace(left=SLIDE_WIDE - self.left - self.wide) if side == "rtl" else self
        return [Inches(length) for length in box]


class _Writer:
    def __init__(self, deck: Any, report: ParsedReport) -> None:
        self._deck, self._labels, self._language = deck, labels_for(report.locale), language_of(report.locale)
        self._side = direction(words(report.title))
        self._page: Any = None

    def add(self, slide: Slide) -> None:
        self._page = self._deck.slides.add_slide(self._deck.slide_layouts[5])  # a layout with only a title
        dark = slide.kind in {"cover", "end"}
        self._page.background.fill.solid()
        self._page.background.fill.fore_color.rgb = _colour(ACCENT if dark else PAPER)
        if dark:
            self._dark(slide)
        else:
            numbers = slide.numbers if slide.kind == "cards" else ()
            self._title(shortened(slide.title, TITLE), _Box(MARGIN, 0.45, ROOM, 1.1), 27, ACCENT, numbers)
            self._content(slide)
        if slide.notes:
            self._page.notes_slide.notes_text_frame.text = clean_text("\n".join([self._labels.notes, *slide.notes]))

    def _content(self, slide: Slide) -> None:
        if slide.subtitle:
            self._text(shortened(slide.subtitle, LINE_WIDE), _Box(MARGIN, 0.18, ROOM, 0.35), 13, SOFT, bold=True)
        if slide.kind in {"contents", "sources"}:
            self._contents(slide)
        elif slide.kind == "cards":
            self._cards(slide, _Box(MARGIN, TOP, ROOM, HIGH))
        elif slide.kind == "chart" and slide.chart is not None:
            self._chart(slide, slide.chart, ROOM - (BESIDE + GAP if slide.cards else 0))
            if slide.cards:
                self._cards(slide, _Box(MARGIN + ROOM - BESIDE, TOP, BESIDE, HIGH))
            self._cited(slide)
        elif slide.picture is not None:
            drawn = slide.picture
            self._picture(drawn.png, drawn.width, drawn.height, drawn.label, _Box(MARGIN, TOP, ROOM, HIGH))
        else:
            over = cards_height(slide.cards, slide.text_size, ROOM) + GAP if slide.cards else 0.0
            if slide.cards:
                self._cards(slide, _Box(MARGIN, TOP, ROOM, over - GAP))
            self._table(slide.rows, slide.text_size, _Box(MARGIN, TOP + over, ROOM, HIGH - over))
            self._cited(slide)

    def _dark(self, slide: Slide) -> None:
        cover = slide.kind == "cover"
        size = 32 if width(slide.title) > TITLE else 46 if cover else 42
        title = shortened(slide.title, 2 * TITLE)
        self._title(title, _Box(MARGIN, 2.2 if cover or slide.rows else 3.2, ROOM, 1.9), size, SHEET)
        if slide.subtitle:
            top = 4.5 if cover else 4.1 if slide.rows else 5.1
            self._text(shortened(slide.subtitle, 300), _Box(MARGIN, top, 11, 1.5), 20, SHEET)
        bottom = 7.05
        for row in reversed(slide.rows):
            text = " · ".join(filter(None, row))
            high = text_height(text, 15, ROOM - 0.2) + 0.17
            bottom -= high
            self._text(text, _Box(MARGIN, bottom, ROOM, high), 15, SHEET)

    def _contents(self, slide: Slide) -> None:
        columns, high = (1, 0.63) if len(slide.rows) <= SINGLE_COLUMN else (2, 0.72)
        size = 15 if columns == 2 else 16 if slide.kind == "sources" else 22
        wide = ROOM / columns
        for place, (number, entry) in enumerate(slide.rows):
            left, top = MARGIN + (place % columns) * wide, TOP + (place // columns) * high
            self._text(number, _Box(left, top, 0.7, 0.5), size, ACCENT, bold=True)
            self._text(entry, _Box(left + 0.7, top, wide - 0.9, high), size, INK)

    def _cards(self, slide: Slide, box: _Box) -> None:
        """Put cards one below the other; the room that is left is shared among them."""
        size = slide.text_size
        spare = max(0.0, (box.high - cards_height(slide.cards, size, box.wide)) / len(slide.cards))
        top = box.top
        for card in slide.cards:
            high = card.height(size, box.wide) + spare
            self._card(card, _Box(box.left, top, box.wide, high), size)
            top += high + GAP

    def _card(self, card: ShownCard, box: _Box, size: int) -> None:
        shape = self._page.shapes.add_shape(MSO_SHAPE.RECTANGLE, *box.lengths(self._side))
        shape.shadow.inherit = False
        shape.fill.solid()
        shape.fill.fore_color.rgb = _colour(WARN_SOFT if card.kind == "quote" else SHEET)
        shape.line.color.rgb = _colour(WARN if card.kind == "quote" else LINE)
        frame = shape.text_frame
        frame.word_wrap = True
        frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        frame.margin_left = frame.margin_right = Inches(PADDING / 2)
        frame.margin_top = frame.margin_bottom = Inches(PADDING / 2 - 0.05)
        paragraph = frame.paragraphs[0]
        paragraph.alignment = None  # a shape's is in the middle
        if card.kind == "figure":
            margin = "margin_right" if self._side == "rtl" else "margin_left"
            setattr(frame, margin, Inches(PADDING / 2 + VALUE_WIDE))
            value = _Box(box.left + PADDING / 2, box.top, VALUE_WIDE, box.high)
            self._text(card.heading, value, value_size(card.heading), ACCENT, bold=True, middle=True)
        elif card.heading:
            self._run(paragraph, card.heading, max(12, size * 4 // 5), ACCENT, bold=True)
            paragraph = frame.add_paragraph()
        lines = (plain_math(card.text) if card.kind == "formula" else card.text).split("\n")
        for line in lines:
            is_code = card.kind == "code"
            self._run(paragraph, line, code_size(size) if is_code else size, INK, font=CODE_FONT if is_code else FONT)
            if card.mark:
                inferred = card.mark.status == "inferred"
                paragraph.runs[-1].font.underline = MSO_UNDERLINE.DOTTED_LINE if inferred else MSO_UNDERLINE.SINGLE_LINE
            if line is not lines[-1]:
                paragraph = frame.add_paragraph()
        marks = "".join(f"\u00a0[{number}]" for number in card.numbers)
        if marks:
            self._run(paragraph, marks, max(12, size // 2), ACCENT)
        if card.mark:
            colour = ACCENT if card.mark.status == "inferred" else WARN
            self._run(paragraph, SIGNS[card.mark.status], 14, colour)
        for paragraph in frame.paragraphs:
            paragraph.alignment = paragraph.alignment or PP_ALIGN.LEFT

    def _table(self, rows: Sequence[Sequence[str]], size: int, box: _Box) -> None:
        widths = [wide * box.wide / ROOM for wide in table_columns(rows, size)]
        place = box._replace(high=0.34 * len(rows)).lengths(self._side)
        frame = self._page.shapes.add_table(len(rows), len(rows[0]), *place)
        if self._side == "rtl":
            frame.table._tbl.tblPr.set("rtl", "1")
        for column, wide in zip(frame.table.columns, widths, strict=True):
            column.width = Inches(wide)
        for number, row in enumerate(rows):
            frame.table.rows[number].height = Inches(row_height(row, widths, size))
            for at, text in enumerate(row):
                cell = frame.table.cell(number, at)
                cell.margin_top = cell.margin_bottom = Inches(0.05)
                cell.fill.solid()
                cell.fill.fore_color.rgb = _colour(ACCENT if number == 0 else SHEET)
                self._run(cell.text_frame.paragraphs[0], text, size, SHEET if number == 0 else INK, bold=number == 0)

    def _chart(self, slide: Slide, chart: Chart, wide: float) -> None:
        """Draw a chart below its caption; without the extra `charts` its numbers stand there."""
        top = TOP + (CAPTION if slide.caption else 0)
        if slide.caption:
            self._text(slide.caption, _Box(MARGIN, TOP, wide, CAPTION), 15, SOFT, bold=True)
        box = _Box(MARGIN, top, wide, CHART_HIGH + TOP - top)
        width, height = (round(96 * (length - AXES) / ENLARGED) for length in (box.wide, box.high))
        if drawn := chart_png(chart, width=width, height=height):
            self._picture(*drawn, chart.title, box)
        else:
            self._table(slide.rows, SIZES[-1] if slide.cards else slide.text_size, box)

    def _picture(self, png: bytes, wide: float, high: float, label: str, box: _Box) -> None:
        """Put a picture into the middle of a box, as large as fits and at most twice its size on a page."""
        inches = min(2 / 96, box.wide / wide, box.high / high)
        left, top = box.left + (box.wide - wide * inches) / 2, box.top + (box.high - high * inches) / 2
        place = _Box(left, top, wide * inches, high * inches)
        drawn = self._page.shapes.add_picture(io.BytesIO(png), *place.lengths(self._side))
        drawn._element._nvXxPr.cNvPr.set("descr", clean_text(label))

    def _cited(self, slide: Slide) -> None:
        marks = " ".join(f"[{number}]" for number in slide.numbers)
        cited = f"{self._labels.source} {marks}" if marks else ""
        more = self._labels.more_rows.format(count=slide.more) if slide.more else ""
        if cited or more:
            self._text("   ".join(filter(None, [cited, more])), _Box(MARGIN, 6.8, ROOM, 0.4), 12, SOFT)

    def _title(self, text: str, box: _Box, size: int, colour: str, numbers: Sequence[int] = ()) -> None:
        """Put the title into the placeholder for screen readers and outlines."""
        title = self._page.shapes.title
        title.left, title.top, title.width, title.height = box.lengths(self._side)
        title.text_frame.word_wrap = True
        title.text_frame.margin_left = 0
        title.text_frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        paragraph = title.text_frame.paragraphs[0]
        paragraph.alignment = PP_ALIGN.LEFT
        self._run(paragraph, text, size, colour, bold=True)
        if numbers:
            self._run(paragraph, "".join(f"\u00a0[{number}]" for number in numbers), 12, colour)

    def _text(self, text: str, box: _Box, size: int, colour: str, *, bold: bool = False, middle: bool = False) -> None:
        frame = self._page.shapes.add_textbox(*box.lengths(self._side)).text_frame
        frame.word_wrap = True
        frame.vertical_anchor = MSO_ANCHOR.MIDDLE if middle else MSO_ANCHOR.TOP
        frame.margin_left = 0
        self._run(frame.paragraphs[0], text, size, colour, bold=bold)

    def _run(self, paragraph: Any, text: str, size: int, colour: str, *, bold: bool = False, font: str = FONT) -> None:
        run = paragraph.add_run()
        run.text = clean_text(text)
        paragraph._p.get_or_add_pPr().set("hangingPunct", "0")  # LibreOffice would set a stop beyond the box
        if direction(text) == "rtl":
            paragraph.alignment = PP_ALIGN.RIGHT
            paragraph._p.get_or_add_pPr().set("rtl", "1")
        run.font.size, run.font.bold, run.font.name = Pt(size), bold, font
        run.font.color.rgb = _colour(colour)
        properties = run._r.get_or_add_rPr()
        properties.set("lang", self._language)
        properties.append(properties.makeelement(qn("a:ea"), {"typeface": CHINESE_FONT}))


def _colour(name: str) -> Any:
    return RGBColor.from_string(name)
