"""Shares, multiples and compound times in words: `three in ten`, `a quarter`, `三成`, `twice`, `an hour and 35 minutes`."""

import re
from functools import lru_cache
from typing import NamedTuple

from services.text.measures import Measure
from services.text.numerals import CHINESE_DIGIT, chinese_value, english_value

MAX_SHARES = 50
"""Shares in words that are read of a text."""

_FRACTIONS = {
    "half": 1 / 2, "a third": 1 / 3, "one third": 1 / 3, "two thirds": 2 / 3, "a quarter": 1 / 4, "one quarter": 1 / 4,
    "three quarters": 3 / 4, "a fifth": 1 / 5, "one fifth": 1 / 5, "two fifths": 2 / 5, "three fifths": 3 / 5, "four fifths": 4 / 5,
    "a sixth": 1 / 6, "a tenth": 1 / 10, "一半": 1 / 2, "半数": 1 / 2, "twice": 2, "double": 2, "doubled": 2, "triple": 3, "tripled": 3,
    "翻一番": 2, "翻了一番": 2, "halved": 1 / 2, "quadrupled": 4,
}  # fmt: skip
_ORDINAL = ("third", "quarter", "fifth", "sixth", "tenth")
"""Words that name a share only where something follows that a share has: a third season is none."""


def _share_pattern(name: str) -> str:
    if not name.isascii():
        return name
    follows = (
        r"(?=\s(?:of|less|more|lower|higher|fewer|as|in|were|was|had|have|said|did)\b|[,.;]|\s?$)"
        if name.endswith(_ORDINAL)
        else r"(?!-)"
    )
    return rf"(?<!and a )\b{name.replace(' ', '[ -]')}\b{follows}"


_FRACTION = re.compile("|".join(map(_share_pattern, sorted(_FRACTIONS, key=len, reverse=True))), re.IGNORECASE)
_NUMERAL = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twenty|hundred)"
_IN = re.compile(rf"\b({_NUMERAL}) (?:in|out of)(?: every)? ({_NUMERAL})\b", re.IGNORECASE)
_TENTHS = re.compile(rf"([{CHINESE_DIGIT}\d])成([{CHINESE_DIGIT}]?)")
_PARTS = re.compile(rf"(?<![百\d])([{CHINESE_DIGIT}十]{{1,3}}|\d{{1,3}})分之([{CHINESE_DIGIT}十]{{1,3}}|\d{{1,3}})")
_EVERY = re.compile(rf"每([{CHINESE_DIGIT}\d十百]{{1,6}})[名个人户家].{{0,12}}?有([{CHINESE_DIGIT}\d]{{1,6}})")
_TIMES = re.compile(
    rf"(?<![{CHINESE_DIGIT}\d.十百])([{CHINESE_DIGIT}\d.十百]{{1,8}})倍|(?<![\d.])\b(\d[\d.]{{0,10}}|{_NUMERAL}) times\b",
    re.IGNORECASE,
)


class Share(NamedTuple):
    """A share or a multiple in words."""

    start: int
    end: int
    value: float


@lru_cache(maxsize=256)
def shares_of(text: str) -> tuple[Share, ...]:
    """Return the shares and multiples that a text gives in words: `three in ten`, `a quarter`, `三成`, `twice`."""
    found = [
        Share(*match.span(), _FRACTIONS[match.group().lower().replace("-", " ")]) for match in _FRACTION.finditer(text)
    ]
    for match in _IN.finditer(text):
        part, whole = (_value(written) for written in match.groups())
        if whole > part > 0:
            found.append(Share(*match.span(), part / whole))
    found += [
        Share(*match.span(), _value(match.group(1)) / 10 + (_value(match.group(2)) / 100 if match.group(2) else 0))
        for match in _TENTHS.finditer(text)
    ]
    for match in _PARTS.finditer(text):
        whole, part = (_value(written) for written in match.groups())
        if whole > part > 0:
            found.append(Share(*match.span(), part / whole))
    for match in _EVERY.finditer(text):
        whole, part = (_value(written) for written in match.groups())
        if whole > part > 0:
            found.append(Share(*match.span(), part / whole))
    times = ((match, _value(match.group(1) or match.group(2))) for match in _TIMES.finditer(text))
    found += [Share(*match.span(), value) for match, value in times if value > 1]
    return tuple(found[:MAX_SHARES])


def _value(written: str) -> float:
    if written[0].isdigit():
        return float(re.match(r"\d+(?:\.\d+)?", written).group())  # type: ignore[union-attr]  # it begins with a digit
    return float(english_value(written) if written.isascii() else chinese_value(written))


def times_in_two_units(text: str) -> list[Measure]:
    """Return times that are given in two units: `an hour and 35 minutes`, `a year and a half`."""
    found = []
    for match in re.finditer(
        r"\b(an?|one|two|three|\d{1,3}) (hours?|years?|days?|weeks?|minutes?) and (?:a half|(\d{1,3}) (minutes?|seconds?|months?|days?|hours?))",
        text,
    ):
        first = 1.0 if match.group(1) in {"a", "an", "one"} else _value(match.group(1))
        units = {
            "hour": 3600.0,
            "year": 31557600.0,
            "day": 86400.0,
            "week": 604800.0,
            "minute": 60.0,
            "second": 1.0,
            "month": 2629800.0,
        }
        whole = units[match.group(2).rstrip("s")]
        rest = whole / 2 if match.group(3) is None else float(match.group(3)) * units[match.group(4).rstrip("s")]
        value = first * whole + rest
        found.append(Measure("time", value, value * 0.001, 1.0, match.group()))
    return found
