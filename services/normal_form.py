"""Unicode's normal forms of texts from outside, in linear time."""

import re
import unicodedata
from typing import Literal

MOST_MARKS = 30
"""Combining marks in a row that a text keeps, as Unicode's Stream-Safe Text Format has it (UAX #15); no language needs ten.

Putting marks in their canonical order takes time with the square of their number: 40,000 took over a second.
"""
_MARKS = re.compile(rf"(?<![^\x00-\u02ff\w\s])[^\x00-\u02ff\w\s]{{{MOST_MARKS + 1},}}+")
"""Runs that are long enough to hold too many marks: these are neither letters nor digits nor blanks."""


def normal_form(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in one of Unicode's normal forms; of too many combining marks in a row the first ones stay."""
    return unicodedata.normalize(form, _MARKS.sub(_with_fewer_marks, text))


def _with_fewer_marks(found: re.Match[str]) -> str:
    pieces: list[str] = []
    marks = 0
    for char in found.group():
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= MOST_MARKS:
            pieces.append(char)
    return "".join(pieces)
