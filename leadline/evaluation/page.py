"""The page of an evaluation: one HTML file with the table, charts, and for each question its reports side by side."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from leadline.evaluation.charts import COLOURS, charts_of
from leadline.evaluation.claims import differing_claims
from leadline.evaluation.evaluate import Evaluated
from leadline.evaluation.measures import Measure, shown_measures
from leadline.evaluation.results import Evaluation, QuestionResult
from leadline.evaluation.table import amount, chance, judge_lines, notable_differences, shown, signed
from schemas.evidence import Claim
from schemas.reporter import Report
from services.reports.html.page import asset, page_parts, render_fragment
from services.reports.parser import parse_report
from services.reports.statuses import status_of

MAX_REPORTS = 120
"""Reports that stand in the page; the others are in their folders."""
MAX_DIFFERING = 40
"""Claims of a report that are listed as its own."""
_HERE = Path(__file__).parent
_NAMES = re.compile(r'( id="| href="#| aria-labelledby="| for="| aria-controls="| aria-describedby=")')
"""What names an element or refers to it, in markup that our templates made: they escape every quotation mark of a text."""


@dataclass(frozen=True, slots=True)
class Side:
    """One setting's part in a question."""

    name: str
    colour: int
    figures: list[tuple[Measure, str]]
    error: str
    missing: list[str]
    folder: str | None
    claims: list[Claim]
    """That no other setting's report makes."""
    more: int
    """How many more of these there are."""
    report: Markup | None
    criteria: list[dict[str, object]]
    """What the judge said of each criterion."""


@cache
def _environment() -> Environment:
    """Return the environment of the template; it escapes everything that is not marked as HTML."""
    return Environment(
        loader=FunctionLoader(lambda name: (_HERE / name).read_text("utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_page(evaluated: Evaluated) -> str:
    """Return the page of an evaluation. Blocking."""
    evaluation = evaluated.evaluation
    styles = [asset("html/tokens.css"), asset("html/page.css"), (_HERE / "eval.css").read_text("utf-8")]
    parts = page_parts(styles, [])
    measures = shown_measures([figures for name in evaluation.names for figures in evaluation.figures(name)])
    return (
        _environment()
        .get_template("eval.html.j2")
        .render(
            evaluation=evaluation,
            policy=parts["policy"],
            style=parts["style"],
            rows=[_row(evaluation, measure) for measure in measures],
            pairs=len(evaluation.names) == 2,
            notes=[*(notable_differences(evaluation) if len(evaluation.names) > 2 else []), *judge_lines(evaluation)],
            charts=charts_of(evaluation),
            questions=[(question, _sides(evaluated, question, at)) for at, question in enumerate(evaluation.questions)],
            names=[(name, place % COLOURS) for place, name in enumerate(evaluation.names)],
            status_of=status_of,
        )
    )


def _row(evaluation: Evaluation, measure: Measure) -> tuple[str, list[str]]:
    cells = [shown(evaluation.summary[name].get(measure.key), measure.unit) for name in evaluation.names]
    if len(evaluation.names) == 2:
        found = next((one.difference for one in evaluation.differences if one.measure == measure.key), None)
        cells += ["", ""] if found is None else [signed(found.difference, measure.unit), chance(found.p)]
    return measure.label, cells


def _sides(evaluated: Evaluated, question: QuestionResult, at: int) -> list[Side]:
    names = evaluated.evaluation.names
    reports = {name: found for name in names if (found := evaluated.reports.get((question.id, name))) is not None}
    differing = differing_claims(reports)
    sides = []
    for place, name in enumerate(names):
        result, own = question.results[name], differing.get(name, [])
        measures = shown_measures([result.figures])
        fits = at * len(names) + place < MAX_REPORTS
        sides.append(
            Side(
                name=name,
                colour=place % COLOURS,
                figures=[(one, amount(result.figures[one.key] or 0.0, one.unit)) for one in measures],
                error=result.error,
                missing=result.missing_facts,
                folder=result.folder,
                claims=own[:MAX_DIFFERING] if len(reports) > 1 else [],
                more=max(0, len(own) - MAX_DIFFERING) if len(reports) > 1 else 0,
                report=_fragment(reports[name], f"q{at}-{place}-") if name in reports and fits else None,
                criteria=list(result.judged.get("criteria", [])),
            )
        )
    return sides


def _fragment(report: Report, prefix: str) -> Markup:
    """Return a report's body whose elements have names of their own in a page of many reports."""
    html = render_fragment(parse_report(report))
    return Markup(_NAMES.sub(lambda found: found[0] + prefix, html))  # noqa: S704 - our own template escaped it
