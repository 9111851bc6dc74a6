"""Charts as ECharts draws them in a page: options made field by field, so that no string of a model becomes code, and the script in known builds."""

import hashlib
import importlib.util
from functools import cache
from pathlib import Path
from textwrap import fill
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
MAX_NUMBERS = 64
"""Maximum characters of all numbers above the bars of a wide chart; longer ones stand beside horizontal bars."""
NUMBER_WIDE = 10
"""Width in CSS pixels of a character of a number, at the largest font."""
MAX_LISTED = 6
"""Maximum entries of a legend in a narrow chart that are listed below each other; more are turned over."""
LETTER_WIDE = 7
"""Width in CSS pixels of a letter in the names at an axis; they are broken between words here, as ECharts breaks `10,984` behind its comma."""
LEGEND_ROW = 28
"""Height of a legend's entry in CSS pixels, at the largest font."""


@cache
def echarts_script() -> str:
    """Return ECharts as script; empty if no known build is installed."""
    carrier = importlib.util.find_spec("vizly")
    if carrier is None or not carrier.origin:
        return ""
    data = (Path(carrier.origin).parent / "assets" / "echarts.min.js").read_bytes()
    return data.decode() if hashlib.sha256(data).hexdigest() in KNOWN else ""


def options(chart: Chart) -> list[dict[str, Any]]:
    """Return the ECharts options of a chart, for a wide and for a narrow plot; the page shows its title and data table."""
    return [_options(chart, narrow=narrow) for narrow in (False, True)]


def _options(chart: Chart, *, narrow: bool) -> dict[str, Any]:
    trigger = "axis" if chart.type in {"bar", "line"} else "item"
    common: dict[str, Any] = {
        "color": PALETTE,
        "animation": False,
        "backgroundColor": "transparent",
        "aria": {"enabled": True},
        "textStyle": {"fontFamily": "inherit"},
        "tooltip": {"trigger": trigger, "renderMode": "richText", "confine": True},
    }
    named = chart.categories if chart.type == "pie" else [series.name for series in chart.series if series.name]
    legend = 0
    if len(named) > 1 or chart.type == "pie":
        listed = narrow and len(named) <= MAX_LISTED
        common["legend"] = {"type": "scroll", "bottom": 0, "left": "center"}
        if listed:
            common["legend"]["orient"] = "vertical"
        legend = LEGEND_ROW * (len(named) if listed else 1)
    if chart.type == "pie":
        return {**common, "series": [_pie(chart, legend, narrow=narrow)]}
    lies = _lies(chart, narrow=narrow)
    beside = NUMBER_WIDE * max(map(len, _numbers(chart)), default=0) if lies else 0
    below = 44 if lies and chart.unit else 16
    left = (
        (28 if narrow else "5%") if lies else 12
    )  # names that are broken into lines may be wider than ECharts counts, in some fonts
    room = {"left": left, "right": 24 + beside, "top": 36, "bottom": below + legend, "containLabel": True}
    return {
        **common,
        "grid": room,
        **_axes(chart, lies=lies, narrow=narrow),
        "series": [_series(chart, place, lies=lies) for place in range(len(chart.series))],
    }


def _pie(chart: Chart, legend: int, *, narrow: bool) -> dict[str, Any]:
    parts = zip(chart.categories, chart.series[0].values, strict=True)
    return {
        "type": "pie",
        "radius": ["28%", "54%"],
        "bottom": legend,
        "avoidLabelOverlap": True,
        "data": [{"name": name, "value": value} for name, value in parts],
        "label": {"formatter": "{c}" if narrow else "{b}\n{c}", "width": 140, "overflow": "break"},
        "labelLine": {"length": 8, "length2": 6},
    }


def _axes(chart: Chart, *, lies: bool, narrow: bool) -> dict[str, Any]:
    value: dict[str, Any] = {
        "type": "value",
        "name": chart.unit,
        "nameLocation": "middle" if lies else "end",
        "nameGap": 32 if lies else 15,
        "scale": chart.type != "bar",
        "splitNumber": 3 if lies and narrow else 5,
        "axisLabel": {"hideOverlap": True},
    }
    if chart.type == "scatter":
        across = {"type": "value", "name": chart.x_unit, "nameLocation": "middle", "nameGap": 28, "scale": True}
        return {"xAxis": across, "yAxis": value}
    beside = 120 if narrow else 190  # pixels: there long names take two lines, not four
    width = beside if lies else 110
    most = width // LETTER_WIDE
    names = [fill(name, most, break_long_words=False, break_on_hyphens=False) for name in chart.categories]
    labels: dict[str, Any] = {"hideOverlap": True, "interval": 0 if lies or len(chart.categories) <= 8 else "auto"}
    if any(len(word.encode("gbk", "replace")) > most for name in names for word in name.split()):
        labels |= {"width": width, "overflow": "break"}  # a long word, or Chinese
    category = {"type": "category", "data": names, "axisLabel": labels}
    if below := [len(number) for number in _numbers(chart) if number.startswith("-")]:
        value["boundaryGap"] = [f"{max(below) * (14 if narrow else 3)}%" if lies else "10%", 0]
    if lies:
        return {"yAxis": {**category, "inverse": True}, "xAxis": value}
    return {"xAxis": category, "yAxis": value}


def _lies(chart: Chart, *, narrow: bool) -> bool:
    return chart.type == "bar" and (
        narrow
        or len(chart.categories) > 8
        or max(map(len, chart.categories)) > 24
        or sum(len(number) + 1 for number in _numbers(chart)) > MAX_NUMBERS
    )


def _numbers(chart: Chart) -> list[str]:
    """Return the numbers to print beside the bars of a chart; none if there are many."""
    if chart.type != "bar" or len(chart.series) * len(chart.categories) > MAX_LABELLED:
        return []
    return [_number(value) for series in chart.series for value in series.values]


def _number(value: float) -> str:
    return f"{value:,.10f}".rstrip("0").rstrip(".")


def _series(chart: Chart, place: int, *, lies: bool) -> dict[str, Any]:
    series = chart.series[place]
    drawn: dict[str, Any] = {"type": chart.type, "name": series.name}
    if chart.type == "scatter":
        return {**drawn, "symbolSize": 9, "data": [list(point) for point in series.points]}
    drawn["data"] = series.values
    if chart.type == "bar":
        drawn["barMaxWidth"] = 48 if len(chart.series) == 1 else 72
        if _numbers(chart):
            above, below = ("right", "left") if lies else ("top", "bottom")
            drawn |= {"label": {"show": True}, "labelLayout": {"hideOverlap": True}}
            drawn["data"] = [
                {"value": value, "label": {"formatter": _number(value), "position": below if value < 0 else above}}
                for value in series.values
            ]
    return drawn
