"""Checks charts: their numbers must stand in the cited excerpts, and their form must suit them. Of a draft, valid ones are normalised, invalid ones removed with a note."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from pydantic import ValidationError

from schemas.chart import MAX_PIE, MAX_POINTS, Chart
from schemas.document import Alignment, Block, Citation, Code, Inlines, Table, Text
from services.run.errors import reason_of
from services.run.ui_text import say
from services.text.held_numbers import missing_quantities
from services.text.numbers import quantities
from services.text.quotable import URL

LANGUAGE = "chart"


class ChartRefused(ValueError):
    """A chart is refused; the message gives the reason in the reader's language."""


def checked_chart(written: str, quotes: Mapping[str, str], *, naming: str = "", locale: str = "en-US") -> Chart:
    """Return a chart, as a model or a program wrote it in JSON, with valid form and numbers.

    Args:
        written: the JSON.
        quotes: the quotes of all excerpts, by id.
        naming: the question and the cards of the sources; their numbers may stand in titles and names: `PEP 703`.
        locale: language of the reason.

    Raises:
        ChartRefused: the chart is invalid.
    """
    try:
        chart = Chart.model_validate_json(written)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise _refused("form", locale, f"{where}: {reason_of(first)}" if where else reason_of(first)) from None
    unknown = [source for source in chart.sources if source not in quotes]
    if unknown:
        raise _refused("unknown", locale, ", ".join(unknown))
    cited = [quotes[source] for source in chart.sources]
    _check_form(chart, locale)
    missing = list(dict.fromkeys(_missing(chart, cited, naming)))
    if missing:
        raise _refused("numbers", locale, ", ".join(missing[:6]))
    if chart.type == "pie":
        _check_whole(chart, cited, locale)
    return chart


def format_number(value: float) -> str:
    """Format a number without exponent and trailing zeros."""
    return f"{value:.10f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


def _refused(reason: str, locale: str, what: object = "") -> ChartRefused:
    return ChartRefused(say(f"chart_{reason}", locale, what=what))


def _check_form(chart: Chart, locale: str) -> None:
    count = sum(len(series.values) + len(series.points) for series in chart.series)
    if count > MAX_POINTS:
        raise _refused("too_many", locale, count)
    if count < 2:
        raise _refused("one_number", locale)
    if len({series.name for series in chart.series}) < len(chart.series):
        raise _refused("names", locale)
    if chart.type == "scatter":
        if chart.categories or any(series.values or not series.points for series in chart.series):
            raise _refused("points", locale)
        return
    if len(set(chart.categories)) < len(chart.categories) or not all(category.strip() for category in chart.categories):
        raise _refused("lengths", locale)
    if any(series.points or len(series.values) != len(chart.categories) for series in chart.series):
        raise _refused("lengths", locale)
    if chart.type == "pie":
        if len(chart.series) > 1:
            raise _refused("pie_series", locale)
        if not 2 <= count <= MAX_PIE or min(chart.series[0].values) < 0 or max(chart.series[0].values) == 0:
            raise _refused("pie_parts", locale, MAX_PIE)


def _missing(chart: Chart, cited: Sequence[str], naming: str) -> Iterator[str]:
    """Yield every number and every address of the chart, as written, that the cited quotes lack."""
    for series in chart.series:
        for value in series.values:
            if not _is_cited(value, chart.unit, cited):
                yield format_number(value)
        for x, y in series.points:
            if not _is_cited(x, chart.x_unit, cited):
                yield format_number(x)
            if not _is_cited(y, chart.unit, cited):
                yield format_number(y)
    for label in (chart.title, chart.unit, chart.x_unit, *chart.categories, *(series.name for series in chart.series)):
        addresses = [match.group() for match in URL.finditer(label)]
        yield from (address for address in addresses if not any(address in quote for quote in [*cited, naming]))
        yield from missing_quantities(URL.sub("", label), [*cited, naming])


def with_unit(name: str, unit: str) -> str:
    """Return a name with a unit, unless it has it as a word of its own: `minus 10,984 m`."""
    return name if not unit or unit in re.split(r"[\s()（）]", name) else f"{name} ({unit})"


