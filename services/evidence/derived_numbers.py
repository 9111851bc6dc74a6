"""Numbers that a claim works out from those of its quotes: rounded, as a share, a difference, a sum, a date or a count."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from services.evidence.readings import CLOCK, Number, Period, Reading
from services.text.measures import MEASURED_KINDS
from services.text.numerals import SCALES
from services.text.polarity import negated
from services.text.shares import Share, shares_of
from services.text.tokens import pieces

MAX_OPERANDS = 40
"""Numbers of one kind that are tried in pairs."""
MAX_COUNTED = 12
"""Most rows or things that a claim may count by itself."""
NEAR = 120
"""Most characters between two numbers of prose that are calculated with although they count different things."""
FEW = 4
"""Most numbers of a unit that may be shares of each other wherever they stand: with more, some pair gives any share."""
MAX_REFERRED = 4
"""Most things that `the two towns` can refer to without being a count."""
SHARE = 0.06
"""How far a share in words may be from the share that the quotes give."""
BEYOND = 1.5
"""How many times more a quote may give where the claim says `more than`."""

_MORE = re.compile(
    r"(?:more than|over|above|exceed(?:s|ed|ing)?|at least|a little over|just over|upwards of|超过|逾|多于|至少|不止)\s?[$€£¥]?$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"(?:less than|fewer than|under|below|at most|almost|nearly|just under|close to|不足|不到|近|将近|少于)\s?[$€£¥]?$",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"\b(?:points?|more|less|fewer|lower|higher|short\w*|long\w*|old\w*|young\w*|later|earlier|rise|rose|risen|fell|fall\w*|increas\w*|"
    r"decreas\w*|drop\w*|declin\w*|gr[eo]w\w*|gap|lead|ahead|behind|difference|differ\w*|heavier|lighter|faster|slower|cheaper|dearer|deeper|"
    r"shallower|thicker|thinner|wider|narrower|larger|bigger|smaller|closer|farther|warmer|colder|hotter|cooler|than|after|before|gained?|lost|remain\w*|rest|other|not|no longer|never|years?)\b|"
    r"差|外|剩|其余|其他|多|少|高|低|晚|早|增|减|降|升|提|涨|跌|余|不|年|未|领先|落后|[厚薄宽窄深浅长短快慢轻重远近大小]",
    re.IGNORECASE,
)
_MORE_AFTER = re.compile(r"[多余强]|以上|or more")
_SUM = re.compile(
    r"\b(?:total\w*|altogether|together|combined|in all|sum|both|overall)\b|共|合计|总|一共|两者", re.IGNORECASE
)
_OF_THE = re.compile(r"\bof (?:the|all) $", re.IGNORECASE)
_AGE = re.compile(r"\b(?:aged?|old|years?)\b|岁|年", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean)\b|平均", re.IGNORECASE)
_EACH = re.compile(r"\b(?:average|mean|per|each|every|apiece|a piece)\b|平均|每|人均|均", re.IGNORECASE)
_BACK_REFERENCE = re.compile(r"\b(?:the|these|those|all|both|his|her|its|their|of) $|[这该那全]$", re.IGNORECASE)
_LIST = re.compile(r",(?=\s)|\band\b|\bor\b|[、和与及]")
_NEXT_YEAR = re.compile(
    r"\b(?:a|the|one) year (?:earlier|later|before|after)|(?:previous|following|next) year|上年|次年|翌年|去年|前一年|同比"
)
_MINOR = re.compile(r"^(?:cent|€|\$|£)$")


def derivable(number: Number, claim: Reading, quotes: Sequence[Reading]) -> bool:
    """Tell whether a claim's number, which no quote holds, follows from those that the quotes hold."""
    held = [other for quote in quotes for other in quote.numbers]
    return (
        _bounded(number, claim, held)
        or _counted(number, claim, quotes)
        or _converted(number, claim, held)
        or any(_agree(number, value) for value in _worked_out(number, claim, held, quotes))
    )


def is_share(number: Number, claim: Reading) -> bool:
    """Tell whether a number is part of a share in words, which is checked as a whole."""
    return any(share.start <= number.place < share.end for share in shares_of(claim.text))


def share_holds(share: Share, claim: Reading, quotes: Sequence[Reading]) -> bool:
    """Tell whether the quotes give a share or a multiple: in words, in percent, or as two numbers of one kind."""
    before, after = claim.text[max(0, share.start - 14) : share.start], claim.text[share.end : share.end + 8]
    given = [value for quote in quotes for value in _given_shares(quote)]
    if negated(claim.text):
        given += [1 - value for value in given if value < 1]
    return any(_near(share.value, value, before, after) for value in given)


