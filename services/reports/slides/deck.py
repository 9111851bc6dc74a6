"""The deck as one HTML file: 16:9, navigated by buttons or keys or played automatically, printed one slide per page."""

import itertools

from markupsafe import Markup

from services.reports.charts.echarts import echarts_script
from services.reports.document import ParsedReport
from services.reports.formulas import fitting, mathml, plain_math
from services.reports.html.blocks import unbroken
from services.reports.html.figure import drawing
from services.reports.html.page import render_page
from services.reports.slides.slide import BESIDE, ROOM, TITLE, ShownCard, Slide, shortened, table_columns, value_size
from services.reports.slides.slide_outline import SINGLE_COLUMN, outline
from services.reports.statuses import SIGNS

CARD_EDGES = 0.5
"""Border and blank of a card at its left and right together in inches."""


def render_deck(report: ParsedReport) -> str:
    """Render a report as an HTML deck, in which ECharts draws the charts if it is installed."""
    slides = outline(report)
    charts = [slide.chart for slide in slides if slide.chart is not None]
    library = echarts_script() if charts else ""
    titles = [shortened(slide.title, 2 * TITLE if slide.kind == "cover" else TITLE) for slide in slides]
    return render_page(
        "slides/deck",
        report,
        library,
        charts,
        slides=[*zip(slides, map(_size, slides), titles, strict=True)],
        drawings=_drawings(slides, with_echarts=bool(library)),
        shown=_card_text,
        unbroken=unbroken,
        widths=table_columns,
        value_size=value_size,
        single=SINGLE_COLUMN,
        signs=SIGNS,
    )


def _card_text(card: ShownCard, slide: Slide) -> Markup:
    """Return a card's HTML: formulas rendered as large as they fit, or in one line where they fit at no size; other text escaped."""
    if card.kind != "formula":
        return unbroken(card.text)
    wide = BESIDE if slide.chart is not None else ROOM
    size = fitting(card.text, (wide - CARD_EDGES) * 72 / slide.text_size)
    if not size:
        return Markup("{}").format(plain_math(card.text))
    return Markup('<span class="fit-{}">{}</span>').format(size, mathml(card.text, display=True))


def _size(slide: Slide) -> str:
    return "long" if len(slide.title.encode("gbk", "replace")) > TITLE else "short"


def _drawings(slides: list[Slide], *, with_echarts: bool) -> dict[int, Markup]:
    """Return the drawings of slides with a chart or diagram by index; a table if a chart cannot be drawn."""
    drawn: dict[int, Markup] = {}
    charts = itertools.count()
    for place, slide in enumerate(slides):
        if slide.picture is not None:
            svg = Markup(slide.picture.svg)  # noqa: S704 - a cleaned drawing
            diagram = Markup('<div class="diagram" role="img" aria-label="{}">{}</div>')
            drawn[place] = diagram.format(slide.picture.label, svg)
        if slide.chart is not None:
            label, width = slide.caption or slide.title, 600 if slide.cards else 900
            plot = drawing(slide.chart, next(charts), label, with_echarts=with_echarts, width=width, height=380)
            if plot is not None:
                drawn[place] = plot
    return drawn
