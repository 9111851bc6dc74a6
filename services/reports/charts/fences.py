"""Checks the charts in a draft: valid charts are normalised, invalid ones are removed with a note."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt

from schemas.chart import Chart
from services.reports.charts.checks import ChartRefused, checked_chart
from services.run.ui_text import say

LANGUAGE = "chart"
_PARSER = MarkdownIt("commonmark")
_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})\s*chart\b", re.MULTILINE | re.IGNORECASE)


@dataclass(slots=True)
class CheckedCharts:
    """A draft without invalid charts."""

    markdown: str
    cited: list[str] = field(default_factory=list)
    """Ids of the cited excerpts of all charts, in order."""
    limits: list[str] = field(default_factory=list)
    """Reasons for removed charts."""


def check_charts(markdown: str, quotes: Mapping[str, str], *, naming: str = "", locale: str = "en-US") -> CheckedCharts:
    """Check the charts of a draft; the arguments are those of `checked_chart`."""
    if not _FENCE.search(markdown):
        return CheckedCharts(markdown)
    lines = markdown.replace("\r\n", "\n").split("\n")
    result = CheckedCharts("")
    checked_lines: list[str] = []
    last = 0
    for token in _PARSER.parse("\n".join(lines)):
        if token.type != "fence" or token.level or token.map is None or not is_chart(token.info):
            continue
        first, end = token.map
        checked_lines += lines[last:first]
        last = end
        try:
            chart = checked_chart(token.content, quotes, naming=naming, locale=locale)
        except ChartRefused as refused:
            result.limits.append(say("chart_refused", locale, reason=refused))
            continue
        result.cited += chart.sources
        checked_lines += [f"```{LANGUAGE}", chart_json(chart), "```"]
    result.markdown = "\n".join([*checked_lines, *lines[last:]])
    return result


def is_chart(info: str) -> bool:
    """Tell by its language whether a fenced block is a chart."""
    return (info.split() or [""])[0].lower() == LANGUAGE


def chart_json(chart: Chart) -> str:
    """Write a chart as JSON, one line per field."""
    fields = _plain_numbers(chart.model_dump(mode="json", exclude_defaults=True))
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join(["{", ",\n".join(lines), "}"])


def _plain_numbers(value: Any) -> Any:
    """Write 3.0 as 3."""
    if isinstance(value, dict):
        return {key: _plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
