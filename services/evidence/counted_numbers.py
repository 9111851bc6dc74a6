"""Whether a bare number of four digits counts something or is a year: `2048 tokens`, `in 2014 exports rose`."""

import re

from services.text.measures import unit_of

_COUNTED = re.compile(r"\s?[\u4e00-\u9fff](?<![年至到和与及比的以起])")
"""What follows a number in Chinese that is no year: `2000只`."""
_SINCE = re.compile(r"[自从由于]\s?$")
_COUNTED_NOUN = re.compile(r" (?:[a-z]{2,20} )?(?:[a-z]{2,20}[^s\W\d_]s|people|women|men|children)\b(?!['’])")
"""What follows a number in English that may be no year: `2048 tokens`."""
_OF_TIME = re.compile(
    r"(?:\b(?:in|of|since|until|till|by|during|from|(?<!up )to|and|or|before|after|between|the|its|their|this|early|late|mid|year|fiscal|through|an?|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter)[ ,-]{1,2}|['’]s |[\d(–-]|(?-i:\b[A-Z])[\w.]{0,20} )$",
    re.IGNORECASE,
)
"""What stands before a year."""


def counts(text: str, start: int, end: int) -> bool:
    """Tell whether what stands beside a bare number makes it one of something, and no year."""
    if unit_of(text, end) is not None or _COUNTED.match(text, end) is not None:
        return True
    if text[end : end + 1] == "起":  # 1284起, but 自1284起
        return not _SINCE.search(text[max(0, start - 2) : start])
    return _COUNTED_NOUN.match(text, end) is not None and not _OF_TIME.search(text[max(0, start - 24) : start])
