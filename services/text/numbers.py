"""Reads the numbers and dates of sentences, English and Chinese alike; `held_numbers.py` compares them."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from schemas.evidence import EXCERPT_ID
from services.text.normal_form import normal_form
from services.text.numerals import (
    CHINESE,
    CHINESE_CHARACTERS,
    CHINESE_SCALE,
    ENGLISH,
    MAX_DIGITS,
    SCALE_SIGNS,
    Date,
    blanked,
    chinese_value,
    dates,
    english_value,
    plain_chinese,
    scale_at,
    scale_value,
    written_number,
)

Kind = Literal["number", "percent", "version", "date", "years"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, a date, or a stretch of years in a text."""

    text: str
    """As written."""
    kind: Kind
    value: float = 0.0
    """Of a number or a percentage; percentages are not divided by 100. Of a version its parts as thousandths of the one before."""
    other: float = 0.0
    """Value where the sign before the last three digits means the other thing: 9427 of `9.427`, 9.427 of `9,427`; 0 for none."""
    unscaled: float = 0.0
    """The number before a scale word: 3.25 of `3.25 million`; 0 without one, and of fewer than three digits, which stand anywhere."""
    date: Date = (None, None, None)
    """Year, month and day of a date, each where given."""
    years: tuple[int, int] = (0, 0)
    """First and last year of a decade or century."""
    step: float = 1.0
    """What the last digit that is not a trailing zero counts: 100 in 4,500."""
    approximate: bool = False


