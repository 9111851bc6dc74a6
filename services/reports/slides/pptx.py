"""The deck as PowerPoint: native text, tables and charts, and the sources of each slide in its notes."""

import io
import re
from typing import TYPE_CHECKING, Any

from schemas.chart import Chart
from services.reports.charts.options import PALETTE
from services.reports.document import ParsedReport, Picture, words
from services.reports.plain_math import plain_math
from services.reports.slides.outline import Card, Slide, outline
from services.reports.slides.text_fit import TITLE, shortened, width
from services.reports.ui_labels import Words, language_of, words_for

if TYPE_CHECKING:
    from pptx.slide import Slide as PowerPointSlide

WIDE, HIGH = 13.333, 7.5
"""Of a slide, in inches: 16:9."""
MARGIN, TOP, BOTTOM = 0.67, 1.75, 6.9
GAP = 0.27
INK, SOFT, ACCENT, WARN, PAPER, SHEET, LINE = "1B2430", "55606E", "0B5C77", "8A4B00", "FBFAF7", "FFFFFF", "DCDFE3"
WARN_SOFT = "FDF0DC"
FONT, CHINESE_FONT = "Segoe UI", "Microsoft YaHei"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render_pptx(report: ParsedReport) -> bytes:
    """Render a report as a PowerPoint file; needs the package `python-pptx`."""
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(WIDE), Inches(HIGH)
    deck.core_properties.title = _clean(words(report.title))[:250]
    deck.core_properties.author = "Leadline"
    deck.core_properties.language = language_of(report.locale)
    writer = _Writer(deck, words_for(report.locale), language_of(report.locale))
    for slide in outline(report):
        writer.add(slide)
    data = io.BytesIO()
    deck.save(data)
    return data.getvalue()


def _clean(text: str) -> str:
    """Take out what XML cannot hold."""
    return _CONTROL.sub("", text)


