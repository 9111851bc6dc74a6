"""The deck as PowerPoint: native text, tables and charts, and the sources of each slide in its notes."""

import io
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from openpyxl import Workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION, XL_TICK_LABEL_POSITION
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, MSO_UNDERLINE, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Inches, Pt

from schemas.chart import Chart
from schemas.clean_text import clean_text
from services.reports.charts.options import PALETTE
from services.reports.document import ParsedReport, Picture, words
from services.reports.labels import Labels, labels_for, language_of
from services.reports.plain_math import plain_math
from services.reports.slides.slide import (
    BESIDE,
    CODE_SIZE,
    GAP,
    PADDING,
    VALUE_WIDE,
    ShownCard,
    Slide,
    card_height,
    cards_height,
    value_size,
)
from services.reports.slides.slide_outline import SINGLE_COLUMN, outline
from services.reports.slides.text_fit import HIGH, ROOM, TITLE, column_widths, row_height, shortened, width
from services.reports.statuses import SIGNS

SLIDE_WIDE, SLIDE_HIGH = 13.333, 7.5
"""Size of a slide in inches: 16:9."""
MARGIN, TOP = 0.67, 1.75
INK, SOFT, ACCENT, WARN, PAPER, SHEET, LINE = "1B2430", "55606E", "0B5C77", "8A4B00", "FBFAF7", "FFFFFF", "DCDFE3"
WARN_SOFT = "FDF0DC"
LINE_WIDE = 120
"""Length of the line above a title in half-width characters."""
INTEGER, DECIMAL = "#,##0", "#,##0.0##"
"""Excel's number formats."""
MIN_ROUND = 20
"""Minimum of a chart's greatest number for an axis with integers."""
FONT, CHINESE_FONT = "Segoe UI", "Microsoft YaHei"


def render_pptx(report: ParsedReport) -> bytes:
    """Render a report as a PowerPoint file; needs the package `python-pptx`."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(SLIDE_WIDE), Inches(SLIDE_HIGH)
    deck.core_properties.title = clean_text(words(report.title))[:250]
    deck.core_properties.author = "Leadline"
    deck.core_properties.language = language_of(report.locale)
    writer = _Writer(deck, labels_for(report.locale), language_of(report.locale))
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

    def lengths(self) -> list[Any]:
        """Return left, top, width and height in the library's units."""
        return [Inches(length) for length in self]