DISTINCT = 3
"""Digits of a number that is hardly another one by chance."""
LONGEST_KEPT = 2_000
"""Characters of a text whose numbers are kept: a run asks about ten times for those of each sentence, once for those of a whole source."""
_Placed = tuple[str, tuple[tuple[int, int, Quantity], ...]]
_CITATION = re.compile(
    rf"[\[【(]\s*+\^?(?>{EXCERPT_ID})(?>(?:\s*+(?:[,，、;；]\s*+)?(?>{EXCERPT_ID}))*)\s*+[\]】)]|"
    r"\[\[\d+\]\]\((?>(?:[^)\s\]]|\](?!\())*)\)|\[\^?\d+\]"
)
_BETWEEN = re.compile(r"(?<=\d)，(?=\d)(?!\d{3}(?!\d))")
"""A Chinese comma that parts two numbers, and no groups of digits: `× 2，3 副本`."""
_EXPONENT = re.compile("(?<=\\d)(?=[⁰¹²³⁴⁵⁶⁷⁸⁹⁻])")
"""Where raised digits follow a number, which would be a part of it otherwise."""
_LIST_MARK = re.compile(r"(?m)^[ \t>]*(?:[-*+•]|\(?\d{1,3}[.)、](?!\d))[ \t]*")
_SPACED = re.compile(r"(?<![\d.,])(?<!\d[ \u00a0])(\d{1,3})((?:[ \u00a0\u2009\u202f'’]\d{3})+)(?![\d])")
_GROUPED = re.compile(r"(?<=\d)_(?=\d{3}(?![A-Za-z\d]))")
"""The sign between groups of digits in programs: `45_000_000`."""
_MONEY = re.compile(r"([$€£¥]\s?\d{1,12}(?:[.,]\d{1,3}){0,4})(k|mn?|bn|tn)\b", re.IGNORECASE)
"""A sum of money with the sign of its scale: `£3.2m`."""
_DECADE = re.compile(
    r"(?<![\d,])([12]\d{2}0)(?:['’]?s\b|\s*年代)|"
    r"(?<!\d)(\d{1,2}|二十一?|十[一二三四五六七八九])\s*世纪\s*(?:(\d0|[二三四五六七八九]十)\s*年代)?"
)
_ORDINAL = re.compile(
    rf"\b(?<!\d,)\d++(?>(?:,\d++)*)(?:st|nd|rd|th)\b|[第제]\s*(?:\d++|{CHINESE})(?>(?:\s?[、和与及至到–—~～-]\s?(?:\d++|{CHINESE}))*)|(?<=[\u4e00-\u9fff-])\d++(?=[”」』》])",
    re.IGNORECASE,
)
"""Ordinals, in Chinese and Korean also several (`第38、46条`), and the digits of a name in quotation marks: `“青谷12”`."""
_SHORT_RANGE = re.compile(r"(?<!\d)(?<![A-Za-z][-_])([12]\d{3})(?:[-–—~～至]|\s[-–—~～至]\s)(\d{2})(?![\d%-]|[.,]\d)")
"""`1960-68`, `1960 – 68`; in `1960 -68 m` the second number is negative."""
_SHARE = re.compile(rf"(百|(?<!\d)\d++|(?<![{CHINESE_CHARACTERS}]){CHINESE})分之(\d+(?:\.\d+)?|{CHINESE})")
_VERSION = re.compile(
    r"(?<![A-Za-z\d.])(?!\d{1,3}(?>(?:\.\d{3})+)(?![.\d]))[vV]?(?P<parts>\d{1,9}+(?>(?:\.\d{1,9}+){2,6}))(?!\d)"
    r"|(?<![A-Za-z\d.])[vV](?P<number>\d{1,9}+(?:\.\d{1,9}+)?)(?![.\d]?\d)"
)
"""`v6.5.0`, `6.5.0`; `v1.28`, whose number may stand alone elsewhere. Groups of three digits (`1.234.567`) are one number."""
_DIGITS = re.compile(
    r"(?:(?<![A-Za-z\d])(?<![A-Za-z][-_^])(?<!\d\.)|(?<=[A-Za-z]{2})(?=\d+(?:\.\d|\s?[%％‰])))(?P<digits>"
    r"[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?|(?<!,)[1-9]\d{0,2}(?:\.\d{3})+,\d+(?![.,]?\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)|"
    r"\d+\.\d+|\d+,\d{1,2}(?!\d)|0,\d+|\d+)"
    rf"(?:\s?(?!百分)(?P<scale>(?>{CHINESE_SCALE}{{1,8}}))|[ -]?(?P<word>hundred|thousand|million|billion|trillion|dozen|bn)\b|(?P<sign>(?-i:[KkMB])(?![A-Za-z\d])))?"
    r"(?P<percent>\s?(?:%|‰|per ?cent\b|percentage points?\b|个百分点))?",
    re.IGNORECASE,
)
_TWO_READINGS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_OTHER_READING = {".": Fraction(1_000), ",": Fraction(1, 1_000)}
"""What the value is multiplied by where a point parts thousands, as in German, or a comma the decimals."""
_MIXED = re.compile(r"(?<![\d.,])(\d{1,4})([万亿萬億])(?:(\d{1,4})([百千万萬])|(\d{4}))(?![\d.,])")
"""Digits with a scale that go on with digits of a finer one: `3亿4600万`, `1万2600`."""
_MEASURED = "个名位人次倍种类项条家所省市米岁届册本台艘支篇组级层座处例天周月年日小公英吨海度元美分秒两"
_CHINESE = re.compile(rf"(?<!\d){CHINESE}(?P<percent>个百分点)?")
_IDIOM = re.compile(r"^(?:万[一全分般]|千[万方]|百[分般]|十[分足]|一[一二]|[三四五六七八九]十分)$")
_UNIT_SCALE = re.compile(r"[百千万萬亿億]{2,}")
_SCALE = re.compile(r"thousand|million|billion|trillion", re.IGNORECASE)
_A = re.compile(r"\b(?:an?|the|per|every|half|few|several)[ -]$", re.IGNORECASE)
"""Without such a word before it a scale belongs to numbers that stand elsewhere: `passengers (million)`."""
_WORDS = re.compile(rf"{ENGLISH.pattern}(?P<percent>\s(?:per ?cent|percentage points?)\b)?", re.IGNORECASE)
_ABOUT_BEFORE = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca?\.|close to|an estimated)\s|"
    r"[~≈约近]|约[有为是]|大约|将近|接近|大概)"
    r"[\s$€£¥]*$",
    re.IGNORECASE,
)
_ABOUT_AFTER = re.compile(r"\s*(?:[^\d\s，。；、,.;]{0,3}(?:左右|上下)|[多余]|or so\b)")


_ABOUT_A_SHARE = Fraction(1, 10)
"""How exactly a share in words is meant, as a part of it: `三分之一` of 35 %."""
_TOO_LONG = re.compile(
    rf"\d{{{MAX_DIGITS + 1},}}|(?<!\d)\d{{1,3}}(?:[,.]\d{{3}}){{{MAX_DIGITS // 3},}}|[{CHINESE_CHARACTERS}]{{{MAX_DIGITS + 1},}}"
)
"""Digits that are no quantity; reading them would fail or take long."""


