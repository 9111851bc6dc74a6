"""Numbers of spreadsheets with what their format shows beside the digits: a percent sign, a unit, a currency, leading zeros; and dates as exact as it shows them."""

import re
from functools import lru_cache

LONGEST = 255
"""Characters of a format; Excel allows no more."""
_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])+')
_LITERAL = re.compile(
    r'"(?P<words>[^"]{0,99}+)"|\[\$(?P<currency>[^\]-]{0,20}+)(?:-[^\]]{0,20}+)?\]|'  # `"kg"`, `[$€-407]`
    r"\\?[-+()]|[_*].|\[(?:[A-Z][a-z]{2,6}|Color ?\d+)\]|"  # of negative numbers, for alignment, `[Red]`
    r'\\(?P<escaped>.)|(?P<sign>[^\w#?,.\[\]@;/:"*\\])'
)
_PARTS = re.sub(r"\?P<\w+>", "?:", _LITERAL.pattern)
_FORMAT = re.compile(rf"((?>(?:{_PARTS})*))(General|[#0?](?:[#0?,]*[#0?])?)(?:\.[#0?]+)?((?>(?:{_PARTS})*))")

_WORDS = re.compile(r'"[^"]*"|\\.|\[[^\[\]]*\]')
"""What a format of dates holds beside its letters."""


def as_exact(written: str, number_format: str) -> str:
    """Return a date as year and month, or as a year, where its format shows no more."""
    letters = set(_WORDS.sub("", number_format).casefold())
    if "y" not in letters or letters.intersection("dhs"):
        return written
    return written[: len("2024-05") if "m" in letters else len("2024")]


def number_text(value: float) -> str:
    """Return a number in digits."""
    return format(value, ".15g") if isinstance(value, float) else str(value)


def formatted(value: float, number_format: str) -> str:
    """Return a number with what its format shows beside the digits, of which none is rounded away; alone where the format says more."""
    sections = _SECTION.findall(number_format) if len(number_format) <= LONGEST else []
    negative = sections[1] if value < 0 and len(sections) > 1 else ""
    read = _read(negative or sections[0]) if sections else None
    if read is None:
        return number_text(value)
    before, zeros, behind, percent = read
    digits = number_text(abs(value) * 100 if percent else abs(value))
    in_words = negative and read != _read(sections[0]) and not {"-", "("}.intersection(negative)  # `0 "gain";0 "loss"`
    return f"{'-' if value < 0 and not in_words else ''}{before}{digits.zfill(zeros) if digits.isdigit() else digits}{behind}"


@lru_cache(maxsize=1_024)
def _read(section: str) -> tuple[str, int, str, bool] | None:
    """Return what stands before the digits, how many digits an integer has at least, what stands behind, and whether it is a percentage."""
    if not (match := _FORMAT.fullmatch(section)):
        return None
    before, places, behind = match.groups()
    percent = any(literal["sign"] == "%" for literal in _LITERAL.finditer(f"{before}{behind}"))
    zeros = len(places) if set(places) == {"0"} else 0
    return _words(before).lstrip(), zeros, _words(behind).rstrip(), percent


def _words(literals: str) -> str:
    return "".join("".join(filter(None, literal.groups())) for literal in _LITERAL.finditer(literals))
