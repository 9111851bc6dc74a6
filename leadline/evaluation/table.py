"""The table of an evaluation in Markdown: a row per measure, a column per setting, and the significant differences."""

from collections.abc import Iterable, Sequence
from io import StringIO

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from leadline.evaluation.measures import BY_KEY, Unit, shown_measures
from leadline.evaluation.results import Evaluation
from leadline.evaluation.statistics import Estimate
from services.run.ui_text import say

SURE = 0.05
"""Maximum probability by chance of a marked difference."""
MAX_WIDTH = 10_000
"""Columns of the table: no line breaks."""


def table(evaluation: Evaluation) -> str:
    """Return the table. With two settings, the last columns hold the difference and its probability; with more, lines below do."""
    difference = [say("eval_difference", evaluation.locale), "p"] if len(evaluation.names) == 2 else []
    laid_out = _laid_out(["", *evaluation.names, *difference], _rows(evaluation))
    below = _notable_differences(evaluation) if len(evaluation.names) > 2 else []
    return "\n".join([laid_out, *([""] if below else []), *below])


def _rows(evaluation: Evaluation) -> list[list[str]]:
    """Return a row per measure, and a last row with the number of questions without a report."""
    names, locale = evaluation.names, evaluation.locale
    differences = {measured.measure: measured.difference for measured in evaluation.differences if len(names) == 2}
    shown_rows = []
    for measure in shown_measures([figures for name in names for figures in evaluation.figures(name)]):
        cells = [shown(evaluation.summary[name].get(measure.key), measure.unit, locale) for name in names]
        if len(names) == 2:
            differs = differences.get(measure.key)
            cells += [signed(differs.difference, measure.unit, locale), chance(differs.p)] if differs else ["", ""]
        shown_rows.append([measure.label(locale), *cells])
    failed = [
        say("eval_count_of", locale, count=evaluation.failed[name], all=len(evaluation.questions)) for name in names
    ]
    return [*shown_rows, [say("eval_without_report", locale), *failed, *([""] * 2 if len(names) == 2 else [])]]


def _notable_differences(evaluation: Evaluation) -> list[str]:
    locale = evaluation.locale
    return [
        say(
            "eval_against",
            locale,
            second=measured.second,
            first=measured.first,
            measure=BY_KEY[measured.measure].label(locale),
            difference=signed(measured.difference.difference, BY_KEY[measured.measure].unit, locale),
            p=chance(measured.difference.p),
        )
        for measured in evaluation.differences
        if measured.difference.p < SURE and BY_KEY[measured.measure].better
    ]


def shown(estimate: Estimate | None, unit: Unit, locale: str) -> str:
    """Return a mean with its interval."""
    if estimate is None:
        return say("eval_unknown", locale)
    mean, low, high = (amount(value, unit) for value in (estimate.mean, estimate.low, estimate.high))
    return say("eval_interval", locale, mean=mean, low=low, high=high)


def amount(value: float, unit: Unit) -> str:
    """Return a value in its unit: shares in percent."""
    if unit == "share":
        return f"{100 * value:.1f} %"
    if unit == "dollars":
        return f"{value:,.4f}"
    return f"{value:,.1f}" if abs(value) < 1_000 and not float(value).is_integer() else f"{value:,.0f}"


def signed(value: float, unit: Unit, locale: str) -> str:
    """Return a difference with its sign; shares in percentage points."""
    if unit == "share":
        return say("eval_points", locale, points=f"{100 * value:+.1f}" if value else "0.0")
    return f"{'+' if value > 0 else ''}{amount(value, unit)}"


def chance(p: float) -> str:
    """Return a probability."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _laid_out(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all columns except the first are right-aligned."""
    laid_out = Table(box=MARKDOWN, header_style="")
    for place, name in enumerate(heading):
        laid_out.add_column(name.replace("|", "\\|"), justify="right" if place else "left", no_wrap=True)
    for row in rows:
        laid_out.add_row(*(cell.replace("|", "\\|") for cell in row))
    page = StringIO()
    Console(file=page, width=MAX_WIDTH, markup=False, color_system=None).print(laid_out)
    return "\n".join(filter(None, map(str.strip, page.getvalue().splitlines())))