def _given_shares(quote: Reading) -> Iterator[float]:
    yield from (share.value for share in shares_of(quote.text))
    values = [number for number in quote.numbers if number.measure.value > 0][:MAX_OPERANDS]
    yield from (number.measure.value / 100 for number in values if number.measure.kind == "percent")
    rates = [number.measure.value for number in values if number.measure.kind == "percent"]
    yield from (max(pair) / min(pair) for pair in combinations(rates, 2))
    for one, other in _pairs(values):
        yield one / other
        yield one / (one + other)


def _pairs(numbers: Sequence[Number]) -> Iterator[tuple[float, float]]:
    for one, other in combinations(numbers, 2):
        kinds = {one.measure.kind, other.measure.kind}
        if "percent" in kinds:
            continue
        if len(kinds) == 1 or (one.row < 0 and other.row < 0 and abs(one.place - other.place) < NEAR):
            yield one.measure.value, other.measure.value
            yield other.measure.value, one.measure.value


def _near(share: float, value: float, before: str, after: str) -> bool:
    if _MORE.search(before) or _MORE_AFTER.match(after):
        return share <= value <= share * BEYOND
    if _LESS.search(before):
        return share * (1 - 4 * SHARE) <= value <= share * (1 + SHARE)
    return math.isclose(share, value, rel_tol=SHARE)


def _agree(number: Number, value: float) -> bool:
    mine = number.measure
    if mine.value < 0:
        return False
    within = max(mine.half_step if number.rough else min(mine.half_step, 0.5 * mine.factor), 1e-6 * abs(mine.value))
    return abs(mine.value - value) <= within + 1e-9


def _bounded(number: Number, claim: Reading, held: Sequence[Number]) -> bool:
    """Tell whether a quote's number is somewhat more or less than a claim's that is said to be a bound."""
    before = claim.text[max(0, number.place - 18) : number.place]
    low, high = bool(_MORE.search(before)), bool(_LESS.search(before))
    mine = number.measure.value
    for other in held if low or high else ():
        theirs = other.measure.value
        kinds = {other.measure.kind, number.measure.kind}
        if (len(kinds) == 1 or not kinds & MEASURED_KINDS) and (
            (low and mine <= theirs <= mine * BEYOND) or (high and mine / BEYOND <= theirs <= mine)
        ):
            return True
    return False


def _counted(number: Number, claim: Reading, quotes: Sequence[Reading]) -> bool:
    """Tell whether a small number in words counts rows or a list, or only refers to what was named: `the two towns`."""
    count = number.measure.value / number.measure.factor
    if re.match(r"\d", number.text, re.ASCII) or count > MAX_COUNTED or not float(count).is_integer():
        return False
    if number.text == "两":
        return True
    if count <= MAX_REFERRED and _BACK_REFERENCE.search(claim.text[max(0, number.place - 8) : number.place]):
        return True
    if any(count <= len(table.rows) for quote in quotes for table in quote.tables):
        return True
    return any(len(_LIST.findall(clause)) + 1 == count for quote in quotes for clause in quote.clauses)


def _converted(number: Number, claim: Reading, held: Sequence[Number]) -> bool:
    """Tell whether a number is a quote's in minor units of money, or scaled by a later word."""
    mine = number.measure
    if mine.kind == "cent":
        return any(_MINOR.match(other.measure.kind) and math.isclose(mine.value, other.measure.value) for other in held)
    scales = {SCALES[word] for word in pieces(claim.text) if word in SCALES}
    return any(math.isclose(mine.value * scale, other.measure.value) for scale in scales for other in held)


