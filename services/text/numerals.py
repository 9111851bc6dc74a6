"""Numerals: in words (`two thousand and five`, `一万二千`, `三点五`), and in digits as others write them, read within bounds."""

import math
import re
from fractions import Fraction

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
