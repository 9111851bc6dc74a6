"""Line ends that only wrap a sentence, where a line had no room for its next word; and the lines beside them that stand alone."""

import re
from itertools import pairwise

from services.text.code_blocks import blocks

WRAPPED, WIDEST_WORD = 50, 20
"""Columns from which on a line of prose may have been wrapped, and most of the word for which a line had no room."""
NO_ROOM = 4
"""Columns that stay free at most at the end of a full line of Chinese: a character, and one more before a mark that begins no line."""
_WIDE_CHARS = r"\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
_WIDE = re.compile(f"[{_WIDE_CHARS}]")
_AMID_CHINESE = re.compile(f"(?<=[{_WIDE_CHARS}])\\n(?=[{_WIDE_CHARS}“‘])|(?<=[”’])\\n(?=[{_WIDE_CHARS}])")
"""A line end between two characters that have no blank between them in a line."""
_HEADING = re.compile(r"#{1,6}\s")
_VALUE_LINE = re.compile(
    rf"(?=[^\n]{{1,{WRAPPED - 1}}}(?:\n(?![ \t]*[a-z])|\Z))[A-Z\u4e00-\u9fff][^\n.!?。！？:：]{{0,29}}(?::[ \t]|：)[^\n]*"
    r"[^\s.!?。！？](?:\n|\Z)"
)
"""A short line of a name and its value, as above a text: `Published: 2009-05-14`."""
_ITEM_NUMBER = re.compile(
    r"\s*(?:\d+[.)、]\s|\d{1,2}[.．](?=[\u4e00-\u9fff])|[（(]?[\d〇一二三四五六七八九十]{1,3}[）)、])"
)
"""The number of an item at the beginning of a line, also as Chinese ones are: `一、`, `（二）`, `3.城东`."""


def without_chinese_wraps(text: str) -> str:
    """Return a text without the line ends that divide a Chinese sentence, and often a word, where a paragraph's lines were full; code keeps its lines."""
    ends = [-1]
    for start, end, code in blocks(text):
        wraps = [] if code else [*_AMID_CHINESE.finditer(text, start, end)]
        full = max(map(columns, text[start:end].split("\n"))) - NO_ROOM if wraps else 0
        for wrap in wraps:
            line = text[max(start, text.rfind("\n", start, wrap.start()) + 1) : wrap.start()]
            if columns(line) >= full and is_wrap(text, *wrap.span()):
                ends.append(wrap.start())
    return "".join(text[end + 1 : following] for end, following in pairwise([*ends, len(text)]))


def unwrapped(text: str) -> str:
    """Return a text of the same length with a space for each line end that is a mere wrap inside a sentence."""
    wraps = [place for place, char in enumerate(text) if char == "\n" and place > 0 and is_wrap(text, place, place + 1)]
    pieces = [text[start + 1 : end] for start, end in pairwise([-1, *wraps, len(text)])]
    return " ".join(pieces)


def is_wrap(text: str, left: int, right: int) -> bool:
    """Tell whether a line end is a mere wrap inside a sentence: one newline, prose or an item before it and prose after it.

    A short line wraps before a small letter, or the address of a link, where the line above or below is long, as a link or a mark in
    the source made it short; so does the first line of a quote, which may be the end of a longer line.
    """
    if right - left > 1 or right >= len(text):
        return False
    start = text.rfind("\n", 0, left) + 1
    line, following = text[start:left], text[right : right + 12]
    structural = (
        line.lstrip()[:1] in "|>"
        or _HEADING.match(line.lstrip())
        or is_value_line(text, start)
        or is_value_line(text, right)
        or following.lstrip()[:1] in "#|>-*+"
        or _ITEM_NUMBER.match(following)
    )
    end = text.find("\n", right)
    below_line = text[right : len(text) if end < 0 else end]
    long = len(line) >= WRAPPED or WRAPPED <= columns(line) >= columns(below_line) - WIDEST_WORD
    if not long and following.lstrip("`<([")[:1].islower():
        above = start - 1 - (text.rfind("\n", 0, start - 1) + 1) if start else WRAPPED
        long = max(above, len(below_line)) >= WRAPPED
    return not structural and long and line[-1] not in ".!?。！？；:："


def columns(line: str) -> int:
    """Return how wide a line is in letters; Chinese characters take two columns each."""
    return len(line) + len(_WIDE.findall(line))


def is_value_line(text: str, start: int) -> bool:
    """Tell whether a short line of a name and its value begins at a place."""
    line = _VALUE_LINE.match(text, start)
    return line is not None and columns(line[0]) <= WRAPPED
