"""Whether cited texts give the numbers and dates of a statement: as written, rounded, in another unit, or by simple arithmetic."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, permutations

from schemas.evidence import Source
from services.check.compared_text import YEARS, ComparedText, Figure, blanked, period_of
from services.check.verdict import Verdict
from services.text.held_numbers import is_held, missing_quantities
from services.text.measures import MEASURED_KINDS, Measure
from services.text.numbers import Quantity, quantities, quantities_with_places

MAX_MISSING = 100
"""Numbers of a statement that are named as missing."""
MAX_COMPUTED = 60
"""Figures, and years, of the cited texts from which others are computed."""
MANY = 8
"""Cited texts and cards above which a number may follow from them by chance, as where a whole source is cited."""
MOST_BESIDE = 4
"""Numbers of a statement, given by its evidence, above which another one of it follows from two of them by chance."""
MAX_FOLLOWING = 20
"""Numbers of a statement for which it is tried whether they follow from others."""
YEAR = 31_557_600.0
"""Seconds of a year, the common unit of times."""


def equal(former: Measure, other: Measure) -> bool:
    """Tell whether two numbers can be one: the same value, one of them rounded, or in another unit of the same kind; a year is not rounded."""
    if YEARS in {former.kind, other.kind}:
        return former.value == other.value
    if former.kind in MEASURED_KINDS and other.kind in MEASURED_KINDS:
        return former.kind == other.kind and former.agrees(other)
    return former.agrees(other) or math.isclose(former.value / former.factor, other.value / other.factor, rel_tol=1e-9)


def proving(quote: str, source: Source | None, *, typed: bool = True) -> str:
    """Remove from a quote the numbers that are no evidence: those of a computation that takes in nothing, and unless `typed` those that stand in its program."""
    if source is None or not (source.without_input or (source.typed and not typed)):
        return quote
    text, placed = quantities_with_places(quote)
    nowhere = [quantity for number in source.typed for quantity in quantities(number)]
    return blanked(text, [figure for figure in placed if source.without_input or is_held(figure[2], nowhere)])


def fault_of(absent: Sequence[str], untraced: Sequence[str]) -> Verdict:
    """Return the verdict on a statement with numbers that its evidence does not prove; `untraced` are quotes that hold some nevertheless."""
    nowhere = [number for number in absent if quantities(number) and not missing_quantities(number, untraced)]
    return Verdict("untraced", tuple(nowhere)) if nowhere else Verdict("numbers" if absent else "", tuple(absent))


def missing(claim: ComparedText, evidence: Sequence[ComparedText]) -> tuple[list[str], list[str]]:
    """Return the numbers, dates and shares of a statement, as written, that the texts neither give nor let compute, and those that they only let compute.

    What texts with many figures let compute is nearly any number: of numbers that were changed by chance in statements of four reports code found
    six in ten where it passed what follows, nine in ten otherwise.
    """
    follow = dict(islice(_not_given(claim, evidence), MAX_MISSING))
    return [number for number in follow if not follow[number]], [number for number in follow if follow[number]]


def _not_given(claim: ComparedText, evidence: Sequence[ComparedText]) -> Iterator[tuple[str, bool]]:
    """Yield the numbers that the texts do not give, each with whether it follows from what they give."""
    held = [quantity for reading in evidence for quantity in reading.quantities]
    values = {quantity.value for quantity in held if quantity.kind in {"number", "percent"}}
    figures = {figure.measure.text: figure.measure for figure in claim.figures}
    given: list[Measure] | None = None
    tried = 0
    for quantity in claim.quantities:
        has_value = quantity.kind in {"number", "percent"} and quantity.value in values
        if has_value or is_held(quantity, held) or _stands_in_name(quantity, evidence):
            continue
        readings = _readings(figures.get(quantity.text), quantity)
        if any(_gives(figure.measure, measure) for measure in readings for figure in _figures(evidence)):
            continue
        tried += 1
        in_parts = tried <= MAX_FOLLOWING and _is_in_parts(quantity, evidence)
        if not in_parts and given is None:
            held_figures = [figure.measure for figure in _figures(evidence)]
            given = [own for own in figures.values() if any(_gives(other, own) for other in held_figures)]
        if not in_parts:
            worked_out = (follows(measure, evidence) or _is_worked_out(measure, given or []) for measure in readings)
            yield quantity.text, tried <= MAX_FOLLOWING and any(worked_out)


def _stands_in_name(wanted: Quantity, evidence: Sequence[ComparedText]) -> bool:
    """Tell whether the digits of a number stand in the texts as an ordinal or in a name: 65 in `65th day`, 24 in `T-24`, 9 in `BIP9`."""
    digits = wanted.text
    whole = re.compile(rf"(?<!\d)(?<!\d[.,]){digits}(?![.,]?\d)") if digits.isdecimal() else None
    return whole is not None and any(whole.search(reading.text) for reading in evidence)


def _gives(held: Measure, wanted: Measure) -> bool:
    """Tell whether a number of a text is the wanted one; in one unit it is no rounder than that: `2,000` does not give `2,001`."""
    in_one_unit = held.factor == wanted.factor
    return equal(wanted, held) and not (in_one_unit and abs(wanted.value - held.value) > 1.001 * wanted.half_step)


def _readings(measure: Measure | None, quantity: Quantity) -> list[Measure]:
    """Return the measure of a quantity in each way in which its digits can be read."""
    if measure is None or not quantity.other:
        return [measure] if measure else []
    by = quantity.other / quantity.value
    return [measure, replace(measure, value=measure.value * by, half_step=quantity.step / 2 * measure.factor * by)]


def follows(wanted: Measure, evidence: Sequence[ComparedText]) -> bool:
    """Tell whether a number follows from two figures of the texts, from a column or list of them, or from two dates."""
    figures = [figure.measure for figure in _figures(evidence)][:MAX_COMPUTED]
    figures += [Measure("", total, 0.0, 1.0, "") for total in _totals(evidence)]
    if wanted.kind in {"percent", ""}:  # of `from 42 to 53 percent` only the second has its unit
        figures += [replace(figure, value=100 - figure.value) for figure in figures if figure.kind == "percent"]
    pairs = permutations(figures[: 2 * MAX_COMPUTED], 2)
    computed = [figure.value for figure in figures]
    computed += [value for former, other in pairs for value in _results(former, other, wanted.kind)]
    computed += _years_between(evidence) if _counts_years(wanted) else ()
    return any(_is(wanted, value) for value in computed) and (len(evidence) <= MANY or not _by_chance(wanted, computed))


def _is_worked_out(wanted: Measure, given: Sequence[Measure]) -> bool:
    """Tell whether a number follows from two of the few numbers beside it in its statement, which its evidence gives."""
    if len(given) > MOST_BESIDE:
        return False
    computed = [value for former, other in permutations(given, 2) for value in _results(former, other, wanted.kind)]
    return any(_is(wanted, value) for value in computed)


def _by_chance(wanted: Measure, computed: Sequence[float]) -> bool:
    """Tell whether any number as precise as this one is likely to be among so many results: by those between half and twice of it."""
    size = abs(wanted.value)
    near = sum(size / 2 <= abs(value) <= 2 * size for value in computed)
    return near * 2 * wanted.half_step >= 1.5 * size


def _figures(evidence: Sequence[ComparedText]) -> Iterator[Figure]:
    return (figure for reading in evidence for figure in reading.figures)


def _results(former: Measure, other: Measure, kind: str) -> Iterator[float]:
    """Yield what two numbers give: sum, difference, ratio, change and share in percent, and quotient."""
    apart = former.kind in MEASURED_KINDS and other.kind in MEASURED_KINDS and former.kind != other.kind
    if kind == "percent":
        if former.kind == other.kind == "percent":
            yield abs(former.value - other.value)
            yield former.value + other.value
        if other.value and not apart:
            yield 100 * former.value / other.value
            yield 100 * abs(former.value - other.value) / abs(other.value)
        return
    if not apart:
        yield abs(former.value - other.value)
        yield former.value + other.value
    if other.kind == "percent":
        yield former.value * other.value / 100
    elif other.value:
        yield former.value / other.value


def _totals(evidence: Sequence[ComparedText]) -> Iterator[float]:
    """Yield the sum and the mean of each column of a table, and of the figures of one kind in one text."""
    for reading in evidence:
        groups: dict[tuple[object, ...], list[float]] = {}
        for figure in reading.figures:
            key = (id(figure.table), figure.column) if figure.table else (figure.measure.kind,)
            groups.setdefault(key, []).append(figure.measure.value)
        for values in groups.values():
            yield sum(values)
            yield sum(values) / len(values)


def _is(wanted: Measure, value: float) -> bool:
    """Tell whether a computed value, in a common unit or in the number's own, is the number at its precision."""
    return abs(wanted.value - value) <= wanted.half_step * 1.001 or abs(wanted.value / wanted.factor - value) <= (
        wanted.half_step / wanted.factor * 1.001
    )


