"""How wide the columns of a table are, on slides and on paper.

Texts are measured in half-width characters: a Chinese one counts twice.
"""

import unicodedata
from collections.abc import Sequence

_WIDE = frozenset("WM@%&mwOQGD—…")
EM, BOLD = 0.57, 1.15
"""Width of a half-width character as a part of the font's size, rather too large than too small, and how much wider a bold one is."""
SPARE = 1.15
"""Factor on the room for a column's longest word where there is more, since some fonts are wider."""
LONGEST_WORD = 20
"""Half-width characters of a longer word that is not kept on one line of a table's cell."""


def width(text: str) -> int:
    """Return the width of a text, rather too wide than too narrow."""
    return sum(2 if char in _WIDE or unicodedata.east_asian_width(char) in "WFA" else 1 for char in text)


def column_widths(rows: Sequence[Sequence[str]], size: int, room: float, blank: float) -> list[float]:
    """Return the width of each column of a table in inches: room for its longest text, else for its longest word, and the rest by how much those hold that need lines.

    Where the words need more than there is, the widest columns alone are narrowed, so that numbers stay whole. Rows have equal length, the
    header first; the size is that of the font in points, the room that of the table in inches, and the blank stands beside the text of a
    cell, on both sides together.
    """
    columns = [*zip(*rows, strict=True)]
    whole = [max(map(width, column)) * size * EM * BOLD / 72 + blank for column in columns]
    if sum(whole) <= room:
        return [wide * room / sum(whole) for wide in whole]
    needed = _words(rows, size, blank)
    spare = max(1.0, min(SPARE, room / sum(needed)))
    widths = _levelled([wide * spare for wide in needed], room)
    held = []
    for wide, column in zip(widths, columns, strict=True):
        long = any(width(cell) * size * EM / 72 + blank > wide for cell in column[1:])
        held.append(sum(map(width, column)) / sum(map(bool, column)) if long else 0.0)
    weights = held if any(held) else widths
    rest = room - sum(widths)
    return [wide + rest * weight / sum(weights) for wide, weight in zip(widths, weights, strict=True)]


def words_fit(rows: Sequence[Sequence[str]], size: int, room: float, blank: float) -> bool:
    """Tell whether no word of a table has to be broken."""
    return sum(_words(rows, size, blank)) <= room


def largest_size(rows: Sequence[Sequence[str]], sizes: Sequence[int], room: float, blank: float) -> int:
    """Return the first of font sizes in which no word of a table has to be broken, else the last one."""
    return next((size for size in sizes if words_fit(rows, size, room, blank)), sizes[-1])


def _words(rows: Sequence[Sequence[str]], size: int, blank: float) -> list[float]:
    columns = [[word for cell in column for word in _unbroken(cell)] for column in zip(*rows, strict=True)]
    longest = [min(LONGEST_WORD, max(map(width, [*column, "0000"]))) for column in columns]
    return [word * size * EM * BOLD / 72 + blank for word in longest]


def _levelled(widths: Sequence[float], room: float) -> list[float]:
    """Cut the greatest widths at the height at which all have room."""
    left = room
    for place, wide in enumerate(sorted(widths)):
        level = left / (len(widths) - place)
        if wide > level:
            return [min(wide, level) for wide in widths]
        left -= wide
    return [*widths]


def _unbroken(text: str) -> list[str]:
    """Return the parts of a text that a line break does not divide; a line may end behind any Chinese character."""
    return "".join(" " if unicodedata.east_asian_width(char) in "WF" else char for char in text).split()
