"""The deck as one HTML file: 16:9, navigated by buttons or keys or played automatically, printed one slide per page."""

import itertools

from markupsafe import Markup

from services.reports.charts.echarts import echarts_script, options
from services.reports.document import ParsedReport, words
from services.reports.html.figure import drawing
from services.reports.html.page import asset, data_block, environment, page_parts
from services.reports.html.sanitised import mathml
from services.reports.labels import labels_for, language_of
from services.reports.slides.slide import TITLE, ShownCard, Slide, shortened, table_columns, value_size
from services.reports.slides.slide_outline import SINGLE_COLUMN, outline
from services.reports.statuses import SIGNS
from services.text.languages import direction


def render_deck(report: ParsedReport, *, interactive: bool = True) -> str:
    """Render a report as an HTML deck.

    Args:
        report: the parsed report.
        interactive: whether ECharts draws the charts, if installed; otherwise they are drawings.
    """
    slides = outline(report)
    charts = [slide.chart for slide in slides if slide.chart is not None]
    library = echarts_script() if interactive and charts else ""
    scripts = [script for script in (library, asset("slides/deck.js")) if script]
    return (
        environment()
        .get_template("slides/deck.html.j2")
        .render(
            slides=[
                (slide, _size(slide), shortened(slide.title, 2 * TITLE if slide.kind == "cover" else TITLE))
                for slide in slides
            ],
            drawings=_drawings(slides, with_echarts=bool(library)),
            shown=_card_text,
            widths=table_columns,
            value_size=value_size,
            single=SINGLE_COLUMN,
            signs=SIGNS,
            title=words(report.title),
            language=language_of(report.locale),
            direction=direction(words(report.title)),
            labels=labels_for(report.locale),
            data=data_block([options(chart) for chart in charts] if library else []),
            **page_parts([asset("html/tokens.css"), asset("slides/deck.css")], scripts),
        )
    )


def _card_text(card: ShownCard) -> Markup:
    """Return a card's HTML: formulas rendered, other text escaped."""
    return mathml(card.text, display=True) if card.kind == "formula" else Markup("{}").format(card.text)


def _size(slide: Slide) -> str:
    """Return the font size of a cover's title."""
    length = len(slide.title.encode("gbk", "replace"))
    return "long" if length > TITLE else "short"


def _drawings(slides: list[Slide], *, with_echarts: bool) -> dict[int, Markup]:
    """Return the drawings of slides with a chart or diagram by index; a table if a chart cannot be drawn."""
    drawn: dict[int, Markup] = {}
    charts = itertools.count()
    for place, slide in enumerate(slides):
        if slide.picture is not None:
            drawn[place] = Markup('<div class="diagram" role="img" aria-label="{}">{}</div>').format(
                slide.picture.label,
                Markup(slide.picture.svg),  # noqa: S704 - a cleaned drawing
            )
        if slide.chart is not None:
            plot = drawing(
                slide.chart,
                next(charts),
                slide.caption or slide.title,
                with_echarts=with_echarts,
                width=600 if slide.cards else 900,
                height=380,
            )
            if plot is not None:
                drawn[place] = plot
    return drawn
