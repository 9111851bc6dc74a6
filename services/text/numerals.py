"""Numerals in words (`two thousand and five`, `一万二千`), scale words and dates, as they are written, read within bounds.

Scale words of the languages besides English and Chinese that reports are written in are those of Unicode's CLDR: `Millionen`, `Mio.`, `억`.
"""

import json
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

from services.text.normal_form import normal_form

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(_SMALL.split())} | {
    word: value * 10 for value, word in enumerate(_TENS.split(), 2)
}
SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "bn": 10**9,
    "dozen": 12,
}
SCALE_SIGNS = {"k": "thousand", "m": "million", "mn": "million", "b": "billion", "bn": "billion", "tn": "trillion"}
CHINESE_SCALES = {"十": 10, "百": 100, "千": 1_000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_CHINESE_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}

_WORD = "(?:" + "|".join(sorted([*_WORDS, *(scale for scale in SCALES if scale != "bn")], key=len, reverse=True)) + ")"
ENGLISH = re.compile(
    rf"\b{_WORD}(?:(?:(?<=hundred)|(?<=thousand)|(?<=million)|(?<=billion)) and {_WORD}|[ -]{_WORD})*\b"
    r"(?!-(?:sided|tailed|way|phase|dimensional|handed|pronged|part|party|tier|step|stage|state)\b)",
    re.IGNORECASE,
)
"""A number in English words, but none that only makes a kind of thing: `two-sided`. `english_value` tells which."""
CHINESE_DIGIT = "零〇一二两兩三四五六七八九"
CHINESE_CHARACTERS = f"{CHINESE_DIGIT}十百千万萬亿億"
"""What Chinese numerals consist of."""
CHINESE_SCALE = r"(?:[十百万亿萬億]|千(?![瓦米克帕赫卡]))"
"""Pattern of a character that scales the digits before it; in `千瓦时` the unit has it."""
CHINESE = rf"[{CHINESE_CHARACTERS}]++(?:[点點][{CHINESE_DIGIT}]++(?:[百千]?[万萬亿億]{{1,2}})?)?"
"""Pattern of a number in Chinese numerals; `chinese_value` tells which."""
MAX_DIGITS = 100
"""Characters of the longest number that means a quantity; what is longer is a serial number, a key or an attack. Python refuses
whole numbers of more than 4,300 digits."""
MAX_WORDS = 40
_FORMAL = str.maketrans("壹贰貳叁參肆伍陆陸柒捌玖拾佰仟", "一二二三三四五六六七八九十百千")
_FORMAL_SIGN = f"[{''.join(map(chr, _FORMAL))}零万萬亿億]"
_FORMAL_SUM = re.compile(rf"(?<!{_FORMAL_SIGN}){_FORMAL_SIGN}{{2,}}+(?=[元圆圓])")
_REPUBLIC = re.compile(rf"民[国國]\s?(\d{{1,3}}|[{CHINESE_DIGIT}十百]{{1,5}})年")
_FIRST_OF_REPUBLIC = 1912
_CLOCK = re.compile(
    "(?<![一二三四五六七八九十])(二?十[一二三四五六七八九]?|[零〇一二两三四五六七八九])[时時点點]([二三四五]十[一二三四五六七八九]?|十[一二三四五六七八九])分(?!之)"
)
"""None with `十分`, which mostly means `very`: `有一点十分重要`."""
_TENTHS = re.compile(
    rf"(?<![{CHINESE_CHARACTERS}\d.])([一二两兩三四五六七八九1-9])成"
    rf"(?:([一二三四五六七八九半])(?![{CHINESE_CHARACTERS}成])|(?<=[近约超逾占达].成)|(?=[以左的多]|[^\u4e00-\u9fff]|$))"
)
"""`八成五`, `三成`, which round shares; none where another word may go on: `之一成为`."""


def english_value(written: str) -> Fraction:
    """Return the value of a number in English words; 0 where they are too many to mean one."""
    total = current = 0
    words = re.findall(r"[a-z]+", written.lower())
    if len(words) > MAX_WORDS:
        return Fraction(0)
    for word in words:
        if word in _WORDS:
            current += _WORDS[word]
        elif word in {"hundred", "dozen"}:
            current = max(1, current) * SCALES[word]
        elif word in SCALES:
            total += max(1, current) * SCALES[word]
            current = 0
    return Fraction(total + current)


def plain_chinese(text: str) -> str:
    """Return a text with the numerals of sums (`伍仟元`), of clock times (`九时三十分`), of tenths (`八成五`) and of the Republic's years (`民国一一四年`) as others write them."""
    text = _FORMAL_SUM.sub(lambda match: match[0].translate(_FORMAL), text)
    text = _REPUBLIC.sub(lambda match: f"{_FIRST_OF_REPUBLIC - 1 + _count(match[1])}年", text)
    text = _TENTHS.sub(
        lambda match: f"约{_count(match[1])}{5 if match[2] == '半' else _count(match[2] or '零')}%", text
    )
    return _CLOCK.sub(lambda match: f"{_count(match[1])}:{_count(match[2])}", text)


def _count(written: str) -> int:
    return int(written) if written.isdecimal() else int(chinese_value(written))


