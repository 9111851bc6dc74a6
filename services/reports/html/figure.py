"""A chart in a page: drawn by ECharts or as SVG, always with its numbers as a table."""

from markupsafe import Markup

from schemas.chart import Chart
from services.reports.charts.checks import format_number
from services.reports.charts.svg import chart_svg
from services.reports.labels import Labels


def figure(chart: Chart, place: int, labels: Labels, cited: Markup, *, with_echarts: bool) -> Markup:
    """Return the figure of a chart.

    Args:
        chart: checked data.
        place: its number in the page, by which the script finds its options.
        labels: in the reader's language.
        cited: its citations, rendered.
        with_echarts: leave the drawing to the page's script.
    """
    label = f"{chart.title}{f' ({chart.unit})' if chart.unit else ''}"
    if with_echarts:
        plot = Markup('<div class="plot" data-chart="{}" role="img" aria-label="{}"></div>').format(place, label)
    else:
        drawn = chart_svg(chart)
        plot = (
            Markup('<p class="note">{}</p>').format(labels.needs_charts)
            if drawn is None
            else Markup('<div class="plot still" role="img" aria-label="{}">{}</div>').format(label, drawn)
        )
    opened = Markup(" open") if "note" in plot else ""
    return Markup(
        '<figure class="chart" id="chart-{}"><figcaption>{} {}</figcaption>{}<details{}><summary>{}</summary>{}</details></figure>'
    ).format(place, label, cited, plot, opened, labels.data, data_table(chart, labels))


def data_rows(chart: Chart, labels: Labels) -> list[list[str]]:
    """Return a chart's numbers as rows of a table, the header first."""
    unit = f" ({chart.unit})" if chart.unit else ""
    if chart.type == "scatter":
        rows = [["", chart.x_unit or "x", chart.unit or "y"]]
        return rows + [
            [series.name, format_number(x), format_number(y)] for series in chart.series for x, y in series.points
        ]
    header = [labels.category, *(f"{series.name or chart.title}{unit}" for series in chart.series)]
    values = zip(*(series.values for series in chart.series), strict=True)
    return [header, *([name, *map(format_number, row)] for name, row in zip(chart.categories, values, strict=True))]


def data_table(chart: Chart, labels: Labels) -> Markup:
    """Return a chart's numbers as an HTML table."""
    header, *rows = data_rows(chart, labels)
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(cell) for cell in header)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(cell) for cell in row))
        for row in rows
    )
    return Markup(
        '<div class="scroll" tabindex="0"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(head, body)
