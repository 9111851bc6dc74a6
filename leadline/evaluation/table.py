"""The table of an evaluation, as Markdown: a row a measure, a column a setting, and what the differences are worth."""

from collections.abc import Sequence

from leadline.evaluation.measures import BY_KEY, Unit, shown_measures
from leadline.evaluation.results import Evaluation
from leadline.evaluation.statistics import Estimate

SURE = 0.05
"""Chance below which a difference is marked."""


def table(evaluation: Evaluation) -> str:
    """Return the table. Of two settings the last columns have the difference and its chance; of more, lines below do."""
    names = evaluation.names
    measures = shown_measures([figures for name in names for figures in evaluation.figures(name)])
    differences = {(one.first, one.second, one.measure): one.difference for one in evaluation.differences}
    pair = (names[0], names[1]) if len(names) == 2 else None
    rows = [["", *names, *(["difference", "p"] if pair else [])]]
    for measure in measures:
        cells = [shown(evaluation.summary[name].get(measure.key), measure.unit) for name in names]
        found = differences.get((*pair, measure.key)) if pair else None
        if pair:
            cells += ["", ""] if found is None else [signed(found.difference, measure.unit), chance(found.p)]
        rows.append([measure.label, *cells])
    rows.append(
        [
            "questions without a report",
            *(f"{evaluation.failed[name]} of {len(evaluation.questions)}" for name in names),
            *(["", ""] if pair else []),
        ]
    )
    lines = _laid_out(rows)
    if len(names) > 2:
        lines += ["", *notable_differences(evaluation)]
    of_judge = judge_lines(evaluation)
    return "\n".join([*lines, *([""] if of_judge else []), *of_judge])


def notable_differences(evaluation: Evaluation) -> list[str]:
    """Return a line for each difference that chance seldom brings."""
    return [
        f"{one.second} against {one.first}: {BY_KEY[one.measure].label} "
        f"{signed(one.difference.difference, BY_KEY[one.measure].unit)} (p {chance(one.difference.p)})"
        for one in evaluation.differences
        if one.difference.p < SURE and BY_KEY[one.measure].better
    ]


def judge_lines(evaluation: Evaluation) -> list[str]:
    """Return what is to be known of a judge: what it was asked, which pairs were won, how far it agrees with people."""
    judge = evaluation.judge
    if judge is None:
        return []
    cost = "cost unknown" if judge.cost is None else f"{judge.cost:,.4f} $"
    lines = [
        f"Judge {judge.model}: {judge.asked} judgements asked, {judge.no_judgement} without judgement, "
        f"{judge.shortened} reports shortened; {judge.calls} calls, "
        f"{judge.input_tokens + judge.output_tokens:,} tokens, {cost}.",
    ]
    lines += [
        f"Pairs, {pair}: {counts['first']} won by the first, {counts['second']} by the second, {counts['tie']} ties."
        for pair, counts in judge.wins.items()
    ]
    if judge.agreement is not None:
        kappa = "not defined" if judge.agreement.kappa is None else f"{judge.agreement.kappa:.2f}"
        lines.append(
            f"Agreement with {judge.agreement.judged} human labels: {judge.agreement.raw:.0%}, Cohen's kappa {kappa}."
        )
    return lines


def shown(estimate: Estimate | None, unit: Unit) -> str:
    """Return a mean with its interval."""
    if estimate is None:
        return "unknown"
    return f"{amount(estimate.mean, unit)} ({amount(estimate.low, unit)} to {amount(estimate.high, unit)})"


def amount(value: float, unit: Unit) -> str:
    """Return a figure in its unit: shares in percent."""
    if unit == "share":
        return f"{100 * value:.1f} %"
    if unit == "dollars":
        return f"{value:,.4f}"
    return f"{value:,.1f}" if abs(value) < 1_000 and not float(value).is_integer() else f"{value:,.0f}"


def signed(value: float, unit: Unit) -> str:
    """Return a difference with its sign; of shares in percentage points."""
    if unit == "share":
        return f"{100 * value:+.1f} points" if value else "0.0 points"
    return f"{'+' if value > 0 else ''}{amount(value, unit)}"


def chance(p: float) -> str:
    """Return a chance."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _laid_out(rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [" | ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in cells]
    rule = " | ".join(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    return [f"| {line} |" for line in (lines[0], rule, *lines[1:])]
