"""Charts of quality against cost: a point with intervals for each setting, as coordinates for the page."""

from dataclasses import dataclass

from leadline.evaluation.measures import BY_KEY, Measure
from leadline.evaluation.results import Evaluation
from leadline.evaluation.table import amount
from services.run.ui_text import say

QUALITY = ("criteria_met", "race", "facts_stated", "gold_cited", "criteria_cited", "supported_share")
"""Measures of quality with a chart, of which the first available ones are used."""
MAX_CHARTS = 4
COSTS = ("cost", "input_tokens", "seconds")
"""Measures of the horizontal axis; the first with a value is used."""
LEFT, RIGHT, TOP, BOTTOM = 46, 300, 16, 190
"""Edges of the plot in a drawing of 320 by 240."""
COLOURS = 6
"""Number of point classes, `c0` to `c5`; further settings reuse them."""


@dataclass(frozen=True, slots=True)
class Point:
    """Position of a setting in a chart."""

    name: str
    x: float
    y: float
    top: float
    bottom: float
    left: float
    right: float
    """Ends of its intervals."""
    colour: int
    text: str
    """The point in words."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of quality (0 to 100 %, vertical) against cost (from 0, horizontal)."""

    quality: Measure
    cost: Measure
    points: list[Point]
    ticks: list[tuple[float, str]]
    """Ticks of the cost axis: position and label."""


def charts_of(evaluation: Evaluation) -> list[Chart]:
    """Return the charts of an evaluation; none without a measure of quality."""
    cost = next(
        (
            BY_KEY[key]
            for key in COSTS
            if all(key in evaluation.summary[name] for name in evaluation.names)
            and any(evaluation.summary[name][key].mean > 0 for name in evaluation.names)
        ),
        None,
    )
    qualities = [BY_KEY[key] for key in QUALITY if any(key in evaluation.summary[name] for name in evaluation.names)]
    return [] if cost is None else [_chart(evaluation, quality, cost) for quality in qualities[:MAX_CHARTS]]


def _chart(evaluation: Evaluation, quality: Measure, cost: Measure) -> Chart:
    most = max(evaluation.summary[name][cost.key].high for name in evaluation.names)

    def across(value: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * value / most, 1)

    def up(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * min(1.0, max(0.0, value)), 1)

    points = []
    for place, name in enumerate(evaluation.names):
        spent, reached = evaluation.summary[name][cost.key], evaluation.summary[name].get(quality.key)
        if reached is not None:
            points.append(
                Point(
                    name=name,
                    x=across(spent.mean),
                    y=up(reached.mean),
                    top=up(reached.high),
                    bottom=up(reached.low),
                    left=across(spent.low),
                    right=across(spent.high),
                    colour=place % COLOURS,
                    text=say(
                        "eval_point",
                        evaluation.locale,
                        name=name,
                        quality=amount(reached.mean, quality.unit),
                        cost=amount(spent.mean, cost.unit),
                    ),
                )
            )
    ticks = [(across(most * part / 2), amount(most * part / 2, cost.unit)) for part in range(3)]
    return Chart(quality, cost, points, ticks)