class _Writer:
    def __init__(self, deck: Any, say: Words, language: str) -> None:
        self._deck, self._say, self._language = deck, say, language
        self._page: PowerPointSlide | Any = None

    def add(self, slide: Slide) -> None:
        self._page = self._deck.slides.add_slide(self._deck.slide_layouts[5])  # a title and nothing else
        dark = slide.kind in {"cover", "divider", "end"}
        self._page.background.fill.solid()
        self._page.background.fill.fore_color.rgb = _colour(ACCENT if dark else PAPER)
        if dark:
            self._dark(slide)
        else:
            self._title(shortened(slide.title, TITLE), MARGIN, 0.45, WIDE - 2 * MARGIN, 1.1, 27, ACCENT)
            self._content(slide)
        if slide.notes:
            self._page.notes_slide.notes_text_frame.text = _clean("\n".join([self._say.notes, *slide.notes]))

    def _content(self, slide: Slide) -> None:
        if slide.kind == "contents":
            self._contents(slide)
        elif slide.kind == "cards":
            self._cards(slide)
        elif slide.kind == "chart" and slide.chart is not None:
            self._chart(slide.chart)
            self._cited(slide)
        elif slide.picture is not None:
            self._picture(slide.picture)
        else:
            self._table(slide.rows)
            self._cited(slide)

    def _dark(self, slide: Slide) -> None:
        size = {"cover": 46, "divider": 42, "end": 42}[slide.kind]
        if width(slide.title) > TITLE:
            size = 32
        if slide.kind == "divider":
            self._text(slide.subtitle, MARGIN, 2.0, 3, 1.2, 66, SHEET, bold=True)
        self._title(
            self._broken(shortened(slide.title, 2 * TITLE)),
            MARGIN,
            2.2 if slide.kind == "cover" else 3.2,
            WIDE - 2 * MARGIN,
            1.9,
            size,
            SHEET,
        )
        if slide.kind != "divider" and slide.subtitle:
            self._text(
                shortened(slide.subtitle, 300), MARGIN, 4.5 if slide.kind == "cover" else 5.1, 11, 1.5, 20, SHEET
            )
        if slide.kind == "cover":
            self._text(" · ".join(filter(None, slide.rows[0])), MARGIN, 6.6, 8, 0.5, 15, SHEET)

    @staticmethod
    def _broken(title: str) -> str:
        """Break a long Chinese title behind its colon: PowerPoint breaks Chinese lines anywhere."""
        before, colon, after = title.partition("：")
        return f"{before}{colon}\v{after}" if colon and width(title) > 36 and width(after) <= 40 else title

    def _contents(self, slide: Slide) -> None:
        for place, (number, entry) in enumerate(slide.rows):
            left = MARGIN + (place % 2) * 6.1
            top = TOP + (place // 2) * 0.98
            self._text(number, left, top, 0.6, 0.5, 22, ACCENT, bold=True)
            self._text(entry, left + 0.6, top + 0.03, 5.3, 0.85, 18, INK)

    def _cards(self, slide: Slide) -> None:
        cards = slide.cards
        columns = {1: 1, 2: 2, 3: 3, 4: 2}[len(cards)]
        rows = -(-len(cards) // columns)
        wide = (WIDE - 2 * MARGIN - (columns - 1) * GAP) / columns
        high = (BOTTOM - TOP - (rows - 1) * GAP) / rows
        size = (22 if columns == 3 else 24) if slide.few else 21 if len(cards) == 1 else 18
        high = min(high, max(2.1, *(self._needed(card, wide, size) for card in cards), 0))
        for place, card in enumerate(cards):
            left = MARGIN + (place % columns) * (wide + GAP)
            self._card(card, left, TOP + (place // columns) * (high + GAP), wide, high, size)

    def _needed(self, card: Card, wide: float, size: int) -> float:
        """Return how high a card has to be, in inches, rather too high than too low."""
        points = 14 if card.kind == "code" else size
        line = max(8.0, (wide - 0.5) * 72 / (points * 0.56))
        lines = sum(max(1, -(-(width(one) + 6 * len(card.numbers)) // line)) for one in card.text.split("\n"))
        return float(lines * points * 1.3 / 72 + (0.65 if card.heading else 0) + 0.7)

    def _card(self, card: Card, left: float, top: float, wide: float, high: float, size: int) -> None:
        from pptx.enum.shapes import MSO_SHAPE
        from pptx.enum.text import MSO_ANCHOR
        from pptx.util import Inches

        box = self._page.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(left), Inches(top), Inches(wide), Inches(high))
        box.shadow.inherit = False
        box.fill.solid()
        box.fill.fore_color.rgb = _colour(WARN_SOFT if card.kind == "quote" else SHEET)
        box.line.color.rgb = _colour(WARN if card.kind == "quote" else LINE)
        frame = box.text_frame
        frame.word_wrap = True
        frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        frame.margin_left = frame.margin_right = Inches(0.22)
        paragraph = frame.paragraphs[0]
        if card.heading:
            self._run(paragraph, card.heading, 30, ACCENT, bold=True)
            paragraph = frame.add_paragraph()
        lines = (plain_math(card.text) if card.kind == "formula" else card.text).split("\n")
        for line in lines:
            self._run(paragraph, line, 14 if card.kind == "code" else size, INK)
            if line is not lines[-1]:
                paragraph = frame.add_paragraph()
        marks = "".join(f" [{number}]" for number in card.numbers)
        if marks:
            self._run(paragraph, marks, 12, ACCENT)
        if card.unverified:
            self._run(paragraph, " ⚠", 14, WARN)
        for one in frame.paragraphs:
            one.alignment = 1  # left

    def _table(self, rows: tuple[tuple[str, ...], ...]) -> None:
        from pptx.util import Inches

        shown = rows[:14]
        columns = len(shown[0])
        wide = WIDE - 2 * MARGIN
        frame = self._page.shapes.add_table(
            len(shown), columns, Inches(MARGIN), Inches(TOP), Inches(wide), Inches(0.34 * len(shown))
        )
        for place, row in enumerate(shown):
            for at, text in enumerate(row):
                cell = frame.table.cell(place, at)
                cell.margin_top = cell.margin_bottom = Inches(0.03)
                cell.fill.solid()
                cell.fill.fore_color.rgb = _colour(ACCENT if place == 0 else SHEET)
                self._run(cell.text_frame.paragraphs[0], text, 15, SHEET if place == 0 else INK, bold=place == 0)

    def _chart(self, chart: Chart) -> None:
        from pptx.chart.data import CategoryChartData, XyChartData
        from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION
        from pptx.util import Inches, Pt

        kinds = {
            "bar": XL_CHART_TYPE.COLUMN_CLUSTERED,
            "line": XL_CHART_TYPE.LINE_MARKERS,
            "pie": XL_CHART_TYPE.PIE,
            "scatter": XL_CHART_TYPE.XY_SCATTER,
        }
        data: Any
        if chart.type == "scatter":
            data = XyChartData()
            for one in chart.series:
                points = data.add_series(_clean(one.name) or _clean(chart.title))
                for x, y in one.points:
                    points.add_data_point(x, y)
        else:
            data = CategoryChartData()
            data.categories = [_clean(category) for category in chart.categories]
            for one in chart.series:
                data.add_series(_clean(one.name) or _clean(chart.title), one.values)
        place = (Inches(MARGIN), Inches(TOP), Inches(WIDE - 2 * MARGIN), Inches(4.75))
        drawn = self._page.shapes.add_chart(kinds[chart.type], *place, data).chart
        drawn.has_title = False
        drawn.has_legend = len(chart.series) > 1 or chart.type == "pie"
        if drawn.has_legend:
            drawn.legend.position, drawn.legend.include_in_layout = XL_LEGEND_POSITION.BOTTOM, False
        drawn.font.size, drawn.font.name = Pt(14), FONT
        plot = drawn.plots[0]
        if chart.type != "scatter" and len(chart.series) * len(chart.categories) <= 12:
            plot.has_data_labels = True
            plot.data_labels.show_value = True
            plot.data_labels.number_format, plot.data_labels.number_format_is_linked = _written(chart), False
        if chart.type in {"bar", "line"}:
            drawn.value_axis.tick_labels.number_format = _written(chart)
            drawn.value_axis.tick_labels.number_format_is_linked = False
            drawn.value_axis.major_gridlines.format.line.color.rgb = _colour(LINE)
        parts = (
            [plot.series[0].points[place] for place in range(len(chart.categories))]
            if chart.type == "pie"
            else plot.series
        )
        for one, colour in zip(parts, PALETTE, strict=False):
            if chart.type in {"bar", "pie"}:
                one.format.fill.solid()
                one.format.fill.fore_color.rgb = _colour(colour[1:].upper())

    def _picture(self, picture: Picture) -> None:
        """Put a diagram in the middle, as large as fits and at most twice as large as on a page."""
        from pptx.util import Inches

        room = WIDE - 2 * MARGIN, BOTTOM - TOP
        inches = min(2 / 96, room[0] / picture.width, room[1] / picture.height)
        wide, high = picture.width * inches, picture.height * inches
        left, top = (WIDE - wide) / 2, TOP + (room[1] - high) / 2
        drawn = self._page.shapes.add_picture(
            io.BytesIO(picture.png), Inches(left), Inches(top), Inches(wide), Inches(high)
        )
        drawn._element._nvXxPr.cNvPr.set("descr", _clean(picture.label))

    def _cited(self, slide: Slide) -> None:
        if slide.numbers:
            marks = " ".join(f"[{number}]" for number in slide.numbers)
            self._text(f"{self._say.source} {marks}", MARGIN, 6.8, WIDE - 2 * MARGIN, 0.4, 12, SOFT)

    def _title(self, text: str, left: float, top: float, wide: float, high: float, size: int, colour: str) -> None:
        """Put the title where screen readers and outlines look for it."""
        from pptx.enum.text import MSO_ANCHOR
        from pptx.util import Inches

        title = self._page.shapes.title
        title.left, title.top, title.width, title.height = Inches(left), Inches(top), Inches(wide), Inches(high)
        title.text_frame.word_wrap = True
        title.text_frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        paragraph = title.text_frame.paragraphs[0]
        paragraph.alignment = 1  # left
        for place, line in enumerate(text.split("\v")):
            if place:
                paragraph.add_line_break()
            self._run(paragraph, line, size, colour, bold=True)

    def _text(
        self,
        text: str,
        left: float,
        top: float,
        wide: float,
        high: float,
        size: int,
        colour: str,
        *,
        bold: bool = False,
    ) -> None:
        from pptx.util import Inches

        frame = self._page.shapes.add_textbox(Inches(left), Inches(top), Inches(wide), Inches(high)).text_frame
        frame.word_wrap = True
        self._run(frame.paragraphs[0], text, size, colour, bold=bold)

    def _run(self, paragraph: Any, text: str, size: int, colour: str, *, bold: bool = False) -> None:
        from pptx.oxml.ns import qn
        from pptx.util import Pt

        run = paragraph.add_run()
        run.text = _clean(text)
        run.font.size, run.font.bold, run.font.name = Pt(size), bold, FONT
        run.font.color.rgb = _colour(colour)
        properties = run._r.get_or_add_rPr()
        properties.set("lang", self._language)
        east = properties.makeelement(qn("a:ea"), {"typeface": CHINESE_FONT})
        properties.append(east)


def _written(chart: Chart) -> str:
    """Return how the numbers of a chart are written, as Excel says it."""
    whole = all(value.is_integer() for one in chart.series for value in one.values)
    return "#,##0" if whole else "#,##0.0##"


def _colour(name: str) -> Any:
    from pptx.dml.color import RGBColor

    return RGBColor.from_string(name)
