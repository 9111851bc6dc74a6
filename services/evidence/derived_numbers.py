"""Numbers that a claim works out from those of its quotes: rounded, as a difference, a sum, a rest, a date or a count."""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from services.evidence.arithmetic import (
    MAX_OPERANDS,
    differences_and_sums,
    for_each,
    parallel_sums,
    parts_and_wholes,
    per_unit,
    percentages,
    related,
    rests,
    same_place,
)
from services.evidence.comparing_words import ADDS, BEYOND, EACH, LESS, MEAN, MORE, OR_MORE, differs_in
from services.evidence.derived_dates import YEAR, seconds_between, years_between
from services.evidence.derived_rates import EACH_YEAR, RATE, areas, at_another_rate, for_each_year, of_rates
from services.evidence.derived_shares import shares_of_changes
from services.evidence.readings import CELL, CLOCK, Number, Reading
from services.text.tables import labels_in
from services.text.measures import MEASURED_KINDS, unit_of
from services.text.numerals import SCALES
from services.text.shares import shares_of
from services.text.tokens import pieces

MAX_COUNTED = 12
"""Most rows or things that a claim may count by itself."""
MAX_REFERRED = 4
"""Most things that `the two towns` can refer to without being a count."""

_OF_THE = re.compile(r"\bof (?:the|all) $", re.IGNORECASE)
_PER = re.compile(r"(?:\b(?:per|every|each)|每)\s?(?=[a-z\u4e00-\u9fff])", re.IGNORECASE)
"""Before the unit of a rate: `for every mile`, `每平方公里`."""
_BACK_REFERENCE = re.compile(r"\b(?:the|these|those|all|both|his|her|its|their|of) $|[这该那全]$", re.IGNORECASE)
_LIST = re.compile(r",(?=\s)|\band\b|\bor\b|[、和与及]")
_NAMES = re.compile(r"(?:[:：—]|分别[是为]|\bnamely\b)(?P<list>[^.;。；：:]{1,200})")
"""What names the members of a count: `three stages: building, testing and opening`."""
_NAMED_BEFORE = re.compile(r"(?P<list>(?:[^，。；：、,\s和与及]{1,8}[、和与及]){1,10}[^，。；：、,\s和与及]{1,8})$")
LISTED_BEFORE = 60
"""Characters before a count in which its members may be listed: `省、市、县三级`."""
_MINOR = re.compile(r"^(?:cent|€|\$|£)$")


def derivable(number: Number, claim: Reading, quotes: Sequence[Reading]) -> bool:
    """Tell whether a claim's number, which no quote holds, follows from those that the quotes hold."""
    held = [other for quote in quotes for other in quote.numbers]
    if _is_an_end(number, claim) and number.measure.kind != "percent":
        values = [*(other.measure.value for other in held), *_of_columns(claim, quotes)]
        return _bounded(number, claim, held, quotes) or any(_agree(number, value) for value in values)
    return (
        _bounded(number, claim, held, quotes)
        or _counted(number, claim, quotes)
        or _converted(number, claim, held)
        or any(_agree(number, value) for value in _worked_out(number, claim, held, quotes))
    )


def _agree(number: Number, value: float) -> bool:
    mine = number.measure
    if mine.value < 0:
        return False
    within = max(mine.half_step if number.rough else min(mine.half_step, 0.5 * mine.factor), 1e-6 * abs(mine.value))
    return abs(mine.value - value) <= within + 1e-9


def _bounded(number: Number, claim: Reading, held: Sequence[Number], quotes: Sequence[Reading]) -> bool:
    """Tell whether a number of the quotes, or a time between dates of theirs, is somewhat more or less than a claim's that is said to be a bound."""
    before = claim.text[max(0, number.place - 18) : number.place]
    after = claim.text[number.place + len(number.text) :]
    low, high = bool(MORE.search(before) or OR_MORE.match(after)), bool(LESS.search(before))
    if not low and not high:
        return False
    mine, kind = number.measure.value, number.measure.kind
    counted = MEASURED_KINDS - {"people"}
    bounded = [other.measure.value for other in held if other.measure.kind == kind or _is_bare_cell(other)]
    if kind not in counted:
        bounded += [other.measure.value for other in held if other.measure.kind not in counted]
    if kind == "time":
        bounded += _times_between(quotes)
    return any(
        (low and mine <= theirs <= mine * BEYOND) or (high and mine / BEYOND <= theirs <= mine) for theirs in bounded
    )


