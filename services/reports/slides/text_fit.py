"""Measures how much text fits on a slide, in half-width characters: a Chinese character counts twice."""

import unicodedata
from collections.abc import Sequence

from services.text.passages import sentences

CAPACITY = {1: 760, 2: 400, 3: 220, 4: 165}
"""Capacity of each card, by the number of cards on the slide."""
_WIDE = frozenset("WM@%&mwOQGD—…")
TITLE = 96
"""Capacity of a slide's title, which has two lines."""
TABLE_ROOM = 13
"""Lines of a table on a slide, including the header."""
_STOPS = (("；", "; "), ("，", ", ", "、", " "))
"""Separators at which a text is cut if no sentence ends."""
TABLE_LINE = 100
"""Characters of a table's line across all columns."""


def width(text: str) -> int:
    """Return the width of a text, rather too wide than too narrow."""
    return sum(2 if char in _WIDE or unicodedata.east_asian_width(char) in "WFA" else 1 for char in text)


def shortened(text: str, room: int) -> str:
    """Shorten a long title, with an ellipsis."""
    if width(text) <= room:
        return text
    while width(text) > room - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def pieces(text: str, room: int) -> list[str]:
    """Split a text into pieces after sentences, else semicolons, commas or blanks."""
    cut_pieces = []
    while width(text) > room:
        end = _fitting(text, room)
        at = max((span.end for span in sentences(text) if end // 3 <= span.end <= end), default=0) or next(
            (at for marks in _STOPS if (at := max(text.rfind(mark, end // 2, end) + 1 for mark in marks))), 0
        )
        cut = at or end
        cut_pieces.append(text[:cut].strip())
        text = text[cut:].strip()
    return [*cut_pieces, text] if text else cut_pieces


def _fitting(text: str, room: int) -> int:
    """Return the number of characters of a text that fit."""
    used = 0
    for place, char in enumerate(text):
        used += width(char)
        if used > room:
            return place
    return len(text)


def row_height(cells: Sequence[str]) -> int:
    """Return the number of lines of a table row with columns of equal width."""
    column = max(4, TABLE_LINE // max(1, len(cells)) - 4)
    return max((-(-width(cell) // max(1, column * 4 // 5)) for cell in cells), default=1) or 1


def halves(cells: tuple[str, ...], room: int) -> list[tuple[str, ...]]:
    """Split a row that is higher than a slide into rows that fit."""
    if row_height(cells) <= room:
        return [cells]
    column = max(4, TABLE_LINE // max(1, len(cells)) - 4) * 4 // 5
    cut = [pieces(cell, column * (room - 1)) or [""] for cell in cells]
    count = max(map(len, cut))
    return [tuple(cell[place] if place < len(cell) else "" for cell in cut) for place in range(count)]
