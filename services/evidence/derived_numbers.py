"""Numbers that a claim works out from those of its quotes: rounded, as a share, a difference, a sum, a date or a count."""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, permutations

from services.evidence.arithmetic import (
    FEW,
    MAX_OPERANDS,
    MAX_PARTS,
    changes,
    differences_and_sums,
    for_each,
    in_one_unit,
    parallel_sums,
    parts_and_wholes,
    per_unit,
    percentages,
    related,
    rests,
    same_place,
)
from services.evidence.derived_dates import YEAR, seconds_between, years_between
from services.evidence.readings import CELL, CLOCK, Number, Reading
from services.evidence.table_reading import labels_in
from services.text.measures import MEASURED_KINDS, unit_of
from services.text.numerals import SCALES
from services.text.polarity import direction
from services.text.rates import IN_A_YEAR
from services.text.shares import Share, shares_of
from services.text.tokens import pieces

MAX_COUNTED = 12
"""Most rows or things that a claim may count by itself."""
MAX_REFERRED = 4
"""Most things that `the two towns` can refer to without being a count."""
SHARE = 0.06
"""How far a share in words may be from the share that the quotes give."""
BEYOND = 1.5
"""How many times more a quote may give where the claim says `more than`."""

_MORE = re.compile(
    r"(?:more than|over|above|exceed(?:s|ed|ing)?|crossed|passed|topped|at least|a little over|just over|upwards of|(?:超过|逾|多于|至少|不止|越过|突破|跨过)[^，。；、\d]{0,8})(?: an?)?\s?[$€£¥]?$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"(?:less than|fewer than|under|below|at most|almost|nearly|just under|close to|short of|(?:不足|不到|不及|近|将近|少于)[^，。；、\d]{0,8})(?: an?)?\s?[$€£¥]?$",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"\b(?:points?|more|less|fewer|lower|higher|short\w*|long\w*|old\w*|young\w*|later|earlier|rise|rose|risen|fell|fall\w*|increas\w*|"
    r"decreas\w*|drop\w*|declin\w*|gr[eo]w\w*|gap|lead|ahead|behind|difference|differ\w*|majority|margin|heavier|lighter|faster|slower|cheaper|dearer|deeper|"
    r"shallower|thicker|thinner|wider|narrower|larger|bigger|smaller|closer|farther|apart|additional|extra|added|lack\w*|missing|shortfall|deficit|saved?|saving|warmer|colder|hotter|cooler|than|after|before|gained?|lost|up|down|remain\w*|rest|other|not|no longer|never|years?|between (?:the|these|both|them))\b|"
    r"缺|短缺|省[下了去出]|节[省约]|便宜|昂?贵|没|差|外|剩|其余|其他|多|少|高|低|晚|早|增|减|降|升|提|涨|跌|余|不|年|未|领先|落后|[厚薄宽窄深浅长短快慢轻重远近大小]",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"[^，。；、\d\s]{0,4}以上|(?: \w{1,15})? or more\b")
_MORE_AFTER = re.compile(r"[多余强]|以上|or more")
_SUM = re.compile(
    r"\b(?:total\w*|altogether|together|combined|across|add(?:s|ed|ing)?|(?:staff|team|workforce|fleet|crew|group) of|in aggregate|in all|sum|both|overall|bring\w*|will have)\b|增加?[到至]|将[有达]|共|合计|总|一共|两者",
    re.IGNORECASE,
)
_OF_THE = re.compile(r"\bof (?:the|all) $", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean)\b|平均", re.IGNORECASE)
_EACH = re.compile(
    r"\b(?:average|mean|per|each|every|apiece|a piece|daily|weekly|monthly|times an?)\b|平均|每|人均|均|各",
    re.IGNORECASE,
)
_PER = re.compile(r"(?:\b(?:per|every|each)|每)\s?(?=[a-z\u4e00-\u9fff])", re.IGNORECASE)
"""Before the unit of a rate: `for every mile`, `每平方公里`."""
_RATE = re.compile(r"[（(][^（）()/]{1,12}/[^（）()/]{1,12}[）)]")
"""A unit of a heading that is of each of something: `Yield (t/ha)`."""
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


def differs_in(text: str) -> bool:
    """Tell whether a text speaks of a difference or a change."""
    return _DIFFERENCE.search(text) is not None or direction(text) != 0


def is_share(number: Number, claim: Reading) -> bool:
    """Tell whether a number is part of a share in words, which is checked as a whole."""
    return any(share.start <= number.place < share.end for share in shares_of(claim.text))


def share_holds(share: Share, claim: Reading, quotes: Sequence[Reading]) -> bool:
    """Tell whether the quotes give a share or a multiple: in words, in percent, or as two numbers of one kind."""
    before, after = claim.text[max(0, share.start - 18) : share.start], claim.text[share.end : share.end + 8]
    given = [value for quote in quotes for value in _given_shares(quote)]
    held = [number for quote in quotes for number in quote.numbers]
    if len(quotes) > 1:
        given += [ratio for pair in _of_few(held) for ratio in (pair[0] / pair[1], pair[1] / pair[0])]
    if differs_in(claim.text):
        given += _shares_of_changes(held)
        given += [percent / 100 for percent in changes(related(held), of_percentages=True)]
    given += [1 - value for value in given if value < 1]
    return any(_near(share.value, value, before, after) for value in given)


def _of_few(held: Sequence[Number]) -> Iterator[tuple[float, float]]:
    """Yield the values of two numbers of different quotes in one unit, of which there are few."""
    units: dict[str, list[float]] = {}
    for number in held:
        if number.measure.kind in MEASURED_KINDS - {"percent"} and number.measure.value > 0:
            units.setdefault(number.measure.kind, []).append(number.measure.value)
    for values in units.values():
        yield from combinations(values, 2) if len(values) <= FEW else ()


def _given_shares(quote: Reading) -> Iterator[float]:
    yield from (share.value for share in shares_of(quote.text))
    values = [number for number in quote.numbers if number.measure.value > 0][:MAX_OPERANDS]
    yield from (number.measure.value / 100 for number in values if number.measure.kind == "percent")
    rates = [number.measure.value for number in values if number.measure.kind == "percent"]
    yield from (max(pair) / min(pair) for pair in combinations(rates, 2))
    yield from _of_totals(values)
    for first, other in combinations(values, 2):
        if "percent" not in {first.measure.kind, other.measure.kind} and (
            first.measure.kind == other.measure.kind or same_place(first, other)
        ):
            left, right = in_one_unit(first, other)
            yield from (left / right, right / left, left / (left + right), right / (left + right))


def _of_totals(numbers: Sequence[Number]) -> Iterator[float]:
    """Yield which share each of three and more numbers of one thing has in their total: 31 votes of 31, 17 and 4."""
    clauses: dict[tuple[frozenset[str], str], list[float]] = {}
    for number in numbers:
        if number.row < 0 and number.measure.kind not in {"", "percent"}:
            clauses.setdefault((number.words, number.measure.kind), []).append(number.measure.value)
    for values in clauses.values():
        if 2 < len(values) <= MAX_PARTS:
            yield from (value / sum(values) for value in values)


def _near(share: float, value: float, before: str, after: str) -> bool:
    if _MORE.search(before) or _MORE_AFTER.match(after):
        return share <= value <= share * BEYOND
    if _LESS.search(before):
        return share / BEYOND <= value <= share * (1 + SHARE)
    return math.isclose(share, value, rel_tol=SHARE)


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
    low, high = bool(_MORE.search(before) or _OR_MORE.match(after)), bool(_LESS.search(before))
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
    adds = bool(_SUM.search(claim.text) or _OF_THE.search(claim.text[max(0, number.place - 8) : number.place]))
    if relative:
        yield from percentages([pair for pair in related(held) if not _of_unnamed_rows(pair, named)])
        yield from (100 * share.value for quote in quotes for share in shares_of(quote.text))
        yield from (100 - other.measure.value for other in held if other.measure.kind == "percent")
        yield from _before_points(held)
        yield from (100 * share for share in _shares_of_changes(held))
        yield from (100 * (1 - share.value) for quote in quotes for share in shares_of(quote.text))
    else:
        pairs = (pair for pair in combinations(operands, 2) if not _of_unnamed_rows(pair, named))
        yield from differences_and_sums(pairs, differs=differs, adds=adds)
        if mine.kind == "people":
            yield from _people_together(operands)
        yield from parts_and_wholes(operands, quotes)
        yield from rests(operands, quotes, adds=adds)
        yield from parallel_sums(quotes)
    told_for_each = held if _EACH.search(claim.text) else _told_for_each(quotes)
    if told_for_each:
        yield from for_each(held, told_for_each)
    for rate in _PER.finditer(claim.text):
        if unit_of_rate := unit_of(claim.text, rate.end()):
            yield from per_unit(held, unit_of_rate)
    yield from _of_columns(claim, quotes)
    if _EACH_YEAR.search(claim.text):
        yield from _for_each_year(quotes)
    yield from _of_rates(number, quotes)
    yield from _at_another_rate(number, held)
    if mine.kind == "area":
        yield from _areas(quotes)
    if mine.kind == "time":
        yield from _times_between(quotes)
    elif _YEARS_OLD.search(claim.text[max(0, number.place - 22) : number.place + len(number.text) + 12]):
        yield from (years * mine.factor for years in years_between(quotes))


_EACH_YEAR = re.compile(r"\b(?:per|a|each|every) year\b|\b(?:annual|yearly)|每年|年均", re.IGNORECASE)


def _for_each_year(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield what the numbers of a quote are for each year from its first to its last."""
    for quote in quotes:
        years = {year for year, _, _ in quote.periods if year is not None}
        span = max(years) - min(years) + 1 if len(years) > 1 else 0
        yield from (number.measure.value / span for number in quote.numbers if span and number.row < 0)


def _in_unit_of_claim(cell: Number, number: Number) -> Number:
    """Return a cell without a unit in that of the claim's number."""
    unit, measure = number.measure, cell.measure
    if not _is_bare_cell(cell) or unit.kind not in {"mass", "length", "area", "energy", "power", "volume"}:
        return cell
    scaled = replace(measure, kind=unit.kind, factor=unit.factor, value=measure.value * unit.factor)
    return replace(cell, measure=scaled)


def _shares_of_changes(held: Sequence[Number]) -> Iterator[float]:
    """Yield which share of what there was before a change is: a fifth of `36 million, 6 million more than planned`."""
    for whole, change in permutations(held[:MAX_OPERANDS], 2):
        if change.change and not whole.change and same_place(whole, change):
            left, right = in_one_unit(whole, change)
            yield from (right / base for base in (left - right, left + right) if base > 0)


def _before_points(held: Sequence[Number]) -> Iterator[float]:
    """Yield the percentages from which others rose or fell by some points: 64 of `81 %, 17 points more`."""
    for percent, points in combinations([number for number in held if number.measure.kind == "percent"], 2):
        if points.change is not percent.change and same_place(percent, points):
            yield from (percent.measure.value - points.measure.value, percent.measure.value + points.measure.value)


def _at_another_rate(number: Number, held: Sequence[Number]) -> Iterator[float]:
    """Yield the numbers of quotes for the time for which a claim tells its own: 240,000 a year are 20,000 a month."""
    for other in held if number.rate else ():
        if other.rate and other.rate != number.rate:
            yield other.measure.value * IN_A_YEAR[other.rate] / IN_A_YEAR[number.rate]
        elif not other.rate and other.periods and all(month is None for _, month, _ in other.periods):
            yield other.measure.value / IN_A_YEAR[number.rate]  # of a year


def _of_rates(number: Number, quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield what a rate of a table comes to with another number of its row: 42 ha with 7.5 t/ha."""
    for quote in quotes:
        rates = {column for table in quote.tables for column, head in enumerate(table.heads) if _RATE.search(head)}
        cells = [number for number in quote.numbers if number.row >= 0][:MAX_OPERANDS]
        for rate in (cell for cell in cells if cell.column in rates):
            others = (cell for cell in cells if cell.row == rate.row and cell.column not in rates)
            value = rate.measure.value * (1.0 if rate.measure.kind else number.measure.factor)
            yield from (value * cell.measure.value / cell.measure.factor for cell in others)


_BY = re.compile(r"\s?(?:metres?|meters?|m|km|cm|mm|feet|ft|米|公里|厘米)?\s?(?:by|x|×|乘以?)\s?")


def _areas(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield the areas of what quotes give the length and the breadth of: `32 by 11 metres`."""
    for quote in quotes:
        for first, other in pairwise(number for number in quote.numbers if number.row < 0):
            if _BY.fullmatch(quote.text, first.place + len(first.text), other.place):
                left, right = in_one_unit(first, other)
                yield left * right


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
        clauses = "\n".join(filter(_EACH.search, quote.clauses))
        columns = {
            column
            for table in quote.tables
            for column, head in enumerate(table.heads)
            if _EACH.search(head) or _RATE.search(head)
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
    means = _MEAN.search(claim.text)
    labels = {label for quote in quotes for label in quote.labels}
    of_all_rows = CELL in claim.text and not labels_in(claim.text, labels)
    adds = of_all_rows or _SUM.search(claim.text)
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