def quantities(text: str) -> list[Quantity]:
    """Return the numbers, percentages, dates, decades and Chinese centuries of a text, in the order of the text.

    Citation marks, list marks and ordinals are none of them, and neither are digits that belong to a name (`H2O`,
    `COVID-19`), nor the words `one` and `一`, which are rarely meant as numbers.
    """
    return [quantity for _, _, quantity in quantities_with_places(text)[1]]


def quantities_with_places(text: str) -> _Placed:
    """Return a text in the form in which its quantities are read, and each with its start and end there."""
    return (_cached_read if len(text) <= LONGEST_KEPT else _read)(text)


def _read(text: str) -> _Placed:
    text = _BETWEEN.sub("、", _LIST_MARK.sub("", _CITATION.sub(" ", text)))
    text = plain_chinese(normal_form("NFKC", _EXPONENT.sub("^", text.replace("−", "-").replace("‰", "‰"))))
    text = _SPACED.sub(lambda match: match.group(1) + re.sub(r"\D", "", match.group(2)), text)
    text = _MONEY.sub(lambda match: f"{match.group(1)} {SCALE_SIGNS[match.group(2).lower()]}", text)
    text = _GROUPED.sub("", text)
    text = _SHORT_RANGE.sub(_whole_range, text)
    rest = _TOO_LONG.sub(lambda match: "\0" * len(match.group()), text)
    placed: list[tuple[int, int, Quantity]] = []
    for finder in (_dates, _years, _ordinals, _shares, _versions, _mixed, _digits, _chinese, _english):
        taken = list(finder(rest))
        placed.extend((start, end, quantity) for start, end, quantity in taken if quantity is not None)
        rest = blanked(rest, [(start, end) for start, end, _ in taken])
    return text, tuple(sorted(placed, key=lambda item: item[0]))


def _whole_range(match: re.Match[str]) -> str:
    """Return a range with both years in full; one that would run backwards is a year and a month, and stays."""
    first, last = match[1], f"{match[1][:2]}{match[2]}"
    return f"{first}-{last}" if last > first else match[0]


_cached_read = lru_cache(maxsize=1_024)(_read)


_Spans = Iterator[tuple[int, int, Quantity | None]]


def _dates(text: str) -> _Spans:
    for start, end, date in dates(text):
        yield start, end, Quantity(text[start:end].strip(), "date", date=date)


def _years(text: str) -> _Spans:
    for match in _DECADE.finditer(text):
        if match.group(1):
            first = int(match.group(1))
            span = (first, first + (99 if first % 100 == 0 and match.group(1).endswith("00") else 9))
        else:
            start = ((written_number(match.group(2)) or 1) - 1) * 100
            decade = written_number(match.group(3))
            span = (start + 1, start + 100) if decade is None else (start + decade, start + decade + 9)
        yield *match.span(), Quantity(match.group().strip(), "years", years=span)


def _ordinals(text: str) -> _Spans:
    for match in _ORDINAL.finditer(text):
        yield *match.span(), None


def _shares(text: str) -> _Spans:
    for match in _SHARE.finditer(text):
        whole, part = match.groups()
        value = _decimal(part) if part[0].isascii() else chinese_value(part)
        if whole == "百":
            yield *match.span(), _number(text, match, value, percent=True)
        else:
            total = Fraction(int(whole)) if whole.isascii() else chinese_value(whole)
            share = value / total if total else value
            yield *match.span(), _number(text, match, share, percent=False, step=share * _ABOUT_A_SHARE)


def _versions(text: str) -> _Spans:
    for match in _VERSION.finditer(text):
        if match["number"]:
            yield *match.span(), _number(text, match, Fraction(match["number"]), percent=False, written=match["number"])
        else:
            value = sum(int(part) / 1000**place for place, part in enumerate(match["parts"].split(".")))
            yield *match.span(), Quantity(match["parts"], "version", value)


def _mixed(text: str) -> _Spans:
    for match in _MIXED.finditer(text):
        whole, scale, part, finer, rest = match.groups()
        if scale_value(scale) > scale_value(finer or ""):
            value = Fraction(int(whole) * scale_value(scale) + int(part or rest) * scale_value(finer or ""))
            yield *match.span(), _number(text, match, value, percent=False)


