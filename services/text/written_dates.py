"""Reads dates in sentences, English and Chinese alike."""

import re
from collections.abc import Iterator

from services.text.numerals import chinese_value

Date = tuple[int | None, int | None, int | None]
"""Year, month and day, each where given."""

_MONTH_NAMES = (
    "january jan/february feb/march mar/april apr/may/june jun/july jul/august aug/september sept sep/october oct/"
    "november nov/december dec"
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split("/"), 1) for name in names.split()}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_CAPITAL = "(?-i:(?=[A-Z]))"
"""Of a month where no year stands beside: `HTTP/2 may answer`."""
_CHINESE_YEAR = r"\d{4}|[零〇一二三四五六七八九]{4}"
_CHINESE_PART = r"\d{1,2}|[一二三四五六七八九十]{1,3}"
_CHINESE_MONTH = "1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]"
_DATES = (
    re.compile(r"(?<!\d)(?P<year>[12]\d{3})[-/.](?P<number>0?[1-9]|1[0-2])[-/.](?P<day>0?[1-9]|[12]\d|3[01])(?!\d)"),
    re.compile(r"(?<!\d)(?<!\d[./-])(?P<year>[12]\d{3})-(?P<number>0[1-9]|1[0-2])(?![\d/-]|\.\d)"),
    re.compile(rf"(?<![\d.-])(?P<day>\d{{1,2}})-{_MONTH}-(?P<year>[12]\d{{3}})(?!\d)", re.IGNORECASE),
    re.compile(rf"(?<!\d)(?P<year>[12]\d{{3}})-{_MONTH}-(?P<day>\d{{1,2}})(?!\d)", re.IGNORECASE),
    re.compile(  # 16.6.2025, and with strokes where it cannot be the month that comes first
        r"(?<![\d./-])(?=\d{1,2}\.|(?:1[3-9]|2\d|3[01])/)(?P<day>0?[1-9]|[12]\d|3[01])(?P<stroke>[./])(?P<number>0?[1-9]|1[0-2])"
        r"(?P=stroke)(?P<year>[12]\d{3})(?!\d|\.\d)"
    ),
    re.compile(r"(?<![\d./-])(?P<number>0?[1-9]|1[0-2])/(?P<day>1[3-9]|2\d|3[01])/(?P<year>[12]\d{3})(?!\d)"),
    re.compile(
        rf"(?<!\d)(?P<year>{_CHINESE_YEAR})\s*年(?!代)\s*(?:(?P<number>{_CHINESE_PART})\s*月(?:份|\s*(?P<day>{_CHINESE_PART})\s*[日号])?)?"
    ),
    re.compile(rf"(?<!\d)(?P<number>{_CHINESE_PART})\s*月\s*(?P<day>{_CHINESE_PART})\s*[日号]"),
    re.compile(rf"(?<![\d.,一二三四五六七八九十百])(?P<number>{_CHINESE_MONTH})月"),
    re.compile(
        rf"(?<![\d.])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)?[ -]{_CAPITAL}{_MONTH}(?:,?[ -](?P<year>[12]\d{{3}})(?!\d))?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b{_CAPITAL}{_MONTH} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d%])(?!,\d{{3}})"
        r"(?:,? (?P<year>[12]\d{3})(?!\d))?",
        re.IGNORECASE,
    ),
    re.compile(rf"\b{_MONTH}(?:,?(?: of)? |-)(?P<year>[12]\d{{3}})(?!\d)", re.IGNORECASE),
)


def dates(text: str) -> Iterator[tuple[int, int, Date]]:
    """Yield the start and end of each date, with its year, month and day."""
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        rest = blanked(text, taken)
        for match in pattern.finditer(rest):
            parts = match.groupdict()
            month = _MONTHS[parts["month"].lower()] if parts.get("month") else written_number(parts.get("number"))
            date = (written_number(parts.get("year")), month, written_number(parts.get("day")))
            taken.append(match.span())
            yield *match.span(), date


def blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text of the same length, in which nothing is read at these places any more."""
    pieces: list[str] = []
    last = 0
    for start, end in sorted(spans):
        pieces += (text[last:start], "\0" * (end - start))
        last = end
    return "".join([*pieces, text[last:]])


def written_number(written: str | None) -> int | None:
    """Return a day, a month, a year or a century that is written in digits or in Chinese numerals."""
    if not written:
        return None
    return int(written) if written.isdigit() and written.isascii() else int(chinese_value(written))