class _Writer:
    def __init__(self, deck: Any, labels: Labels, language: str) -> None:
        self._deck, self._labels, self._language = deck, labels, language
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
            self._chart(slide.chart, slide.caption, ROOM - (BESIDE + GAP if slide.cards else 0))
            if slide.cards:
                self._cards(slide, _Box(MARGIN + ROOM - BESIDE, TOP, BESIDE, HIGH))
            self._cited(slide)
        elif slide.picture is not None:
            self._picture(slide.picture)
        else:
            self._table(slide)
            self._cited(slide)

    def _dark(self, slide: Slide) -> None:
        cover = slide.kind == "cover"
        size = 32 if width(slide.title) > TITLE else 46 if cover else 42
        title = self._broken(shortened(slide.title, 2 * TITLE))
        self._title(title, _Box(MARGIN, 2.2 if cover or slide.rows else 3.2, ROOM, 1.9), size, SHEET)
        if slide.subtitle:
            self._text(
                shortened(slide.subtitle, 300),
                _Box(MARGIN, 4.5 if cover else 4.1 if slide.rows else 5.1, 11, 1.5),
                20,
                SHEET,
            )
        if slide.rows:
            lowest = 6.15 - 0.45 * (len(slide.rows) - 2)
            for place, row in enumerate(slide.rows):
                self._text(" · ".join(filter(None, row)), _Box(MARGIN, lowest + 0.45 * place, ROOM, 0.5), 15, SHEET)

    @staticmethod
    def _broken(title: str) -> str:
        """Break a Chinese title of two lines behind the mark that is nearest to its middle: PowerPoint breaks anywhere."""
        ends = [place for place, char in enumerate(title[:-1], 1) if char in "：，；、" and width(title) > 36]
        half = width(title) / 2
        best = min(ends, key=lambda end: abs(width(title[:end]) - half), default=0)
        fits = best and max(width(title[:best]), width(title[best:])) <= 40
        return f"{title[:best]}\v{title[best:]}" if fits else title

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
            high = card_height(card, size, box.wide) + spare
            self._card(card, _Box(box.left, top, box.wide, high), size)
            top += high + GAP

    def _card(self, card: ShownCard, box: _Box, size: int) -> None:
        shape = self._page.shapes.add_shape(MSO_SHAPE.RECTANGLE, *box.lengths())
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
        if card.kind == "figure":
            frame.margin_left = Inches(PADDING / 2 + VALUE_WIDE)
            value = _Box(box.left + PADDING / 2, box.top, VALUE_WIDE, box.high)
            self._text(card.heading, value, value_size(card.heading), ACCENT, bold=True, middle=True)
        elif card.heading:
            self._run(paragraph, card.heading, max(12, size * 4 // 5), ACCENT, bold=True)
            paragraph = frame.add_paragraph()
        lines = (plain_math(card.text) if card.kind == "formula" else card.text).split("\n")
        for line in lines:
            self._run(paragraph, line, CODE_SIZE if card.kind == "code" else size, INK)
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
            paragraph.alignment = PP_ALIGN.LEFT

    def _table(self, slide: Slide) -> None:
        rows, size = slide.rows, slide.text_size
        widths = column_widths(rows, size)
        box = _Box(MARGIN, TOP, ROOM, 0.34 * len(rows))
        frame = self._page.shapes.add_table(len(rows), len(rows[0]), *box.lengths())
        for column, wide in zip(frame.table.columns, widths, strict=True):
            column.width = Inches(wide)
        for place, row in enumerate(rows):
            frame.table.rows[place].height = Inches(row_height(row, widths, size))
            for at, text in enumerate(row):
                cell = frame.table.cell(place, at)
                cell.margin_top = cell.margin_bottom = Inches(0.05)
                cell.fill.solid()
                cell.fill.fore_color.rgb = _colour(ACCENT if place == 0 else SHEET)
                self._run(cell.text_frame.paragraphs[0], text, size, SHEET if place == 0 else INK, bold=place == 0)

    def _chart(self, chart: Chart, caption: str, wide: float) -> None:
        kinds = {
            "bar": XL_CHART_TYPE.COLUMN_CLUSTERED,
            "line": XL_CHART_TYPE.LINE_MARKERS,
            "pie": XL_CHART_TYPE.PIE,
            "scatter": XL_CHART_TYPE.XY_SCATTER,
        }
        data: Any
        if chart.type == "scatter":
            data = XyChartData()
            for series in chart.series:
                points = data.add_series(clean_text(series.name or chart.title))
                for x, y in series.points:
                    points.add_data_point(x, y)
        else:
            data = CategoryChartData()
            data.categories = [clean_text(category) for category in chart.categories]
            for series in chart.series:
                data.add_series(clean_text(series.name or chart.title), series.values)
        box = _Box(MARGIN, TOP, wide, 4.75)
        drawn = self._page.shapes.add_chart(kinds[chart.type], *box.lengths(), data).chart
        drawn.part.chart_workbook.update_from_xlsx_blob(_workbook(chart))
        drawn.has_title = bool(caption)
        if caption:
            self._run(drawn.chart_title.text_frame.paragraphs[0], caption, 15, SOFT, bold=True)
        drawn.has_legend = len(chart.series) > 1 or chart.type == "pie"
        if drawn.has_legend:
            drawn.legend.position, drawn.legend.include_in_layout = XL_LEGEND_POSITION.BOTTOM, False
        drawn.font.size, drawn.font.name = Pt(14), FONT
        plot = drawn.plots[0]
        if chart.type != "scatter" and len(chart.series) * len(chart.categories) <= 12:
            plot.has_data_labels = True
            plot.data_labels.show_value = True
            plot.data_labels.number_format, plot.data_labels.number_format_is_linked = DECIMAL, False
            for drawn_series, series in zip(plot.series, chart.series, strict=True):
                _write_plainly(drawn_series, series.values)
        _format_axis(drawn, chart)
        if chart.type != "pie":
            self._axis_title(drawn.value_axis, chart.unit)
            self._axis_title(drawn.category_axis, chart.x_unit)
        parts = [plot.series[0].points[place] for place in range(len(chart.categories))]
        for part, colour in zip(parts if chart.type == "pie" else plot.series, PALETTE, strict=False):
            if chart.type in {"bar", "pie"}:
                part.format.fill.solid()
                part.format.fill.fore_color.rgb = _colour(colour[1:].upper())

    def _axis_title(self, axis: Any, text: str) -> None:
        axis.has_title = bool(text)
        if text:
            self._run(axis.axis_title.text_frame.paragraphs[0], text, 13, SOFT)

    def _picture(self, picture: Picture) -> None:
        """Put a diagram in the centre, as large as fits and at most twice its size on a page."""
        inches = min(2 / 96, ROOM / picture.width, HIGH / picture.height)
        wide, high = picture.width * inches, picture.height * inches
        box = _Box((SLIDE_WIDE - wide) / 2, TOP + (HIGH - high) / 2, wide, high)
        drawn = self._page.shapes.add_picture(io.BytesIO(picture.png), *box.lengths())
        drawn._element._nvXxPr.cNvPr.set("descr", clean_text(picture.label))

    def _cited(self, slide: Slide) -> None:
        if slide.numbers:
            marks = " ".join(f"[{number}]" for number in slide.numbers)
            self._text(f"{self._labels.source} {marks}", _Box(MARGIN, 6.8, ROOM, 0.4), 12, SOFT)

    def _title(self, text: str, box: _Box, size: int, colour: str, numbers: Sequence[int] = ()) -> None:
        """Put the title into the placeholder for screen readers and outlines."""
        title = self._page.shapes.title
        title.left, title.top, title.width, title.height = box.lengths()
        title.text_frame.word_wrap = True
        title.text_frame.margin_left = 0
        title.text_frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        paragraph = title.text_frame.paragraphs[0]
        paragraph.alignment = PP_ALIGN.LEFT
        for place, line in enumerate(text.split("\v")):
            if place:
                paragraph.add_line_break()
            self._run(paragraph, line, size, colour, bold=True)
        if numbers:
            self._run(paragraph, "".join(f"\u00a0[{number}]" for number in numbers), 12, colour)

    def _text(self, text: str, box: _Box, size: int, colour: str, *, bold: bool = False, middle: bool = False) -> None:
        frame = self._page.shapes.add_textbox(*box.lengths()).text_frame
        frame.word_wrap = True
        frame.vertical_anchor = MSO_ANCHOR.MIDDLE if middle else MSO_ANCHOR.TOP
        frame.margin_left = 0
        self._run(frame.paragraphs[0], text, size, colour, bold=bold)

    def _run(self, paragraph: Any, text: str, size: int, colour: str, *, bold: bool = False) -> None:
        run = paragraph.add_run()
        run.text = clean_text(text)
        run.font.size, run.font.bold, run.font.name = Pt(size), bold, FONT
        run.font.color.rgb = _colour(colour)
        properties = run._r.get_or_add_rPr()
        properties.set("lang", self._language)
        east = properties.makeelement(qn("a:ea"), {"typeface": CHINESE_FONT})
        properties.append(east)


def _format_axis(drawn: Any, chart: Chart) -> None:
    """Format the axis of a chart's values, which begins at zero below bars."""
    if chart.type not in {"bar", "line"}:
        return
    values = list(chain.from_iterable(series.values for series in chart.series))
    drawn.value_axis.tick_labels.number_format = INTEGER if max(map(abs, values)) >= MIN_ROUND else "General"
    drawn.value_axis.tick_labels.number_format_is_linked = False
    if chart.type == "bar" and min(values) >= 0:
        drawn.value_axis.minimum_scale = 0
    drawn.category_axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    drawn.value_axis.major_gridlines.format.line.color.rgb = _colour(LINE)


def _workbook(chart: Chart) -> bytes:
    """Return the workbook of a chart in the layout of python-pptx, which would write labels as formulas and links."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Sheet1"
    for row, category in enumerate(chart.categories, 2):
        _write_text(sheet.cell(row, 1), category)
    top = 1
    for column, series in enumerate(chart.series, 2):
        is_scatter = chart.type == "scatter"
        _write_text(sheet.cell(top, 2 if is_scatter else column), series.name or chart.title)
        for row, value in enumerate(series.values, 2):
            sheet.cell(row, column, value)
        for row, (x, y) in enumerate(series.points, top + 1):
            sheet.cell(row, 1, x)
            sheet.cell(row, 2, y)
        top += len(series.points) + 2 if is_scatter else 0
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _write_text(cell: Any, text: str) -> None:
    """Write a text into a cell, also one that begins as a formula does."""
    cell.value = clean_text(text)
    cell.data_type = "s"


def _write_plainly(series: Any, values: Sequence[float]) -> None:
    """Label each number of a chart separately: integers have no decimals beside numbers with decimals."""
    for place, value in enumerate(values):
        label = series.points[place].data_label._get_or_add_dLbl()
        written = {"formatCode": INTEGER if value.is_integer() else DECIMAL, "sourceLinked": "0"}
        label.find(qn("c:idx")).addnext(label.makeelement(qn("c:numFmt"), written))


def _colour(name: str) -> Any:
    return RGBColor.from_string(name)
