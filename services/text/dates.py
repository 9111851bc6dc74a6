"""When something was published, as an ISO date, and the time that a question asks about, in English and Chinese."""

import re
from dataclasses import dataclass
from datetime import date

from services.text.numbers import quantities

_FIRST_YEAR, _LAST_YEAR = 1000, 2999
_NUMERIC = re.compile(r"\s*+([12]\d{3})(?:\s?[-/.年]\s?(\d{1,2})(?:\s?[-/.月]\s?(\d{1,2}))?)?(?=[\sT年月日号,]|$)")
_COMPACT = re.compile(r"\s*+([12]\d{3})(\d\d)(\d\d)(?!\d)")
LONGEST_DATE = 60
"""Characters in which a date is looked for."""

_YEAR = r"(?P<{name}>(?:19|20)\d\d)(?![\d%]|s\b|[.,:]\d|-\d| ?(?:m|km|kg|ft|feet|metres?|meters?|miles?|people|dollars?|years?|days?)\b)"
_ENGLISH_YEAR = re.compile(
    r"\b(?:in|of|since|by|during|until|till|through|from|between|and|to|or|before|after|early|mid|late|fiscal|year|the|fy|q[1-4])[ -]?"
    + _YEAR.format(name="named")
    + r"|\b"
    + _YEAR.format(name="last")
    + r"(?=\s*+[?？.!]?\s*+$)",
    re.IGNORECASE,
)
_CHINESE_YEAR = re.compile(r"(?<!\d)(?P<named>(?:19|20)\d\d)\s?年(?!代)")
_NOW = re.compile(
    r"\b(?:nowadays|currently|presently|at present|at the moment|today|latest|newest|most recent|recent|recently|up[- ]to[- ]date|"
    r"state of the art|state-of-the-art|this (?:year|month|week|quarter|decade)|"
    r"(?:the )?(?:past|last) (?:few |couple of |two |three |four |five |[2-5] )?(?:years|months|weeks|quarters))\b|"
    r"(?<!what is )(?<!what are )\bnow\b(?! (?:known|called|part|in|a|an|the)\b)|"
    r"(?:^|\b(?:the|its|their|his|her|our|of|on|with|for|is|are|who|which|what|or|’s|'s) )current (?!of|in|is|was|are|that|from|to|and|flow|speed)(?=[a-z])|"
    r"目前|现在|现今|如今|当前|当下|眼下|最新|最近|近期|近年|近[两二三四五几]年|今年|今天|本年|本月|这个月|至今|迄今|现任|现状|截至今",
    re.IGNORECASE,
)
_LAST_YEARS = re.compile(r"\blast year\b|去年", re.IGNORECASE)
LONGEST_QUESTION = 2_000
"""Characters of a question in which its time is looked for."""


@dataclass(frozen=True, slots=True)
class WantedTime:
    """The years that a question asks about."""

    first: int
    last: int
    now: bool
    """Whether it asks how things are today; `last` is then the present year."""


def wanted_time(question: str, today: date) -> WantedTime | None:
    """Return the time that a question asks about; None where it is not dated.

    Args:
        question: in English or Chinese.
        today: the day on which it was asked. Years after it ask for what is expected now.
    """
    question = question[:LONGEST_QUESTION]
    years = [
        int(match["named"] or match.groupdict().get("last") or 0)
        for pattern in (_ENGLISH_YEAR, _CHINESE_YEAR)
        for match in pattern.finditer(question)
    ]
    if _LAST_YEARS.search(question):
        years.append(today.year - 1)
    now = _NOW.search(question) is not None or any(year >= today.year for year in years)
    if now:
        years.append(today.year)
    if not years:
        return None
    capped = [min(year, today.year) for year in years]
    return WantedTime(first=min(capped), last=max(capped), now=now)


def iso_date(text: str | None) -> str | None:
    """Return a date of a page, a file or a search engine as `2024`, `2024-03` or `2024-03-12`; None if it is no date.

    ISO dates with or without a time, `2024/3/12`, `2024年3月12日`, `20240312`, `12.3.2024` and dates with the month in words (`Tue, 12 Mar
    2024 …`, `12-Mar-2024`) are read. A month or day that does not exist makes it none, and so does `3/4/2024`, which may be either.
    """
    text = (text or "")[:LONGEST_DATE]
    match = _COMPACT.match(text) or _NUMERIC.match(text)
    year, month, day = (int(part) if part else None for part in match.groups()) if match else _in_words(text)
    if year is None or not _exists(year, month or 1, day or 1):
        return None
    return "-".join([f"{year:04}", *(f"{part:02}" for part in (month, day) if part)])


def _in_words(text: str) -> tuple[int | None, int | None, int | None]:
    dates = (quantity.date for quantity in quantities(text) if quantity.kind == "date")
    return next(dates, (None, None, None))


def latest_day(published: str | None) -> date | None:
    """Return the last day that a date may mean: 31 December for a year alone; None where it is no date."""
    iso = iso_date(published)
    if iso is None:
        return None
    year, month, day = (*map(int, iso.split("-")), 0, 0)[:3]
    if day:
        return date(year, month, day)
    following = date(year + 1, 1, 1) if month in {0, 12} else date(year, month + 1, 1)
    return date.fromordinal(following.toordinal() - 1)


def first_day(published: str | None) -> str:
    """Return the first day that a date may mean, as an ISO date; empty where it is none."""
    iso = iso_date(published)
    return f"{iso}-01-01"[:10] if iso else ""


def last_day(published: str | None) -> str:
    """Return the last day that a date may mean, as an ISO date; empty where it is none."""
    latest = latest_day(published)
    return latest.isoformat() if latest else ""


def in_time(published: str | None, after: str, before: str) -> bool:
    """Tell whether a date lies, or may lie, between two days, of which each may be empty; what is no date may lie anywhere."""
    latest = last_day(published)
    return not latest or (latest >= after and (not before or first_day(published) <= before))


def _exists(year: int, month: int, day: int) -> bool:
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return False
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
