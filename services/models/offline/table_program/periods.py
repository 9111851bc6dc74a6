"""Time in a table: rows by year, month or day, and the years and months that a question limits them to."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from services.models.offline.table_program.reading import Column, Table

_MONTHS = "january february march april may june july august september october november december".split()
_NAMES = "|".join(f"{month[:3].title()}(?:{month[3:]})?" for month in _MONTHS)
MANY = 36
"""Months from which on a development is told by years."""


@dataclass
class Group:
    """What rows are told apart by: a key for each row, None for those that belong to no group."""

    name: str
    row_keys: list[Any]
    keys: list[Any] = field(default_factory=list)
    """The groups in order; those of the rows where none are given."""
    timely: bool = False
    """Whether the keys are times."""

    def __post_init__(self) -> None:
        """Find the groups where none are given."""
        if not self.keys:
            self.keys = list(dict.fromkeys(key for key in self.row_keys if key is not None))
        if self.timely and all(str(key)[:1].isdigit() for key in self.keys):
            self.keys = sorted(self.keys, key=lambda key: [int(one) for one in re.findall(r"\d+", str(key))])

    def rows(self, key: Any, among: list[int]) -> list[int]:
        """Return those of some rows that belong to a group."""
        return [place for place in among if self.row_keys[place] == key]


def month_column(table: Table) -> Column | None:
    """Return the column that names months without their year."""
    return next(
        (one for one in table.columns if re.fullmatch(r"months?|月份?|月", one.name.strip(), re.IGNORECASE)), None
    )


def _whole(month: Any) -> str:
    return f"{month:g}" if isinstance(month, float) else str(month)


_BY = r"(?:\b(?:by|per|each|every|which|what|\\w{{3,}}est|a|the most|over the|year by|month by)\s+(?:calendar\s+)?)"
_BY_YEAR = re.compile(rf"{_BY}years?\b|\byearly\b|\bannual|\byear by year|[每各逐按]年|哪一?年|年份|历年")
_BY_MONTH = re.compile(rf"{_BY}months?\b|\bmonthly\b|month by month|[每各逐按]个?月|哪一?个?月|月份|各月")
_BY_DAY = re.compile(
    rf"{_BY}(?:days?|dates?|saturday|sunday|session|visit)\b|\bdaily\b|\bwhen\b|[每各按](?:天|日)|哪一?[天日]|哪个日期|"
    "什么时候|何时"
)
_DATE_LIMITS = (
    (">", re.compile(r"(?:after|later than)\s+(?:the year\s+)?(\d{4})|(\d{4})\s*年?(?:以后|之后)", re.IGNORECASE)),
    (">=", re.compile(r"(?:since|from)\s+(\d{4})|(\d{4})\s*年?(?:以来|起)", re.IGNORECASE)),
    (
        "<",
        re.compile(
            r"(?:before|earlier than|until)\s+(?:the year\s+)?(\d{4})|(\d{4})\s*年?(?:以前|之前)", re.IGNORECASE
        ),
    ),
)
"""Where a stretch of time begins or ends."""


def period_group(table: Table, text: str) -> Group | None:
    """Return the stretches of time that a text wants results of: years, months, days."""
    lower = text.lower()
    trend = re.search(
        r"over time|\btrends?\b|over the (?:years|months|weeks)|趋势|随时间|(?:怎么|如何|怎样)变化", lower
    )
    years = _BY_YEAR.search(lower)
    months = _BY_MONTH.search(lower)
    days = _BY_DAY.search(lower)
    if not (trend or years or months or days):
        return None
    return _named_period(table, bool(years), bool(months), bool(days), bool(trend))


def _named_period(table: Table, years: bool, months: bool, days: bool, trend: bool) -> Group | None:
    year = next(iter(table.of("year")), None)
    month, day = month_column(table), next(iter(table.of("date")), None)
    if months and month is not None:
        return Group(month.name, [None if one is None else _whole(one) for one in month.values], timely=True)
    if day is not None:
        filled = [one for one in day.values if one is not None]
        wide = len({(one.year, one.month) for one in filled}) > MANY
        if years or (trend and not months and wide):
            return Group("year", [one and one.year for one in day.values], timely=True)
        if months or (trend and len({(one.year, one.month) for one in filled}) > 1):
            return Group("month", [one and f"{one:%Y-%m}" for one in day.values], timely=True)
        return Group(day.name, [one and one.isoformat() for one in day.values], timely=True)
    if year is not None and (years or trend or days):
        return Group(year.name, list(year.values), timely=True)
    if month is not None:
        return Group(month.name, [None if one is None else _whole(one) for one in month.values], timely=True)
    return None


def date_limits(table: Table, text: str, keep: Callable[[str, str, set[int]], None], apart: bool) -> str:
    """Apply what a text says of years and months, and return the rest of it.

    Args:
        table: whose rows are limited.
        text: of the question.
        keep: takes a column's name, the condition in words, and the rows that meet it.
        apart: whether two years are compared, and no span.
    """
    day, year = next(iter(table.of("date")), None), next(iter(table.of("year")), None)
    column = day or year
    if column is None:
        return text
    own = [None if one is None else one.year if day is not None else one for one in column.values]

    def limit(said: str, test: Callable[[int], bool]) -> None:
        keep(column.name, said, {place for place, one in enumerate(own) if one is not None and test(one)})

    if day is not None:
        text = _days(text, day, keep)
    span = re.search(
        r"(?:(?:between|from|从)|(?<!\s))\s*+(\d{4})\s*+(?:年\s*+)?(?:and|to|until|through|-|–|到|至)\s*+(\d{4})年?",
        text,
        re.IGNORECASE,
    )
    if span and not apart:
        first, last = int(span.group(1)), int(span.group(2))
        limit(f"{first}–{last}", lambda one: first <= one <= last)
        text = text.replace(span.group(), " ")
    tests: dict[str, Callable[[int, int], bool]] = {">": int.__gt__, ">=": int.__ge__, "<": int.__lt__}
    for sign, pattern in _DATE_LIMITS:
        found = pattern.search(text)
        if found:
            value = int(found.group(1) or found.group(2))
            limit(f"{sign} {value}", _compared(tests[sign], value))
            text = text.replace(found.group(), " ")
    years = list(dict.fromkeys(int(one) for one in re.findall(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", text)))
    if len(years) == 1:
        limit(f"= {years[0]}", lambda one: one in years)
        text = re.sub(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)年?", " ", text)
    return text


def _compared(test: Callable[[int, int], bool], value: int) -> Callable[[int], bool]:
    return lambda one: test(one, value)


def years_compared(table: Table, text: str) -> Group | None:
    """Return several years that a text sets side by side."""
    day, year = next(iter(table.of("date")), None), next(iter(table.of("year")), None)
    column = day or year
    years = list(dict.fromkeys(int(one) for one in re.findall(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", text)))
    if column is None or len(years) < 2:
        return None
    own = [None if one is None else one.year if day is not None else one for one in column.values]
    group = Group(column.name if day is None else "year", [one if one in years else None for one in own], keys=years)
    return group if set(years) & set(own) else None


def _days(text: str, day: Column, keep: Callable[[str, str, set[int]], None]) -> str:
    """Apply a day or a month that a text names to a column of dates."""
    exact = re.search(r"(\d{4})[-年/](\d{1,2})[-月/](\d{1,2})日?", text)
    if exact:
        y, m, d = (int(one) for one in exact.groups())
        keep(
            day.name,
            f"= {y}-{m:02}-{d:02}",
            {i for i, one in enumerate(day.values) if one and (one.year, one.month, one.day) == (y, m, d)},
        )
        return text.replace(exact.group(), " ")
    found = re.search(rf"\b({_NAMES})\b\.?(?:,? (\d{{4}}))?", text) or re.search(
        r"(?:(\d{4})年)?(\d{1,2})月(?!龄)", text
    )
    if found is None:
        return text
    first, second = found.groups()
    chinese = found.group().endswith("月")
    number = (
        int(second) if chinese else next(i for i, one in enumerate(_MONTHS, 1) if one.startswith(first[:3].lower()))
    )
    y = int((first if chinese else second) or 0)
    rows = {i for i, one in enumerate(day.values) if one and one.month == number and (not y or one.year == y)}
    keep(day.name, f"= {y}-{number:02}" if y else f"= month {number}", rows)
    return text.replace(found.group(), " ")
