"""Checks charts: their numbers must stand in the cited excerpts, and their form must suit them."""

import math
from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError

from schemas.chart import MAX_PIE, MAX_POINTS, Chart
from schemas.document import Block, Citation, Code
from services.reports.charts.written import LANGUAGE, chart_json, chart_of, chart_table, format_number, is_chart
from services.run.errors import reason_of
from services.run.ui_text import say
from services.text.held_numbers import missing_quantities
from services.text.numbers import quantities
from services.text.quotable import URL


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


def with_chart_checked(block: Block, quotes: Mapping[str, str], *, naming: str = "", locale: str = "en-US") -> Block:
    """Return a block of a draft: a chart in one form, and in place of one that may not be drawn a table, whose rows are checked as statements.

    The other arguments are those of `checked_chart`.

    Raises:
        ChartRefused: the chart cannot be read, or cites what does not exist.
    """
    if not isinstance(block, Code) or not is_chart(block.language):
        return block
    try:
        return Code(chart_json(checked_chart(block.text, quotes, naming=naming, locale=locale)), LANGUAGE)
    except ChartRefused:
        chart = chart_of(block)
        if chart is None or not quotes.keys() >= set(chart.sources):
            raise
        return chart_table(chart, [Citation(0, "", (source,)) for source in dict.fromkeys(chart.sources)])