def _years(evidence: Sequence[ComparedText]) -> list[int]:
    held = (period_of(quantity) for reading in evidence for quantity in reading.quantities)
    return list(dict.fromkeys(period[0] for period in held if period and period[0]))[:MAX_COMPUTED]


def _counts_years(wanted: Measure) -> bool:
    return wanted.kind not in MEASURED_KINDS or (wanted.kind == "time" and wanted.factor >= YEAR)


def _years_between(evidence: Sequence[ComparedText]) -> Iterator[float]:
    """Yield the years from each year of the texts to each other, in years and in seconds."""
    for former, other in combinations(_years(evidence), 2):
        yield float(abs(former - other))
        yield abs(former - other) * YEAR


def _is_in_parts(wanted: Quantity, evidence: Sequence[ComparedText]) -> bool:
    """Tell whether the texts give the year and the month of a date in two places, or a year and the years from it to the wanted year."""
    period = period_of(wanted)
    if period is None or period[0] is None or period[2] is not None:
        return False
    held = [other for reading in evidence for quantity in reading.quantities if (other := period_of(quantity))]
    if period[1] is not None:
        return any(year == period[0] for year, _, _ in held) and any(month == period[1] for _, month, _ in held)
    spans = {round(figure.measure.value / YEAR) for figure in _figures(evidence) if figure.measure.kind == "time"}
    return any(abs(period[0] - year) in spans for year in _years(evidence))
