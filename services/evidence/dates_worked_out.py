"""Times and dates that follow from others: how long between two dates or two times of day, and what is some time from a date."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from services.evidence.arithmetic import MAX_OPERANDS
from services.evidence.period_binding import Period
from services.evidence.readings import Reading
from services.text.numbers import MONTHS
from services.text.numerals import CHINESE_DIGIT, chinese_value

_YEAR, _MONTH = 31_557_600, 2_629_800
"""Seconds."""
_HOURS = 24
_NEXT_YEAR = re.compile(
    r"\b(?:a|the|one) year (?:earlier|later|before|after)|(?:previous|following|next) year|上年|次年|翌年|去年|前一年|同比"
)
_AGED = re.compile(r"\b(?:aged?|at(?: the age of)?) (\d{1,3})\b|\bwas (\d{1,2}) when\b|(\d{1,3})岁", re.IGNORECASE)
_YEAR_CELL = re.compile(r"[12]\d{3}")
_MONTH_ALONE = re.compile(
    rf"\b(?:in|of|since|until|by|from|to|early|late|mid|and|between)[ -](?P<name>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b(?!\.? \d)|"
    r"(?<![\d年])(?P<number>1[0-2]|[1-9])月(?!\d)",
    re.IGNORECASE,
)
_OF_DAY = re.compile(
    rf"(?<![\d:.])(?P<hour>\d{{1,2}})(?::(?P<minute>[0-5]\d)(?![\d:])|(?:\s?(?P<half>[ap])\.?m\b))|"
    rf"(?<![\d{CHINESE_DIGIT}十])(?P<written>\d{{1,2}}|[{CHINESE_DIGIT}十]{{1,3}})[时点](?!间|候)(?:(?P<thirty>半)|(?P<more>\d{{1,2}})分)?",
    re.IGNORECASE,
)
"""Times of day."""


def years_between(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield the years that lie between any two years of the quotes."""
    dated = {period[0] for quote in quotes for period in quote.periods if period[0] is not None}
    written = {
        int(cell)
        for quote in quotes
        for table in quote.tables
        for row in table.rows
        for cell in row
        if _YEAR_CELL.fullmatch(cell)
    }
    years = sorted(dated | written)
    yield from (float(last - first) for first, last in combinations(years[:MAX_OPERANDS], 2))


def seconds_between(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield the seconds between any two dates of the quotes that both have a year or both none, and between two times of day."""
    periods = {period for quote in quotes for period in quote.periods if period[1] is not None}
    for dated in (True, False):
        dates = sorted({_days(period) for period in periods if (period[0] is not None) is dated})[:MAX_OPERANDS]
        yield from ((last - first) * 86_400.0 for first, last in combinations(dates, 2))
    for quote in quotes:
        hours = sorted(set(islice(_hours(quote.text), MAX_OPERANDS)))
        for first, last in combinations(hours, 2):
            yield from ((last - first) * 3_600, (first - last + _HOURS) * 3_600)


def _days(period: Period) -> float:
    """Return a month or a day as days, in months of equal length."""
    year, month, day = (part or 0 for part in period)
    return year * 365.25 + (month - 1) * 30.4375 + max(0, day - 1)


def _hours(text: str) -> Iterator[float]:
    for found in _OF_DAY.finditer(text):
        if written := found["written"]:
            hour = float(written if written[0].isdigit() else chinese_value(written))
            yield hour + (0.5 if found["thirty"] else int(found["more"] or 0) / 60)
        else:
            afternoon = (found["half"] or "").lower() == "p" and int(found["hour"]) < _HOURS / 2
            yield int(found["hour"]) + int(found["minute"] or 0) / 60 + (_HOURS / 2 if afternoon else 0)


def month_of_year(date: Period, quotes: Sequence[Reading]) -> bool:
    """Tell whether a quote names a date's month without a year, and its year elsewhere: `in 2023 … at the end of September`."""
    year, month, day = date
    if year is None or month is None or day is not None:
        return False
    return any(
        any(period[0] == year for period in quote.periods) and month in _months_alone(quote.text) for quote in quotes
    )


def _months_alone(text: str) -> frozenset[int]:
    found = _MONTH_ALONE.finditer(text)
    return frozenset(MONTHS[match["name"].lower()] if match["name"] else int(match["number"]) for match in found)


def date_follows(date: Period, quotes: Sequence[Reading]) -> bool:
    """Tell whether a year, or a month of a year, is some time, which a quote tells, from a date of the quote."""
    year, month, day = date
    if year is None or day is not None:
        return False
    for quote in quotes:
        spans = {number.measure.value for number in quote.numbers if number.measure.kind == "time"}
        known = [period for period in quote.periods if period[0] is not None]
        if month is not None:
            months = {12 * (there[0] or 0) + there[1] for there in known if there[1] is not None}
            spans_in_months = {round(span / _MONTH) for span in spans}
            if any(abs(12 * year + month - there) in spans_in_months - {0} for there in months):
                return True
            continue
        years = {round(span / _YEAR) for span in spans} | ({1} if _NEXT_YEAR.search(quote.text) else set())
        if any(abs(year - (there[0] or 0)) in years - {0} for there in known):
            return True
        ages = {int(found[1] or found[2] or found[3]) for found in _AGED.finditer(quote.text)}
        if any(year - (there[0] or 0) - age in (0, 1) for there in known for age in ages):
            return True
    return False
