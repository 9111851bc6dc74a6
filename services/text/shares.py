"""Shares, multiples and compound times in words: `three in ten`, `a quarter`, `三成`, `twice`, `an hour and 35 minutes`."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from services.text.measures import Measure
from services.text.numerals import CHINESE_DIGIT, chinese_value, english_value

MAX_SHARES = 50
"""Shares in words that are read of a text."""

_FRACTIONS = {
    "half": 1 / 2, "a third": 1 / 3, "one third": 1 / 3, "two thirds": 2 / 3, "a quarter": 1 / 4, "one quarter": 1 / 4,
    "three quarters": 3 / 4, "a fifth": 1 / 5, "one fifth": 1 / 5, "two fifths": 2 / 5, "three fifths": 3 / 5, "four fifths": 4 / 5,
    "a sixth": 1 / 6, "a tenth": 1 / 10, "一半": 1 / 2, "半数": 1 / 2, "twice": 2, "double": 2, "doubled": 2, "triple": 3, "tripled": 3,
    "半价": 1 / 2, "half price": 1 / 2, "翻一番": 2, "翻了一番": 2, "halved": 1 / 2, "quadrupled": 4,
}  # fmt: skip
_ORDINAL = ("third", "quarter", "fifth", "sixth", "tenth")
"""Words that name a share only where something follows that a share has: a third season is none."""


_NOT_OF_A_TIME = r"(?! (?:of )?an? (?:hour|day|year|century|decade|million|dozen)\b)"
"""`Half an hour` is a time, no share."""


def _share_pattern(name: str) -> str:
    if not name.isascii():
        return name
    follows = (
        r"(?=\s(?:of|less|more|lower|higher|fewer|as|in|were|was|had|have|said|did|named|answered|reported|replied|wanted|preferred|felt|thought|chose|gave|cited|mentioned|agreed|died|survived|voted|that|this|since|from|between|over|during|after|before|within|compared)\b|[,.;]|\s?$)"
        if name.endswith(_ORDINAL)
        else r"(?!-)"
    )
    follows += _NOT_OF_A_TIME if name.endswith(("half", "quarter", "quarters")) else ""
    return rf"(?<!and a )\b{name.replace(' ', '[ -]')}\b{follows}"


@cache
def _fraction() -> re.Pattern[str]:
    return re.compile("|".join(map(_share_pattern, sorted(_FRACTIONS, key=len, reverse=True))), re.IGNORECASE)


_NUMERAL = (
    r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|hundred)"
)
_IN = re.compile(
    rf"\b({_NUMERAL}) (?:[a-z]{{3,20}} )?(?:in|out of)(?: every)? ({_NUMERAL})\b(?! (?:seconds|minutes|hours|days|weeks|months|years|decades))",
    re.IGNORECASE,
)
_ORDINALS = {
    name: part for part, name in enumerate("third fourth fifth sixth seventh eighth ninth tenth".split(), 3)
} | {"quarter": 4}  # fmt: skip
_OF_ORDINALS = re.compile(
    rf"\b(two|three|four|five|six|seven|eight|nine)[ -]({'|'.join(_ORDINALS)})s\b(?! (?:of )?an? )", re.IGNORECASE
)
_TENTHS = re.compile(rf"([{CHINESE_DIGIT}\d])成([{CHINESE_DIGIT}半]?)")
_PARTS = re.compile(rf"(?<![百\d])([{CHINESE_DIGIT}十]{{1,3}}|\d{{1,3}})分之([{CHINESE_DIGIT}十]{{1,3}}|\d{{1,3}})")
_EVERY = re.compile(rf"每([{CHINESE_DIGIT}\d十百]{{1,6}})[名个人户家].{{0,12}}?有([{CHINESE_DIGIT}\d]{{1,6}})")
_TIMES = re.compile(
    rf"(?<![{CHINESE_DIGIT}\d.十百])([{CHINESE_DIGIT}\d.十百]{{1,8}})倍(半?)|(?<![\d.])\b(\d[\d.]{{0,10}}|{_NUMERAL}) times\b(?! (?:in|since|between|during|by|to|at|a|an|per|each|every|daily)\b|[.,;]|$)",
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
        Share(*match.span(), _FRACTIONS[match.group().lower().replace("-", " ")])
        for match in _fraction().finditer(text)
    ]
    for match in _OF_ORDINALS.finditer(text):
        if not any(share.start == match.start() for share in found):
            found.append(Share(*match.span(), _value(match.group(1)) / _ORDINALS[match.group(2).lower()]))
    for match in _IN.finditer(text):
        part, whole = (_value(written) for written in match.groups())
        if whole > part > 0:
            found.append(Share(*match.span(), part / whole))
    found += [
        Share(*match.span(), _value(match.group(1)) / 10 + _hundredths(match.group(2)))
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
    times = (
        (match, _value(match.group(1) or match.group(3)) + (0.5 if match.group(2) else 0))
        for match in _TIMES.finditer(text)
    )
    found += [Share(*match.span(), value) for match, value in times if value > 1]
    return tuple(found[:MAX_SHARES])


def _hundredths(written: str) -> float:
    return 0.05 if written == "半" else _value(written) / 100 if written else 0.0


def _value(written: str) -> float:
    if written[0].isdigit():
        return float(re.match(r"\d+(?:\.\d+)?", written).group())  # type: ignore[union-attr]  # it begins with a digit
    return float(english_value(written) if written.isascii() else chinese_value(written))


_SECONDS = {
    "second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_629_800.0, "year": 31_557_600.0,
    "decade": 315_576_000.0, "century": 3_155_760_000.0, "centurie": 3_155_760_000.0, "fortnight": 1_209_600.0,
    "秒": 1.0, "分钟": 60.0, "小时": 3_600.0, "钟头": 3_600.0, "天": 86_400.0, "日": 86_400.0, "周": 604_800.0, "星期": 604_800.0,
    "月": 2_629_800.0, "年": 31_557_600.0, "世纪": 3_155_760_000.0,
}  # fmt: skip
_FEW = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)"
_WHOLE = rf"(?:an?|{_FEW})"
_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|century|centuries)"
_UNIT_CHINESE = r"(?:分钟|小时|钟头|天|周|星期|月|年|世纪)"
_TIME = re.compile(
    rf"\b(?P<first>{_WHOLE})[ -](?P<unit>{_UNIT})(?: and a (?P<half>half)|(?: and)? (?P<rest>(?<=and )an?|{_FEW}) (?P<smaller>{_UNIT}))\b|"
    rf"\b(?P<more>{_WHOLE}) and a half[ -](?P<of>{_UNIT})\b|"
    r"\b(?P<part>half|(?:a|one|three) quarters?)(?: of)? an? (?P<whole>hour|day|year|century|decade)\b|"
    r"\b(?P<name>a fortnight|half-hour|half-year|quarter-hour)\b|"
    rf"(?<![\d{CHINESE_DIGIT}十])(?P<count>[{CHINESE_DIGIT}十\d]{{1,3}})个?(?P<measured>{_UNIT_CHINESE})半|"
    rf"(?<![\d{CHINESE_DIGIT}十])(?P<counted>[{CHINESE_DIGIT}十\d]{{1,3}})个半(?P<large>{_UNIT_CHINESE})|"
    rf"(?<![一上下前后大])半个?(?P<single>小时|钟头|天|月|年|世纪)(?!度)|(?P<quarter>[一三两])刻钟|"
    rf"(?<![\d{CHINESE_DIGIT}十])(?P<hours>[{CHINESE_DIGIT}十\d]{{1,3}})个?(?P<big>小时|年|天|分钟?)零?(?P<minutes>[{CHINESE_DIGIT}十\d]{{1,3}})个?(?P<little>分(?!之)钟?|秒|小时|月|天)",
    re.IGNORECASE,
)
_NAMED_TIMES = {"a fortnight": 1_209_600.0, "half-hour": 1_800.0, "half-year": 15_778_800.0, "quarter-hour": 900.0}


_EXACTNESS = 0.02
"""How far a compound may be from the time that it tells, as a share: six weeks and a half month are of days that differ."""


class Time(NamedTuple):
    """A time that a text gives as a compound: `an hour and 35 minutes`, `一年半`."""

    start: int
    end: int
    measure: Measure


def times_in_two_units(text: str) -> list[Time]:
    """Return times in two units or with halves and quarters: `a year and a half`, `half an hour`, `一年半`, `一刻钟`."""
    found = []
    for match in _TIME.finditer(text):
        value = _seconds({name: part for name, part in match.groupdict().items() if part})
        found.append(
            Time(*match.span(), Measure("time", value, value * _EXACTNESS, _EXACTNESS * 2 * value, match.group()))
        )
        if len(found) == MAX_SHARES:
            break
    return found


def _seconds(parts: dict[str, str]) -> float:
    if name := parts.get("name"):
        return _NAMED_TIMES[name.lower()]
    if part := parts.get("part"):
        share = 0.5 if part.lower() == "half" else 0.75 if part.lower().startswith("three") else 0.25
        return share * _unit_of_time(parts["whole"])
    if quarter := parts.get("quarter"):
        return 900.0 * _count(quarter)
    if single := parts.get("single"):
        return 0.5 * _unit_of_time(single)
    for first, unit in (("more", "of"), ("count", "measured"), ("counted", "large")):
        if first in parts:
            return (_count(parts[first]) + 0.5) * _unit_of_time(parts[unit])
    first, unit, rest, smaller = (
        ("hours", "big", "minutes", "little") if "hours" in parts else ("first", "unit", "rest", "smaller")
    )
    whole = _count(parts[first]) * _unit_of_time(parts[unit])
    if "half" in parts:
        return whole + 0.5 * _unit_of_time(parts[unit])
    return whole + _count(parts[rest]) * _unit_of_time(parts[smaller])


def _unit_of_time(written: str) -> float:
    written = written.lower()
    return _SECONDS["分钟" if written == "分" else written if written in _SECONDS else written.rstrip("s")]


def _count(written: str) -> float:
    return 1.0 if written.lower() in {"a", "an"} else _value(written)
