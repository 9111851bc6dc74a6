"""Reads the charts of Office files: the numbers that they show, as tables below the titles of the chart and of its axes."""

from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from lxml import etree
from openpyxl.styles.numbers import is_date_format
from openpyxl.utils.datetime import from_excel

from services.search.files.number_formats import formatted
from services.text.tables import pipe_table

MAX_POINTS = 10_000
"""Points of a series that are read."""
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_LETTERS = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_AXES = [f"{_CHART}{name}" for name in ("catAx", "dateAx", "valAx")]
_NUMBERS = [f"{_CHART}{name}" for name in ("numCache", "numLit")]
_TEXTS = [f"{_CHART}{name}" for name in ("lvl", "strCache", "strLit")]


class _Series(NamedTuple):
    name: str
    places: Mapping[int, str]
    """What stands at the axis below each point, by the number of the point."""
    values: Mapping[int, str]


def chart_markdown(chart: etree._Element) -> str:
    """Return a chart as a table; series that stand above other places have a table of their own."""
    title = _words(chart.find(f"{_CHART}chart/{_CHART}title"))
    axes = [_words(axis.find(f"{_CHART}title")) for axis in chart.iter(*_AXES)]
    parts = [f"### Chart: {title}" if title else "### Chart", "; ".join(filter(None, axes))]
    series = [_series(element) for element in chart.iter(f"{_CHART}ser")]
    while series:
        joined = [own for own in series if own.places == series[0].places]
        series = [own for own in series if own.places != series[0].places]
        points = sorted({*joined[0].places, *(point for own in joined for point in own.values)})
        rows = [[joined[0].places.get(point, ""), *(own.values.get(point, "") for own in joined)] for point in points]
        parts.append("\n".join(pipe_table([["", *(own.name for own in joined)], *rows])))
    return "\n\n".join(filter(None, parts))


def _series(element: etree._Element) -> _Series:
    name = " ".join(value.text or "" for value in element.iterfind(f"{_CHART}tx//{_CHART}v"))
    return _Series(name, _points(element, "cat", "xVal"), _points(element, "val", "yVal"))


def _points(series: etree._Element, *names: str) -> dict[int, str]:
    """Return what the chart shows of each point; of several levels of places, the innermost."""
    data = next(series.iterchildren(*(f"{_CHART}{name}" for name in names)), None)
    stored = None if data is None else next(data.iter(*_NUMBERS, *_TEXTS), None)
    if stored is None:
        return {}
    usual = stored.findtext(f"{_CHART}formatCode") or "General"
    points = [
        (int(point.get("idx", "0")), point.findtext(f"{_CHART}v") or "", point.get("formatCode", usual))
        for point in islice(stored.iterchildren(f"{_CHART}pt"), MAX_POINTS)
    ]
    if stored.tag in _NUMBERS:
        return {number: _number(text, number_format) for number, text, number_format in points}
    return {number: " ".join(text.split()) for number, text, _ in points}


def _number(text: str, number_format: str) -> str:
    try:
        value = float(text)
        return (
            str(from_excel(value)).removesuffix(" 00:00:00")
            if is_date_format(number_format)
            else formatted(value, number_format)
        )
    except (ValueError, OverflowError):  # such as `#N/A`
        return text


def _words(title: etree._Element | None) -> str:
    return "" if title is None else " ".join("".join(part.text or "" for part in title.iter(_LETTERS)).split())
