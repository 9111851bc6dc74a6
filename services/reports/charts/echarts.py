"""Charts as ECharts draws them in a page: options made field by field, so that no string of a model becomes code, and the script in known builds."""

import hashlib
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

from schemas.chart import Chart

KNOWN = {
    "e84270bd0cd5bdf60fefc26d00c2a391cb2e81f4d26a7a9ee16185a54773a3cf",  # 5.5.1, in the package vizly
}
"""SHA-256 of builds that may be embedded in a report: only reviewed scripts run in a page."""
PALETTE = ["#12759a", "#cf7a24", "#5b8c5a", "#9a5b8f", "#b5493b", "#6b7fa8", "#8a7d3b", "#6e6e6e"]
"""Colours that colour-blind readers can distinguish; each has a contrast of at least 3:1 on the light and dark sheet."""

MAX_LABELLED = 12
"""Maximum number of bars with a number beside each."""


@cache
def echarts_script() -> str:
    """Return ECharts as script; empty if no known build is installed."""
    carrier = importlib.util.find_spec("vizly")
    if carrier is None or not carrier.origin:
        return ""
    data = (Path(carrier.origin).parent / "assets" / "echarts.min.js").read_bytes()
    return data.decode() if hashlib.sha256(data).hexdigest() in KNOWN else ""


def options(chart: Chart) -> dict[str, Any]:
    """Return the ECharts options of a chart; the page shows its title and data table."""
    common: dict[str, Any] = {
        "color": PALETTE,
        "animation": False,
        "backgroundColor": "transparent",
        "aria": {"enabled": True},
        "textStyle": {"fontFamily": "inherit"},
        "tooltip": {
            "trigger": "axis" if chart.type in {"bar", "line"} else "item",
            "renderMode": "richText",
            "confine": True,
        },
    }
    named = [series.name for series in chart.series if series.name]
    if len(named) > 1 or chart.type == "pie":
        common["legend"] = {"type": "scroll", "bottom": 0, "left": "center"}
    if chart.type == "pie":
        return {**common, "series": [_pie(chart)]}
    room = {"left": 12, "right": 24, "top": 36, "bottom": 44 if "legend" in common else 16, "containLabel": True}
    return {
        **common,
        "grid": room,
        **_axes(chart),
        "series": [_series(chart, place) for place in range(len(chart.series))],
    }


def _pie(chart: Chart) -> dict[str, Any]:
    data = [
        {"name": name, "value": value} for name, value in zip(chart.categories, chart.series[0].values, strict=True)
    ]
    return {
        "type": "pie",
        "radius": ["28%", "54%"],
        "center": ["50%", "45%"],
        "avoidLabelOverlap": True,
        "data": data,
        "label": {"overflow": "break", "formatter": "{b}\n{c}"},
        "labelLine": {"length": 8, "length2": 6},
    }


def _axes(chart: Chart) -> dict[str, Any]:
    value = {"type": "value", "name": chart.unit, "nameLocation": "end", "scale": chart.type != "bar"}
    if chart.type == "scatter":
        across = {"type": "value", "name": chart.x_unit, "nameLocation": "middle", "nameGap": 28, "scale": True}
        return {"xAxis": across, "yAxis": value}
    labels = {
        "hideOverlap": True,
        "width": 110,
        "overflow": "break",
        "interval": 0 if len(chart.categories) <= 8 else "auto",
    }
    category = {"type": "category", "data": chart.categories, "axisLabel": labels}
    if _lies(chart):
        return {"yAxis": {**category, "inverse": True}, "xAxis": value}
    return {"xAxis": category, "yAxis": value}


def _lies(chart: Chart) -> bool:
    """Tell whether bars are horizontal: there are many, or their names are long."""
    return chart.type == "bar" and (len(chart.categories) > 8 or max(map(len, chart.categories)) > 24)


def _series(chart: Chart, place: int) -> dict[str, Any]:
    series = chart.series[place]
    drawn: dict[str, Any] = {"type": chart.type, "name": series.name}
    if chart.type == "scatter":
        return {**drawn, "symbolSize": 9, "data": [list(point) for point in series.points]}
    drawn["data"] = series.values
    if chart.type == "bar":
        drawn["barMaxWidth"] = 48
        if len(chart.series) * len(chart.categories) <= MAX_LABELLED:
            above, below = ("right", "left") if _lies(chart) else ("top", "bottom")
            drawn["label"] = {"show": True, "position": above}
            drawn["data"] = [
                {"value": value, "label": {"position": below}} if value < 0 else value for value in series.values
            ]
    return drawn