def chinese_value(written: str) -> Fraction:
    """Return the value of a number in Chinese numerals, positional (`一万二千`) or digit by digit (`二〇一八`)."""
    whole, _, decimals = written.replace("點", "点").partition("点")
    if all(char in _CHINESE_DIGITS for char in whole):
        value = int("".join(str(_CHINESE_DIGITS[char]) for char in whole) or "0")
    else:
        value = _positional(whole)
    digits = "".join(str(_CHINESE_DIGITS[char]) for char in decimals if char in _CHINESE_DIGITS)
    return (value + Fraction(int(digits or 0), 10 ** len(digits))) * scale_value(decimals[len(digits) :])


def _positional(written: str) -> int:
    total = section = digit = 0
    last = 1
    for char in written:
        if char in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[char]
            last = 1 if digit == 0 else last
        elif (unit := CHINESE_SCALES[char]) < 10**4:
            section += (digit or 1) * unit
            digit, last = 0, unit
        else:
            total = (total + section + digit) * unit if total < unit else total + (section + digit) * unit
            section, digit, last = 0, 0, unit
    if digit and last >= 100:
        digit *= last // 10  # 一万二: the last digit counts in the next lower unit
    return total + section + digit


def scale_value(written: str) -> int:
    """Return what a scale word after digits multiplies by: `million`, `万`, `百万`; 1 for none."""
    if written.lower() in SCALES:
        return SCALES[written.lower()]
    value = 1
    for char in written:
        value *= CHINESE_SCALES[char]
    return value


def read_number(written: str) -> float | None:
    """Return the value of a number, with or without commas between its digits; None if it is no number, too long or too large."""
    plain = written.replace(",", "")
    if not 0 < len(plain) <= MAX_DIGITS:
        return None
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


_LANGUAGES = Path(__file__).parents[1] / "run" / "report_texts"
"""Folder with a file for each of them."""
_SHORTEST = 3
"""Letters of a word that needs no sign of a currency behind it: `12 mi` are miles, `5 M` is a concentration."""
_LIKE_ONE = re.compile(
    r"[ -]?(?:[mb]i[lo](?!es?\b)|m[lr][nd]|bln|tri|taus|[kmb][di]?\s?[$€£¥]|[\u0400-\u1fff\uac00-\ud7a3]|[兆京][\d円\u30a0-\u30ff])",
    re.IGNORECASE,
)
"""How they begin, which English words behind a number seldom do: only then CLDR is read, which takes 0.1 to 0.3 s."""


def scale_at(text: str, place: int) -> tuple[int, int]:
    """Return what the scale word behind a number multiplies by, and its end; 1 and the place itself if there is none."""
    if _LIKE_ONE.match(text, place):
        pattern, values = _words()
        if match := pattern.match(text, place):
            return values[match[1].lower()], match.end()
    return 1, place


@cache
def _words() -> tuple[re.Pattern[str], dict[str, int]]:
    from babel import Locale

    values: dict[str, int] = {}
    for language in sorted(_LANGUAGES.glob("*.json")):
        for plurals in Locale(language.stem).compact_decimal_formats.values():
            for power, form in (item for forms in plurals.values() for item in forms.items()):
                zeros, word = _parted(form.pattern)
                value = int(power) // 10 ** max(0, len(zeros) - 1)
                english = SCALES.get(SCALE_SIGNS.get(word, word.removesuffix("s")), value)
                if zeros and word and word not in CHINESE_SCALES and english == value:
                    values |= {word: value, word.rstrip("."): value}
    longest_first = sorted(values, key=len, reverse=True)
    return re.compile(rf"[ -]?({'|'.join(map(_pattern, longest_first))})", re.IGNORECASE), values


@cache
def month_names() -> frozenset[str]:
    """Return how the languages of reports besides English and Chinese write months behind a day: `juni`; CLDR's, which alone would take 0.1 s and 15 MB."""
    texts = (json.loads(file.read_text("utf-8")) for file in _LANGUAGES.glob("*.json"))
    return frozenset(name for of_language in texts for name in of_language["months"].split())


def _parted(form: str) -> tuple[str, str]:
    """Return the zeros and the word of a form: of `00 Mio'.'`."""
    written = normal_form("NFKC", form).replace("'", "").lower()
    word = written.lstrip("0")
    return written[: len(written) - len(word)], word.strip()


def _pattern(word: str) -> str:
    if re.match(r"[\u4e00-\u9fff]", word):  # 兆瓦 is a unit
        return rf"{word}(?=[\d円\u30a0-\u30ff])"
    if re.match(r"[\uac00-\ud7a3]", word):  # the noun follows without a blank
        return word
    return re.escape(word) + (r"(?![^\W\d_])" if len(word.rsplit(maxsplit=1)[-1]) >= _SHORTEST else r"(?=\s?[$€£¥])")


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
    re.compile(
        r"(?<![\d./-])(?P<number>0?[1-9]|1[0-2])(?P<stroke>[./])(?P<day>1[3-9]|2\d|3[01])(?P=stroke)(?P<year>[12]\d{3})(?!\d|\.\d)"
    ),
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