def _counted(number: Number, claim: Reading, quotes: Sequence[Reading]) -> bool:
    """Tell whether a small number in words counts rows, columns or a list, or only refers to what was named: `the two towns`."""
    count = number.measure.value / number.measure.factor
    if re.match(r"\d", number.text, re.ASCII) or count > MAX_COUNTED or not float(count).is_integer():
        return False
    if number.text == "两":
        return True
    if count <= MAX_REFERRED and _BACK_REFERENCE.search(claim.text[max(0, number.place - 8) : number.place]):
        return True
    if any(count <= max(len(table.rows), len(table.heads) - 1) for quote in quotes for table in quote.tables):
        return True
    if any(len(_LIST.findall(clause)) + 1 == count for quote in quotes for clause in quote.clauses):
        return True
    if any(count in {run, run + 1} for quote in quotes for run in _runs_of_years(quote.text)):
        return True  # elected in 2008 and again in 2012, 2016 and 2020
    named = _NAMES.search(claim.text, number.place + len(number.text)) or _NAMED_BEFORE.search(
        claim.text[max(0, number.place - LISTED_BEFORE) : number.place]
    )
    return named is not None and len(_LIST.findall(named["list"])) + 1 == count


_YEARS_LISTED = re.compile(
    r"(?<!\d)[12]\d{3}年?(?:(?:,| and|, and|、|和|及)\s?(?:again )?(?:in )?[12]\d{3}年?(?!\d)){1,11}"
)


def _runs_of_years(text: str) -> Iterator[int]:
    """Yield how many years each list of years has."""
    yield from (len(_YEAR.findall(found.group())) for found in _YEARS_LISTED.finditer(text))


_YEAR = re.compile(r"[12]\d{3}")


def _converted(number: Number, claim: Reading, held: Sequence[Number]) -> bool:
    """Tell whether a number is a quote's in minor units of money, or scaled by a later word."""
    mine = number.measure
    if mine.kind == "cent":
        return any(_MINOR.match(other.measure.kind) and math.isclose(mine.value, other.measure.value) for other in held)
    scales = {SCALES[word] for word in pieces(claim.text.replace(number.text, " ")) if word in SCALES}
    return any(math.isclose(mine.value * scale, other.measure.value) for scale in scales for other in held)


_YEARS_OLD = re.compile(r"\b(?:aged?|old|years?|when s?he|\d{1,2} when|lived to|turned)\b|岁|年", re.IGNORECASE)


def _of_unnamed_rows(pair: tuple[Number, Number], named: Collection[str]) -> bool:
    """Tell whether two cells are both of rows that a claim does not name, where it names one."""
    return all(_of_other_rows(number, named) for number in pair)


def _of_other_rows(number: Number, named: Collection[str]) -> bool:
    return bool(named) and number.row >= 0 and number.names.isdisjoint(named)


def _is_bare_cell(number: Number) -> bool:
    """Tell whether a cell of a table has no unit that is read, such as one under `售价（万元）`."""
    return number.row >= 0 and not number.measure.kind


