"""The page of an evaluation: one HTML file with the table, and the reports of each question next to each other."""

import asyncio
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from markupsafe import Markup

from leadline.evaluation.evaluate import Evaluated
from leadline.evaluation.measures import Figures, Measure, shown_measures
from leadline.evaluation.results import FILE, QuestionResult
from leadline.evaluation.table import amount, heading, notable_differences, rows
from schemas.reporter import Report
from services.reports.checking.bundle import write_files
from services.reports.html.page import asset, environment, page_parts, render_fragment
from services.reports.labels import language_of
from services.reports.parser import parse_report
from services.run.ui_text import say

MAX_REPORTS = 120
"""Maximum reports in the page; the others are in their folders."""
COLOURS = 6
"""Number of colours of settings, `c0` to `c5`; further settings reuse them."""
_HERE = Path(__file__).parent
_NAMES = re.compile(r'( id="| href="#| aria-labelledby="| for="| aria-controls="| aria-describedby=")')
"""Attributes that define or reference an element's name, in our templates' markup, which escapes quotation marks in texts."""


@dataclass(frozen=True, slots=True)
class Side:
    """Column of a setting in a question's block."""

    name: str
    colour: int
    figures: list[tuple[str, str]]
    """Name and value of each measure."""
    error: str
    missing: list[str]
    folder: str | None
    report: Markup | None


async def write_results(evaluated: Evaluated, place: Path) -> None:
    """Write the results into an evaluation's folder.

    Raises:
        StoreUnwritable: the folder cannot be written.
    """
    text = await asyncio.to_thread(evaluated.evaluation.model_dump_json, indent=1)
    page = await asyncio.to_thread(render_page, evaluated)
    await write_files(place, {FILE: f"{text}\n".encode(), "eval.html": page.encode()}, "eval")


def render_page(evaluated: Evaluated) -> str:
    """Return the page of an evaluation. Blocking."""
    evaluation = evaluated.evaluation
    styles = [asset("html/tokens.css"), asset("html/page.css"), (_HERE / "eval.css").read_text("utf-8")]
    parts = page_parts(styles, [])
    locale = evaluation.locale
    return (
        environment()
        .from_string((_HERE / "eval.html.j2").read_text("utf-8"))
        .render(
            evaluation=evaluation,
            language=language_of(locale),
            words=partial(_words, locale=locale),
            policy=parts["policy"],
            style=parts["style"],
            heading=heading(evaluation, say("eval_measure", locale)),
            rows=rows(evaluation),
            notes=notable_differences(evaluation) if len(evaluation.names) > 2 else [],
            questions=[(question, _sides(evaluated, question, at)) for at, question in enumerate(evaluation.questions)],
            names=[(name, place % COLOURS) for place, name in enumerate(evaluation.names)],
            unbroken=_unbroken,
        )
    )


def _words(key: str, *, locale: str, **values: object) -> str:
    """Return a message of the page in its language."""
    return say(f"eval_{key}", locale, **values)


def _unbroken(cell: str) -> str:
    """Return a cell in which lines may break before an interval, but not before a unit."""
    return cell.replace(" %", "\u00a0%").replace("（", "\u200b（")


def _sides(evaluated: Evaluated, question: QuestionResult, at: int) -> list[Side]:
    names, locale = evaluated.evaluation.names, evaluated.evaluation.locale
    reports = {name: found for name in names if (found := evaluated.reports.get((question.id, name))) is not None}
    sides = []
    for place, name in enumerate(names):
        result = question.results[name]
        fits = at * len(names) + place < MAX_REPORTS
        sides.append(
            Side(
                name=name,
                colour=place % COLOURS,
                figures=[_figure(measure, result.figures, locale) for measure in shown_measures([result.figures])],
                error=result.error,
                missing=result.missing_facts,
                folder=result.folder,
                report=_fragment(reports[name], f"q{at}-{place}-") if name in reports and fits else None,
            )
        )
    return sides


def _figure(measure: Measure, figures: Figures, locale: str) -> tuple[str, str]:
    return measure.label(locale), amount(figures[measure.key] or 0.0, measure.unit)


def _fragment(report: Report, prefix: str) -> Markup:
    """Return a report's body with unique element names in a page of many reports."""
    html = render_fragment(parse_report(report))
    return Markup(_NAMES.sub(lambda found: found[0] + prefix, html))  # noqa: S704 - our own template escaped it
