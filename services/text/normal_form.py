"""The normal forms of texts from outside, in linear time: Unicode's, that in which they are stored, and names of files for them."""

import html
import re
import unicodedata
from typing import Literal

MOST_MARKS = 30
"""Combining marks in a row that a text keeps, as Unicode's Stream-Safe Text Format has it (UAX #15); no language needs ten.

Putting marks in their canonical order takes time with the square of their number: 40,000 took over a second.
"""
_MARKS = re.compile(rf"(?<![^\x00-\u02ff\w\s])[^\x00-\u02ff\w\s]{{{MOST_MARKS + 1},}}+")
"""Runs that are long enough to hold too many marks: these are neither letters nor digits nor blanks."""

_LINE_END = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\ufeff\ud800-\udfff]")
_BLANKS_AT_LINE_END = re.compile(r"(?<![ \t\u00a0\u3000])[ \t\u00a0\u3000]++(?=\n|$)")


def normal_form(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in one of Unicode's normal forms; of too many combining marks in a row the first ones stay."""
    return text if text.isascii() else unicodedata.normalize(form, _MARKS.sub(_with_fewer_marks, text))


def normalise_text(text: str) -> str:
    r"""Return the form in which a text is stored: NFC, `\n` line ends, no control characters, no blanks at line ends.

    Normalising twice changes nothing; offsets of passages and excerpts refer to this form.
    """
    text = normal_form("NFC", _CONTROL.sub("", _LINE_END.sub("\n", text)))
    text = _BLANKS_AT_LINE_END.sub("", text)
    return re.sub(r"\n{4,}", "\n\n\n", text).strip("\n")


def _with_fewer_marks(match: re.Match[str]) -> str:
    pieces: list[str] = []
    marks = 0
    for char in match.group():
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= MOST_MARKS:
            pieces.append(char)
    return "".join(pieces)


_LONG = re.compile(r"&#\d{8,}+;?")
"""A number beyond all characters; Python refuses to read numbers of more than 4,300 digits."""


def unescape(text: str) -> str:
    """Return a text with its references as characters, in linear time; U+FFFD stands for characters that do not exist."""
    return html.unescape(_LONG.sub("\ufffd", text))


def slug_of(text: str, max_length: int, other: str) -> str:
    """Return lower-case words joined by hyphens, in any script."""
    words = re.findall(r"\w+", normal_form("NFKC", text[: 20 * max_length]).lower())
    return "-".join(words)[:max_length].strip("-_") or other