def _worked_out(number: Number, claim: Reading, held: Sequence[Number], quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield what the numbers, shares, times and dates of the quotes come to."""
    mine = number.measure
    relative = mine.kind == "percent" and not _points(number, claim)
    named = labels_in(claim.text, {label for quote in quotes for label in quote.labels})
    unit = mine.kind if mine.kind in {"time", "length", "percent"} else ""
    held = [_in_unit_of_claim(other, number) for other in held]
    operands = [other for other in held if other.measure.kind in ({unit, "", CLOCK} if unit == "time" else {unit, ""})]
    operands = sorted(operands if unit else held, key=lambda other: _of_other_rows(other, named))[:MAX_OPERANDS]
    differs = any(differs_in(segment) for segment in claim.segments if number.text in segment)
    adds = bool(ADDS.search(claim.text) or _OF_THE.search(claim.text[max(0, number.place - 8) : number.place]))
    if relative:
        yield from percentages([pair for pair in related(held) if not _of_unnamed_rows(pair, named)])
        yield from (100 * share.value for quote in quotes for share in shares_of(quote.text))
        yield from (100 - other.measure.value for other in held if other.measure.kind == "percent")
        yield from _before_points(held)
        yield from (100 * share for share in shares_of_changes(held))
        yield from (100 * (1 - share.value) for quote in quotes for share in shares_of(quote.text))
    else:
        pairs = (pair for pair in combinations(operands, 2) if not _of_unnamed_rows(pair, named))
        yield from differences_and_sums(pairs, differs=differs, adds=adds)
        if mine.kind == "people":
            yield from _people_together(operands)
        yield from parts_and_wholes(operands, quotes)
        yield from rests(operands, quotes, adds=adds)
        yield from parallel_sums(quotes)
    told_for_each = held if EACH.search(claim.text) else _told_for_each(quotes)
    if told_for_each:
        yield from for_each(held, told_for_each)
    for rate in _PER.finditer(claim.text):
        if unit_of_rate := unit_of(claim.text, rate.end()):
            yield from per_unit(held, unit_of_rate)
    yield from _of_columns(claim, quotes)
    if EACH_YEAR.search(claim.text):
        yield from for_each_year(quotes)
    yield from of_rates(number, quotes)
    yield from at_another_rate(number, held)
    if mine.kind == "area":
        yield from areas(quotes)
    if mine.kind == "time":
        yield from _times_between(quotes)
    elif _YEARS_OLD.search(claim.text[max(0, number.place - 22) : number.place + len(number.text) + 12]):
        yield from (years * mine.factor for years in years_between(quotes))


def _in_unit_of_claim(cell: Number, number: Number) -> Number:
    """Return a cell without a unit in that of the claim's number."""
    unit, measure = number.measure, cell.measure
    if not _is_bare_cell(cell) or unit.kind not in {"mass", "length", "area", "energy", "power", "volume"}:
        return cell
    scaled = replace(measure, kind=unit.kind, factor=unit.factor, value=measure.value * unit.factor)
    return replace(cell, measure=scaled)


def _before_points(held: Sequence[Number]) -> Iterator[float]:
    """Yield the percentages from which others rose or fell by some points: 64 of `81 %, 17 points more`."""
    for percent, points in combinations([number for number in held if number.measure.kind == "percent"], 2):
        if points.change is not percent.change and same_place(percent, points):
            yield from (percent.measure.value - points.measure.value, percent.measure.value + points.measure.value)


def _people_together(operands: Sequence[Number]) -> Iterator[float]:
    """Yield the sums of two groups of people that stand near each other: 131 passengers and 6 crew."""
    groups = [other for other in operands if other.measure.kind and other.measure.kind not in MEASURED_KINDS]
    for first, other in combinations(groups, 2):
        if same_place(first, other):
            yield first.measure.value + other.measure.value


def _times_between(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield the seconds between years, dates and times of day of the quotes."""
    yield from (years * YEAR for years in years_between(quotes))
    yield from seconds_between(quotes)


def _told_for_each(quotes: Sequence[Reading]) -> list[Number]:
    """Return the numbers that stand in a clause, or under a heading, that speaks of each of something."""
    told: list[Number] = []
    for quote in quotes:
        clauses = "\n".join(filter(EACH.search, quote.clauses))
        columns = {
            column
            for table in quote.tables
            for column, head in enumerate(table.heads)
            if EACH.search(head) or RATE.search(head)
        }
        told += [
            number
            for number in quote.numbers
            if (number.column in columns if number.row >= 0 else clauses and number.text in clauses)
        ]
    return told


def _is_an_end(number: Number, claim: Reading) -> bool:
    """Tell whether a number is an end of a change from one to another, and so no difference."""
    return bool(number.role) and {"from", "to"} <= {other.role for other in claim.numbers}


def _of_columns(claim: Reading, quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield totals and means of the columns and rows of tables, and of what prose counts."""
    means = MEAN.search(claim.text)
    labels = {label for quote in quotes for label in quote.labels}
    of_all_rows = CELL in claim.text and not labels_in(claim.text, labels)
    adds = of_all_rows or ADDS.search(claim.text)
    for quote in quotes if adds or means else ():
        groups: dict[tuple[str, int, str], list[float]] = {}
        for number in quote.numbers:
            if number.row < 0 or not any(
                table.is_sum(number.row) for table in quote.tables if number.row < len(table.rows)
            ):
                groups.setdefault(("column", number.column, number.measure.kind), []).append(number.measure.value)
            if number.row >= 0 and number.measure.value not in {year for year, _, _ in number.periods}:
                groups.setdefault(("row", number.row, number.measure.kind), []).append(number.measure.value)
        for values in groups.values():
            if adds:
                yield sum(values)
            if means:
                yield sum(values) / len(values)
        yield from _of_named_rows(claim, quote) if adds else ()


def _of_named_rows(claim: Reading, quote: Reading) -> Iterator[float]:
    """Yield what the rows of a table that a claim names come to, by column."""
    named = labels_in(claim.text, quote.labels)
    columns: dict[tuple[int, str], list[float]] = {}
    for number in quote.numbers if len(named) > 1 else ():
        if number.row >= 0 and number.names & named:
            columns.setdefault((number.column, number.measure.kind), []).append(number.measure.value)
    yield from (sum(values) for values in columns.values() if len(values) == len(named))


def _points(number: Number, claim: Reading) -> bool:
    return re.search(r"points?\b|百分点", claim.text[number.place : number.place + len(number.text) + 20]) is not None
