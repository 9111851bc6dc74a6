"""Times and dates that follow from others: how long between two dates or two times of day, and what is some time from a date."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations, islice

from services.evidence.arithmetic import MAX_OPERANDS
from services.evidence.period_binding import Period
from services.evidence.readings import Reading
from services.text.numbers import MONTHS
from services.text.numerals import CHINESE_DIGIT, chinese_value

YEAR, _MONTH, _DAY = 31_557_600, 2_629_800, 86_400
"""Seconds."""
_ANY_YEAR = 2_001
"""Of days where no date has a year."""
_HOURS = 24
_NEXT_YEAR = re.compile(
    r"\b(?:a|the|one) year (?:earlier|later|before|after)|(?:previous|following|next) year|\bafter (?:\w+ )?a year\b|上年|次年|翌年|去年|前一年|第二年|同比|(?<![\d十百])一年[之以]?[前后]"
)
_DECADE = re.compile(r"\b(?:a|one) (?:decade|(?P<century>century)) (?:earlier|later|before|after)\b")
RELATIVE_TIME = re.compile(
    rf"\b(?:years?|decades?|century|centuries|months?) (?:later|earlier|before|after(?:wards)?)\b|[年月][之以]?[前后]|{_NEXT_YEAR.pattern}",
    re.IGNORECASE,
)
"""A time that is told from another: `five years later`."""
_AGED = re.compile(
    r"\b(?:aged?|at(?: the age of)?|turned|when s?he was) (\d{1,3})\b|\bwas (\d{1,2}) when\b|(\d{1,3})岁", re.IGNORECASE
)
_YEAR_IN_CELL = re.compile(r"(?<![\d.,])[12]\d{3}(?![\d.,])")
_MONTH_ALONE = re.compile(
    rf"\b(?:in|of|since|until|by|from|to|early|late|mid|and|between)[ -](?P<name>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b(?!\.? \d)|"
    r"(?:(?<![\d年])|(?<=[同当]年))(?P<number>1[0-2]|[1-9])月(?!\d)",
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
        int(year)
        for quote in quotes
        for table in quote.tables
        for row in table.rows
        for cell in row
        for year in _YEAR_IN_CELL.findall(cell)
    }
    years = sorted(dated | written)
    yield from (float(last - first) for first, last in combinations(years[:MAX_OPERANDS], 2))


def seconds_between(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield the seconds between any two days of the quotes, between two months, and between two times of day; of months also with both of them."""
    periods = {period for quote in quotes for period in quote.periods if period[1] is not None}
    year = min((period[0] for period in periods if period[0] is not None), default=None)
    days = {float(_ordinal(period, year)) for period in periods if period[2] is not None}
    groups = [{_days(period) for period in periods if (period[0] is not None) is dated} for dated in (True, False)]
    groups[1].update(_days((None, month, None)) for quote in quotes for month in _months_alone(quote.text))
    for group in (days, *groups):
        dates = sorted(group)[:MAX_OPERANDS]
        yield from ((last - first) * _DAY for first, last in combinations(dates, 2))
    in_months = {12 * (period[0] or 0) + (period[1] or 0) for period in periods if period[2] is None}
    in_months.update(month for quote in quotes for month in _months_of_one_year(quote))
    for before, after in combinations(sorted(in_months)[:MAX_OPERANDS], 2):
        yield from ((after - before) * _MONTH, (after - before + 1) * _MONTH)
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


def _months_of_one_year(quote: Reading) -> Iterator[int]:
    """Yield the months of a text that names one year, counted from the year 0: `2016年2月首映，同年9月公映`."""
    years = {period[0] for period in quote.periods if period[0] is not None}
    if len(years) == 1:
        yield from (12 * (year or 0) + month for year in years for month in _months_alone(quote.text))


def _months_alone(text: str) -> frozenset[int]:
    found = _MONTH_ALONE.finditer(text)
    return frozenset(MONTHS[match["name"].lower()] if match["name"] else int(match["number"]) for match in found)


def date_follows(wanted: Period, quotes: Sequence[Reading]) -> bool:
    """Tell whether a year, a month of a year or a day is some time, which a quote tells, from a date of the quote."""
    return any(_day_follows(wanted, quote) if wanted[2] else _year_or_month_follows(wanted, quote) for quote in quotes)


def _times_told(quote: Reading) -> set[float]:
    return {number.measure.value for number in quote.numbers if number.measure.kind == "time"}


def _day_follows(wanted: Period, quote: Reading) -> bool:
    days = {round(span / _DAY) for span in _times_told(quote)} - {0}
    there = [_ordinal(period, wanted[0]) for period in quote.periods if period[2] is not None]
    return any(abs(_ordinal(wanted, period[0]) - other) in days for period in quote.periods for other in there)


def _ordinal(period: Period, year: int | None) -> int:
    """Return the number of a day in the calendar, in another period's year where it has none; 0 for a day that does not exist."""
    try:
        return date(period[0] or year or _ANY_YEAR, period[1] or 1, period[2] or 1).toordinal()
    except ValueError:
        return 0


def _year_or_month_follows(wanted: Period, quote: Reading) -> bool:
    year, month, _ = wanted
    if year is None:
        return False
    spans = _times_told(quote)
    known = [period for period in quote.periods if period[0] is not None]
    if month is not None:
        months = {12 * (there[0] or 0) + there[1] for there in known if there[1] is not None}
        return any(abs(12 * year + month - there) in {round(span / _MONTH) for span in spans} - {0} for there in months)
    years = {round(span / YEAR) for span in spans} | ({1} if _NEXT_YEAR.search(quote.text) else set())
    years |= {100 if found["century"] else 10 for found in _DECADE.finditer(quote.text)}
    if any(abs(year - (there[0] or 0)) in years - {0} for there in known):
        return True
    ages = {int(found[1] or found[2] or found[3]) for found in _AGED.finditer(quote.text)}
    return any(abs(year - (there[0] or 0)) - age in (0, 1) for there in known for age in ages)
