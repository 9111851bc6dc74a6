"""Checks the charts in a draft: valid charts are normalised, invalid ones are removed with a note."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.chart import Chart
from schemas.document import Block, Code
from services.reports.charts.checks import ChartRefused, checked_chart
from services.run.ui_text import say

LANGUAGE = "chart"


@dataclass(slots=True)
class CheckedCharts:
    """A draft without invalid charts."""

    blocks: tuple[Block, ...]
    cited: list[str] = field(default_factory=list)
    """Ids of the cited excerpts of all charts, in order."""
    limits: list[str] = field(default_factory=list)
    """Reasons for removed charts."""


def check_charts(
    blocks: Sequence[Block], quotes: Mapping[str, str], *, naming: str = "", locale: str = "en-US"
) -> CheckedCharts:
    """Check the charts of a draft; the other arguments are those of `checked_chart`."""
    result = CheckedCharts(())
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, Code) and is_chart(block.language):
            try:
                chart = checked_chart(block.text, quotes, naming=naming, locale=locale)
            except ChartRefused as refused:
                result.limits.append(say("chart_refused", locale, reason=refused))
                continue
            result.cited += chart.sources
            kept.append(Code(chart_json(chart), LANGUAGE))
        else:
            kept.append(block)
    result.blocks = tuple(kept)
    return result


def is_chart(language: str) -> bool:
    """Tell by its language whether a fenced block is a chart."""
    return language.lower() == LANGUAGE


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