def _is_cited(value: float, unit: str, cited: Sequence[str]) -> bool:
    """Find a number alone or with its unit, which may be a scale (`million`, `万`) or a percent sign."""
    number = format_number(abs(value))
    forms = [number] if quantities(unit) else [number, f"{number} {unit}", f"{number}{unit}"]
    return any(not missing_quantities(form, cited) for form in dict.fromkeys(forms))


def _check_whole(chart: Chart, cited: Sequence[str], locale: str) -> None:
    """Refuse a pie chart whose groups overlap or are incomplete."""
    total = math.fsum(chart.series[0].values)
    percent = chart.unit.strip().lower() in {"%", "percent", "per cent", "百分比"}
    about_100 = abs(total - 100) <= 0.5 + 0.05 * len(chart.categories)
    if not (about_100 if percent else _is_cited(total, chart.unit, cited)):
        raise _refused("pie_whole", locale, format_number(round(total, 6)) + (" %" if percent else ""))


@dataclass(slots=True)
class CheckedCharts:
    """A draft without invalid charts."""

    blocks: list[Block] = field(default_factory=list)
    cited: list[str] = field(default_factory=list)
    """Ids of the cited excerpts of all charts, in order."""
    limits: list[str] = field(default_factory=list)
    """Reasons for removed charts."""


def check_charts(
    blocks: Sequence[Block], quotes: Mapping[str, str], *, naming: str = "", locale: str = "en-US"
) -> CheckedCharts:
    """Check the charts of a draft; the other arguments are those of `checked_chart`."""
    result = CheckedCharts()
    for block in blocks:
        if not isinstance(block, Code) or not is_chart(block.language):
            result.blocks.append(block)
            continue
        try:
            chart = checked_chart(block.text, quotes, naming=naming, locale=locale)
        except ChartRefused as refused:
            result.limits.append(say("chart_refused", locale, reason=refused))
            continue
        result.cited += chart.sources
        result.blocks.append(Code(chart_json(chart), LANGUAGE))
    return result


def with_tables(blocks: Sequence[Block], quotes: Mapping[str, str], *, naming: str = "") -> tuple[Block, ...]:
    """Return the blocks of a draft with a table in place of each chart that may not be drawn, so that its rows are checked as statements.

    A chart that cannot be read, or cites what does not exist, stays: `check_charts` leaves it out with the reason.
    """

    def chart_or_table(block: Block) -> Block:
        if not isinstance(block, Code) or not is_chart(block.language):
            return block
        try:
            chart = Chart.model_validate_json(block.text)
            checked_chart(block.text, quotes, naming=naming)
        except ValidationError:
            return block
        except ChartRefused:
            return _as_table(chart) if quotes.keys() >= set(chart.sources) else block
        return block

    return tuple(map(chart_or_table, blocks))


def _as_table(chart: Chart) -> Table:
    """Return the numbers of a chart as a table, each row with the chart's citations."""
    cited = [Citation(0, "", (source,)) for source in dict.fromkeys(chart.sources)]
    names = [with_unit(series.name, chart.unit).strip() for series in chart.series]
    columns = [[format_number(value) for value in series.values] for series in chart.series]
    rows = [[*row] for row in zip_longest(chart.categories, *columns, fillvalue="")][: len(chart.categories)]
    if chart.type == "scatter":
        names = [chart.x_unit or "x", chart.unit or "y"]
        rows = [[series.name, format_number(x), format_number(y)] for series in chart.series for x, y in series.points]

    def plain(cell: str) -> Text:
        return Text(URL.sub("", cell))

    body: list[tuple[Inlines, ...]] = []
    for *first, last in rows:
        body.append((*((plain(cell),) for cell in first), (plain(f"{last} "), *cited)))
    side: Alignment = ""
    return Table(tuple((plain(cell),) for cell in [chart.title, *names]), tuple(body), (side,) * (1 + len(names)))


def is_chart(language: str) -> bool:
    """Tell by its language whether a fenced block is a chart."""
    return language.lower() == LANGUAGE


def chart_sources(text: str) -> list[str]:
    """Return the ids of the excerpts that a chart cites; none of what is no chart."""
    try:
        return Chart.model_validate_json(text).sources
    except ValidationError:
        return []


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