def _digits(text: str) -> _Spans:
    matches = list(_DIGITS.finditer(text))
    end = 0
    for place, match in enumerate(matches):
        if match.start() < end:
            continue
        value = _decimal(match["digits"]) / (10 if "‰" in (match["percent"] or "") else 1)
        scale, end = _scale(text, match)
        total, step = value * scale, _step(value) * scale
        other = total * _OTHER_READING[match["digits"][-4]] if _TWO_READINGS.fullmatch(match["digits"]) else Fraction(0)
        for part in matches[place + 1 :] if end > match.end() else ():  # 2억 4100만
            finer, part_end = _scale(text, part)
            if text[end : part.start()] not in {"", " "} or not 1 < finer < scale:
                break
            value, scale, end = _decimal(part["digits"]), finer, part_end
            total, step = total + value * scale, _step(value) * scale
        number = _number(text, match, total, percent=bool(match["percent"]), step=step, end=end)
        digits = sum(map(str.isdigit, match["digits"]))
        unscaled = _decimal(match["digits"]) if scale > 1 and digits >= DISTINCT else Fraction(0)
        yield match.start(), end, replace(number, other=_float(other), unscaled=_float(unscaled))


def _scale(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Return what the scale behind digits multiplies by, and its end."""
    sign = SCALE_SIGNS[match["sign"].lower()] if match["sign"] else ""  # 8.5K, 7B
    scale = scale_value(match["scale"] or match["word"] or sign)
    return (scale, match.end()) if scale > 1 or match["percent"] else scale_at(text, match.end())


def _decimal(written: str) -> Fraction:
    if 0 <= written.find(".") < written.rfind(",") or re.fullmatch(r"\d+,\d{1,2}|0,\d+", written):
        written = written.replace(".", "").replace(",", ".")
    if written.count(".") > 1:
        written = written.replace(".", "")
    return Fraction(written.replace(",", ""))


def _step(value: Fraction) -> Fraction:
    """Return what the last digit of a number counts: 100 in 4,500, 1/10 in 3.5."""
    if value.denominator > 1:
        decimals = next((count for count in range(1, 10) if 10**count % value.denominator == 0), 10)
        return Fraction(1, 10**decimals)
    digits = str(value.numerator)
    return Fraction(10 ** (len(digits) - len(digits.rstrip("0"))) if value else 1)


def _number(
    text: str,
    match: re.Match[str],
    value: Fraction,
    *,
    percent: bool,
    step: Fraction | None = None,
    written: str = "",
    end: int = 0,
) -> Quantity:
    end = end or match.end()
    before = text[max(0, match.start() - 16) : match.start()]
    about = _ABOUT_BEFORE.search(before) is not None or _ABOUT_AFTER.match(text, end) is not None
    step = _step(value) if step is None else step
    kind: Kind = "percent" if percent else "number"
    return Quantity(
        written or text[match.start() : end].strip(), kind, _float(value), step=_float(step), approximate=about
    )


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _chinese(text: str) -> _Spans:
    for match in _CHINESE.finditer(text):
        written = match.group().removesuffix("个百分点")
        if len(written) > 1 and written[-1] in "两兩" and not match["percent"]:  # 一千二百两: the unit
            counted = chinese_value(written[:-1])
            yield match.start(), match.end() - 1, _number(text, match, counted, percent=False, written=written[:-1])
        elif _counts(written, text[match.end() : match.end() + 1]) or match["percent"]:
            yield *match.span(), _number(text, match, chinese_value(written), percent=bool(match["percent"]))


def _counts(written: str, following: str) -> bool:
    """Tell a number from a numeral inside a word (`统一`, `四川`, `百货`, `万一`)."""
    if _IDIOM.match(written + following) or _IDIOM.match(written):
        return False
    if _UNIT_SCALE.fullmatch(written):  # 百万吨: the number stands elsewhere
        return False
    if len(written) > 1:
        return any(char in "十百千万萬亿億点點" for char in written) or len(written) >= 4
    return written not in "一零〇百千万萬亿億" and following != "" and following in _MEASURED


def _english(text: str) -> _Spans:
    for match in _WORDS.finditer(text):
        value = english_value(match.group())
        if value > 1 and not (
            _SCALE.fullmatch(match.group()) and not _A.search(text[max(0, match.start() - 8) : match.start()])
        ):
            yield *match.span(), _number(text, match, value, percent=bool(match["percent"]))
