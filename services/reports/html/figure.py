"""Renders a chart in a page: by ECharts or as SVG, always with a table of its numbers."""

from collections.abc import Sequence

from markupsafe import Markup

from schemas.chart import Chart
from services.reports.charts.svg import chart_svg
from services.reports.charts.written import chart_rows, with_unit
from services.reports.columns import column_widths, largest_size
from services.reports.document import number_sides
from services.reports.labels import Labels

PRINT_SIZES, PRINT_ROOM, PRINT_CELL = (10, 9, 8, 7, 6), 6.85, 0.17
"""Font sizes of tables on paper in points, as `page.css` names them; a table's width there, and the blank beside the text of a cell, in inches."""

LONG = 12
"""Categories of a bar chart above which it is drawn higher, so that each has its name."""


def figure(chart: Chart, place: int, labels: Labels, cited: Markup, *, with_echarts: bool) -> Markup:
    """Return the figure of a chart with its rendered citations; the other arguments are those of `drawing`."""
    label = with_unit(chart.title, chart.unit)
    plot = drawing(chart, place, label, with_echarts=with_echarts)
    if plot is None:
        plot = Markup('<p class="note">{}</p>').format(labels.needs_charts)
    header, *rows = chart_rows(chart)
    opened = Markup(" open") if "note" in plot else ""
    return Markup(
        '<figure class="chart" id="chart-{}"><figcaption>{} {}</figcaption>{}<details{}><summary>{}</summary>{}</details></figure>'
    ).format(place, label, cited, plot, opened, labels.data, table(header, rows, number_sides(rows)))


def drawing(
    chart: Chart, place: int, label: str, *, with_echarts: bool, width: int = 600, height: int = 300
) -> Markup | None:
    """Return a chart's element for the page's script, which finds its options by its place, or its drawing; None if it cannot be drawn.

    The label is for screen readers; a drawing has its width and height in CSS pixels.
    """
    if with_echarts:
        shape = "plot long" if len(chart.categories) > LONG and chart.type == "bar" else "plot"
        plot = Markup('<div class="{}" data-chart="{}" role="img" aria-label="{}"></div>')
        return plot.format(shape, place, label)
    svg = chart_svg(chart, width=width, height=height)
    plot = Markup('<div class="plot still" role="img" aria-label="{}">{}</div>')
    return None if svg is None else plot.format(label, svg)


def table(
    header: Sequence[object],
    rows: Sequence[Sequence[object]],
    sides: Sequence[str] = (),
    texts: Sequence[Sequence[str]] = (),
) -> Markup:
    """Return an HTML table with the alignment of each column, or an empty text; its cells are escaped unless they are `Markup`.

    Widths and font size on paper follow from `texts`, the words of the cells, the header first; by default these are the cells.
    """
    classes = [Markup(' class="align-{}"').format(side) if side else "" for side in sides or [""] * len(header)]
    head = map(Markup('<th scope="col"{}>{}</th>').format, classes, header)
    cells = (Markup("").join(map(Markup("<td{}>{}</td>").format, classes, row)) for row in rows)
    texts = texts or [[str(cell) for cell in row] for row in (header, *rows)]
    size = largest_size(texts, PRINT_SIZES, PRINT_ROOM, PRINT_CELL)
    shares = (100 * wide / PRINT_ROOM for wide in column_widths(texts, size, PRINT_ROOM, PRINT_CELL))
    return Markup(
        '<div class="scroll" tabindex="0"><table class="pt-{}"><colgroup>{}</colgroup><thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(
        size,
        Markup("").join(map(Markup('<col width="{:.1f}%">').format, shares)),
        Markup("").join(head),
        Markup("\n").join(map(Markup("<tr>{}</tr>").format, cells)),
    )
