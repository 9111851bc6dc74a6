"""Draws a chart as SVG by Vega-Lite without a browser: for pages without ECharts, print and slides."""

import struct
from typing import Any

from markupsafe import Markup

from schemas.chart import Chart
from services.reports.charts.echarts import MAX_LABELLED, PALETTE

PNG_SCALE = 2
NUMBERS = 28
"""Room for numbers around a pie, or left of bars, in CSS pixels."""
FONT = "system-ui, Noto Sans CJK SC, Noto Sans SC, Microsoft YaHei, PingFang SC, sans-serif"


def chart_svg(chart: Chart, *, width: int = 600, height: int = 300) -> Markup | None:
    """Draw a chart with a plot of this size in CSS pixels, without axes and legend.

    Returns:
        An `svg` element without scripts, styles and links; None if the extra `charts` is not installed. No label
        becomes part of a Vega expression: descriptions for screen readers, which use expressions, are off.
    """
    try:
        import vl_convert
    except ImportError:
        return None
    drawn = vl_convert.vegalite_to_svg(specification(chart, width, height), allowed_base_urls=[])
    still = drawn.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
    return Markup(still)  # noqa: S704 - drawn from typed data; the renderer escapes text


def chart_png(chart: Chart, *, width: int = 500, height: int = 260) -> tuple[bytes, float, float] | None:
    """Draw a chart as PNG for formats without SVG; the arguments are those of `chart_svg`.

    Returns:
        PNG at twice the size, and the size in CSS pixels, axes and legend included; None if the extra `charts` is not
        installed.
    """
    try:
        import vl_convert
    except ImportError:
        return None
    spec = {**specification(chart, width, height), "background": "white"}
    data = bytes(vl_convert.vegalite_to_png(spec, scale=PNG_SCALE, allowed_base_urls=[]))
    wide, high = struct.unpack(">II", data[16:24])
    return data, wide / PNG_SCALE, high / PNG_SCALE


def specification(chart: Chart, width: int, height: int) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart, built from its data only."""
    radius = min(width, height) / 2 - NUMBERS
    colour: dict[str, Any] = {
        "field": "s",
        "type": "nominal",
        "sort": None,
        "scale": {"range": PALETTE},
        "title": None,
        "legend": None,
    }
    if chart.type == "pie" or len(chart.series) > 1:
        colour["legend"] = {"orient": "bottom", "labelLimit": 180, "columns": 4}
    if chart.type == "pie":
        encoding: dict[str, Any] = {
            "theta": {"field": "v", "type": "quantitative", "stack": True},
            "color": {**colour, "field": "c"},
            "order": {"field": "n", "type": "quantitative"},
        }
        mark: dict[str, Any] = {"type": "arc", "innerRadius": 50, "outerRadius": radius, "stroke": "#fff"}
    elif chart.type == "scatter":
        across = {"field": "x", "type": "quantitative", "title": chart.x_unit or None, "scale": {"zero": False}}
        up = {"field": "v", "type": "quantitative", "title": chart.unit or None, "scale": {"zero": False}}
        encoding = {"x": across, "y": up, "color": colour}
        mark = {"type": "point", "filled": True, "size": 60}
    else:
        encoding, mark = _by_category(chart, colour)
    return {
        "width": width,
        "height": height,
        "background": None,
        "data": {"values": _rows(chart)},
        "encoding": encoding,
        "layer": [{"mark": mark}, *_numbers(chart, radius)],
        "config": {
            "aria": False,
            "font": FONT,
            "view": {"stroke": None},
            "axis": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
            "legend": {"labelFontSize": 12, "symbolSize": 120},
        },
    }


def _by_category(chart: Chart, colour: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    lying = _lies(chart)
    axis = {"labelLimit": 220 if lying else 110, "labelAngle": 0, "labelOverlap": True}
    category = {"field": "c", "type": "nominal", "sort": None, "title": None, "axis": axis}
    beside = NUMBERS if lying and any(value < 0 for series in chart.series for value in series.values) else 0
    zero = {"zero": chart.type == "bar", "padding": beside}
    value = {"field": "v", "type": "quantitative", "title": chart.unit or None, "scale": zero}
    encoding: dict[str, Any] = {"color": colour, "y" if lying else "x": category, "x" if lying else "y": value}
    if chart.type == "bar":
        if len(chart.series) > 1:
            encoding["yOffset" if lying else "xOffset"] = {"field": "s", "sort": None}
        return encoding, {
            "type": "bar",
            **({} if len(chart.series) > 1 else {"height" if lying else "width": {"band": 0.55}}),
        }
    return encoding, {"type": "line", "point": True, "strokeWidth": 2.5}


def _lies(chart: Chart) -> bool:
    return chart.type == "bar" and (len(chart.categories) > 8 or max(map(len, chart.categories)) > 18)


def _numbers(chart: Chart, radius: float) -> list[dict[str, Any]]:
    if chart.type not in {"bar", "pie"} or len(chart.series) * len(chart.categories) > MAX_LABELLED:
        return []
    encoding = {"text": {"field": "v", "format": ",~f"}, "color": {"value": "black"}}
    if chart.type == "pie":
        return [{"mark": {"type": "text", "radius": radius + NUMBERS / 2}, "encoding": encoding}]
    above = {"align": "left", "dx": 4} if _lies(chart) else {"baseline": "bottom", "dy": -3}
    below = {"align": "right", "dx": -4} if _lies(chart) else {"baseline": "top", "dy": 3}
    return [
        {"transform": [{"filter": {"field": "v", **side}}], "mark": {"type": "text", **place}, "encoding": encoding}
        for side, place in (({"gte": 0}, above), ({"lt": 0}, below))
    ]


def _rows(chart: Chart) -> list[dict[str, Any]]:
    if chart.type == "scatter":
        return [{"s": series.name, "x": x, "v": y} for series in chart.series for x, y in series.points]
    return [
        {"s": series.name, "c": category, "v": value, "n": place}
        for series in chart.series
        for place, (category, value) in enumerate(zip(chart.categories, series.values, strict=True))
    ]