def _worked_out(number: Number, claim: Reading, held: Sequence[Number], quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield what differences, sums and times between years come to."""
    mine = number.measure
    unit = mine.kind if mine.kind in {"time", "length", "percent"} else ""
    kinds = {unit, "", CLOCK} if unit == "time" else {unit, ""}
    operands = [other for other in held if not unit or other.measure.kind in kinds][:MAX_OPERANDS]
    differs = _DIFFERENCE.search(claim.text)
    adds = _SUM.search(claim.text) or _OF_THE.search(claim.text[max(0, number.place - 8) : number.place])
    for one, other in combinations(operands, 2):
        if (
            one.measure.kind != other.measure.kind
            and "" not in (one.measure.kind, other.measure.kind)
            and not _same_place(one, other)
        ):
            continue
        if mine.kind == "percent" and not _points(number, claim):
            continue
        if differs:
            yield abs(one.measure.value - other.measure.value)
        if adds or one.change or other.change:
            yield one.measure.value + other.measure.value
    if _EACH.search(claim.text):
        yield from (big / small for big, small in _divisions(operands))
    yield from _of_columns(claim, quotes)
    if mine.kind == "percent" and not _points(number, claim):
        yield from _percentages(_related(held))
        yield from (100 * share.value for quote in quotes for share in shares_of(quote.text))
    if mine.kind == "time" or _AGE.search(claim.text[max(0, number.place - 12) : number.place + len(number.text) + 12]):
        factor = mine.factor
        years = sorted({period[0] for quote in quotes for period in quote.periods if period[0] is not None})[
            :MAX_OPERANDS
        ]
        yield from ((last - first) * factor for first, last in combinations(years, 2))
    if mine.kind == "time":
        for dated in (True, False):
            dates = sorted(
                {
                    _days(period)
                    for quote in quotes
                    for period in quote.periods
                    if period[1] is not None and (period[0] is not None) is dated
                }
            )[:MAX_OPERANDS]
            yield from ((last - first) * 86_400.0 for first, last in combinations(dates, 2))


def _divisions(operands: Sequence[Number]) -> Iterator[tuple[float, float]]:
    """Yield pairs of numbers near each other of which the second counts what the first is shared out among."""
    for one, other in combinations(operands, 2):
        if one.measure.kind == other.measure.kind or not _same_place(one, other):
            continue
        for total, count in ((one, other), (other, one)):
            if count.measure.kind not in MEASURED_KINDS and count.measure.value > 1:
                yield total.measure.value, count.measure.value


def _days(period: Period) -> float:
    """Return a month or a day as days, in months of equal length."""
    year, month, day = (part or 0 for part in period)
    return year * 365.25 + (month - 1) * 30.4375 + max(0, day - 1)


def _related(held: Sequence[Number]) -> list[tuple[Number, Number]]:
    """Return pairs of numbers that one may be a share of the other: near in prose, in one row or column, or the few of a unit."""
    pairs = combinations(held[:MAX_OPERANDS], 2)
    few = {kind for kind, count in Counter(number.measure.kind for number in held).items() if count <= FEW}
    return [
        (one, other)
        for one, other in pairs
        if _same_place(one, other)
        or one.measure.kind == other.measure.kind in few & MEASURED_KINDS
        or (
            one.row >= 0
            and (one.row == other.row or one.column == other.column)
            and one.measure.kind == other.measure.kind
        )
    ]


def _percentages(pairs: Sequence[tuple[Number, Number]]) -> Iterator[float]:
    """Yield what percentage one number is of the other, and by how many percent one is more or less."""
    for pair in pairs:
        one, other = (number.measure.value for number in pair)
        if one > 0 and other > 0 and not (pair[0].measure.kind == pair[1].measure.kind == "percent"):
            yield from (
                100 * one / other,
                100 * other / one,
                100 * abs(one - other) / one,
                100 * abs(one - other) / other,
            )


def _of_columns(claim: Reading, quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield totals and means of the columns of tables, and of what one clause of prose counts."""
    adds, means = _SUM.search(claim.text), _MEAN.search(claim.text)
    for quote in quotes if adds or means else ():
        groups: dict[tuple[int, str], list[float]] = {}
        for number in quote.numbers:
            if number.row < 0 or not any(
                table.is_sum(number.row) for table in quote.tables if number.row < len(table.rows)
            ):
                groups.setdefault((number.column, number.measure.kind), []).append(number.measure.value)
        for values in groups.values():
            if adds:
                yield sum(values)
            if means:
                yield sum(values) / len(values)


def _same_place(one: Number, other: Number) -> bool:
    return one.row < 0 and other.row < 0 and abs(one.place - other.place) < NEAR


def _points(number: Number, claim: Reading) -> bool:
    return re.search(r"points?\b|百分点", claim.text[number.place : number.place + len(number.text) + 20]) is not None


def year_follows(year: int, quotes: Sequence[Reading]) -> bool:
    """Tell whether a year is some years, which a quote tells, from a year of the quote."""
    for quote in quotes:
        spans = {round(number.measure.value / 31_557_600) for number in quote.numbers if number.measure.kind == "time"}
        if _NEXT_YEAR.search(quote.text):
            spans.add(1)
        years = {period[0] for period in quote.periods if period[0] is not None}
        if any(year in (known - span, known + span) for known in years for span in spans if span):
            return True
    return False
