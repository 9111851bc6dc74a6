"""A chart in writing: JSON in a fence in a draft; in a finished report a table of its numbers, with the JSON in a comment, as Markdown has no charts."""

import json
import re
from collections.abc import Sequence
from itertools import islice, zip_longest
from typing import Any

from pydantic import ValidationError

from schemas.chart import Chart
from schemas.document import Alignment, Block, Citation, Code, Inlines, Table, Text
from services.reports.document import contents, words
from services.text.quotable import URL

LANGUAGE = "chart"
_OPENS, _CLOSES = "<!-- chart\n", "\n-->"


def is_chart(language: str) -> bool:
    """Tell by its language whether a fenced block is a chart."""
    return language.lower() == LANGUAGE


def chart_of(block: Block) -> Chart | None:
    """Return the chart whose JSON a fenced block holds; None if the block is no chart, or none of valid form."""
    if not isinstance(block, Code) or not is_chart(block.language):
        return None
    try:
        return Chart.model_validate_json(block.text)
    except ValidationError:
        return None


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


def chart_comment(chart: Chart) -> str:
    """Write a chart as a comment of Markdown, which can be read again."""
    data = chart_json(chart).replace(">", "\\u003e")  # nothing in it ends the comment
    return f"{_OPENS}{data}{_CLOSES}"


def read_comment(comment: str) -> Code | None:
    """Return the chart in a comment as a fenced block has it; None if the comment holds anything else."""
    written = comment.strip()
    if not written.startswith(_OPENS) or not written.endswith(_CLOSES):
        return None
    block = Code(written[len(_OPENS) : -len(_CLOSES)], LANGUAGE)
    return block if chart_of(block) else None


def is_table_of(block: Block, chart: Block) -> bool:
    """Tell whether a block is the table of a chart, whatever it cites."""
    drawn = chart_of(chart)
    return drawn is not None and [*map(words, contents(block))] == [*map(words, contents(chart_table(drawn, ())))]


def format_number(value: float) -> str:
    """Format a number without exponent and trailing zeros."""
    return f"{value:.10f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


def with_unit(name: str, unit: str) -> str:
    """Return a name with a unit, unless it has it as a word of its own: `minus 10,984 m`."""
    return name if not unit or unit in re.split(r"[\s()（）]", name) else f"{name} ({unit})"


def chart_rows(chart: Chart) -> list[list[str]]:
    """Return the numbers of a chart as rows of a table, the header first; its first heading says what the categories are, if the chart does."""
    if chart.type == "scatter":
        header = ["", chart.x_unit or "x", chart.unit or "y"]
        points = [(series.name, *point) for series in chart.series for point in series.points]
        return [header, *([name, format_number(x), format_number(y)] for name, x, y in points)]
    names = [with_unit(series.name, chart.unit) if series.name else chart.unit for series in chart.series]
    columns = [map(format_number, series.values) for series in chart.series]
    rows = zip_longest(chart.categories, *columns, fillvalue="")
    return [[chart.x_unit, *names], *map(list, islice(rows, len(chart.categories)))]


def chart_table(chart: Chart, cited: Sequence[Citation]) -> Table:
    """Return the numbers of a chart as a table, each row with the chart's citations; above the categories stands what they are, or the chart's title."""

    def plain(cell: str) -> Text:
        return Text(URL.sub("", cell))

    body: list[tuple[Inlines, ...]] = []
    (first_heading, *names), *rows = chart_rows(chart)
    for *first, last in rows:
        body.append((*((plain(cell),) for cell in first), (plain(f"{last} "), *cited)))
    header = [first_heading or chart.title, *names]
    side: Alignment = ""
    return Table(tuple((plain(cell),) for cell in header), tuple(body), (side,) * len(header))
