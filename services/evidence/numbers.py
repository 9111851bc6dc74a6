"""Numbers in sentences, so that a claim's numbers can be looked for in what it cites, English and Chinese alike."""

import re
import unicodedata
from dataclasses import dataclass

_CHINESE_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1_000}
_CHINESE_POWERS = {"万": 10_000, "亿": 100_000_000}
_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split()
    )
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 10**12}
_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|"
        "november nov|december dec".split("|"),
        1,
    )
    for name in names.split()
}
_SPACED = re.compile(r"(?<=\d)[\u00a0\u202f\u2009 ](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"(?<![A-Za-z\d.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_SCALE_AFTER = re.compile(r"[ -]?(?:(hundred|thousand|million|billion|trillion)\b|(万亿|千万|百万|十万|亿|万|千))", re.IGNORECASE)
_CHINESE_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千][零〇一二两三四五六七八九十百千万亿]*(?:点[零〇一二三四五六七八九]+)?")
_WORD_NUMBER = re.compile(
    r"\b(?:(?:" + "|".join([*_WORDS, *_SCALES]) + r")(?:[\s-]+(?:and\s+)?)?)+\b", re.IGNORECASE
)
_CITATION = re.compile(r"[\[【]\s*E\d+-\d+(?:\s*[,，、;；]\s*E\d+-\d+)*\s*[\]】]|\[\[\d+\]\]\([^)]*\)")
_LIST_MARK = re.compile(r"(?m)^\s*(?:[-*+]|\d+[.)、])\s+")
_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b(?!\s+century)", re.IGNORECASE)
_ABOUT = re.compile(r"(?:about|around|roughly|approximately|nearly|almost|some|over|more than|less than|under|约|近|大约|左右|超过|不足|逾|将近)\s*$", re.IGNORECASE)
TOLERANCE = 0.02
"""How far a number that is said to be approximate may be off."""
_SMALL_WORDS = 12
"""Number words up to here are too common in prose to be demanded of the evidence when they stand alone."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text."""

    value: float
    text: str
    """As written."""
    approximate: bool = False


def quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text by value: digits with separators and scales, number words, Chinese numerals.

    Citation marks, list marks and ordinals (but not centuries) are no quantities.
    """
    text = unicodedata.normalize("NFKC", _LIST_MARK.sub("", _CITATION.sub(" ", text)))
    text = _ORDINAL.sub(" ", _SPACED.sub("", text))
    return [*_digits(text), *_english(text), *_chinese(text)]


def missing_quantities(claim: str, evidence: list[str]) -> list[str]:
    """Return the numbers of a claim, as written, that no evidence text holds.

    A percentage may stand as a share (`12 %` and `0.12`), and a number that is said to be approximate may be off by 2 %.
    """
    held = {round(one.value, 9) for text in evidence for one in quantities(text)}
    held |= {month for text in evidence for month in _months(text)}
    return [one.text for one in quantities(claim) if not _is_held(one, held)]


def _is_held(quantity: Quantity, held: set[float]) -> bool:
    value = round(quantity.value, 9)
    if value in held or round(value / 100, 9) in held or round(value * 100, 9) in held:
        return True
    return quantity.approximate and any(abs(one - value) <= TOLERANCE * abs(value) for one in held)


def _digits(text: str) -> list[Quantity]:
    found = []
    for match in _NUMBER.finditer(text):
        value = float(match.group().replace(",", ""))
        scale = _SCALE_AFTER.match(text, match.end())
        written = match.group()
        if scale is not None:
            value *= _scale(scale.group(1) or scale.group(2))
            written = text[match.start() : scale.end()]
        found.append(Quantity(value, written, _ABOUT.search(text[max(0, match.start() - 14) : match.start()]) is not None))
    return found


def _scale(word: str) -> float:
    word = word.lower()
    if word in _SCALES:
        return _SCALES[word]
    value = 1.0
    for char in word:
        value *= {**_CHINESE_UNITS, **_CHINESE_POWERS}[char]
    return value


def _english(text: str) -> list[Quantity]:
    found = []
    for match in _WORD_NUMBER.finditer(text):
        words = re.findall(r"[a-z]+", match.group().lower())
        before = text[max(0, match.start() - 2) : match.start()].strip()
        if words[0] in _SCALES or (before and before[-1].isdigit()):
            continue
        total = current = 0
        for word in words:
            if word in _WORDS:
                current += _WORDS[word]
            elif word == "hundred":
                current = max(1, current) * 100
            elif word in _SCALES:
                total += max(1, current) * _SCALES[word]
                current = 0
        value = total + current
        if value > _SMALL_WORDS:
            found.append(Quantity(float(value), match.group().strip(), _ABOUT.search(text[: match.start()][-14:]) is not None))
    return found


def _chinese(text: str) -> list[Quantity]:
    found = []
    for match in _CHINESE_NUMBER.finditer(text):
        written = match.group()
        after_digit = match.start() > 0 and text[match.start() - 1].isdigit()
        if after_digit or (len(written) == 1 and text[match.end() : match.end() + 1] not in {"成", "倍"}):
            continue
        value = _chinese_value(written)
        if value is None:
            continue
        if text[max(0, match.start() - 3) : match.start()] == "百分之":
            written = f"百分之{written}"
        elif value <= 10 and "点" not in written:
            continue
        found.append(Quantity(value, written, _ABOUT.search(text[: match.start()][-4:]) is not None))
    return found


def _chinese_value(written: str) -> float | None:
    whole, _, fraction = written.partition("点")
    if whole.strip("零〇一二两三四五六七八九") == "":
        value = float("".join(str(_CHINESE_DIGITS[char]) for char in whole) or "0")
    else:
        total = section = digit = 0
        for char in whole:
            if char in _CHINESE_DIGITS:
                digit = _CHINESE_DIGITS[char]
            elif char in _CHINESE_UNITS:
                section += (digit or 1) * _CHINESE_UNITS[char]
                digit = 0
            else:
                total = (total + section + digit) * _CHINESE_POWERS[char]
                section = digit = 0
        value = float(total + section + digit)
    if fraction:
        value += float("0." + "".join(str(_CHINESE_DIGITS[char]) for char in fraction))
    return value


def _months(text: str) -> list[float]:
    """Return the months that a text names, so that `23 March` supports `3-23`."""
    return [float(_MONTHS[word]) for word in re.findall(r"[a-z]+", text.lower()) if word in _MONTHS and word != "may"]
