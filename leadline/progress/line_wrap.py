"""Breaks a text into lines for a terminal: between words, or between characters of scripts without blanks."""

from rich.cells import cell_len
from rich.text import Text

_NOT_FIRST = frozenset("，。、；：？！）》】」』”’…—·％%,.;:?!)]}[")
"""Characters that must not start a line; a bracket starts a citation mark."""
_NOT_LAST = frozenset("（《【「『“‘([{")
"""Characters that must not end a line."""


def wrapped(text: Text, width: int) -> list[Text]:
    """Return a text as lines.

    Line ends stay, and lines do not break at no-break spaces; `width` is at least 2.
    """
    lines = []
    for paragraph in text.split("\n", allow_blank=True):
        for line in paragraph.divide(_places(paragraph.plain, width)):
            line.rstrip()
            lines.append(line)
    return lines


def _places(text: str, width: int) -> list[int]:
    """Return the offsets of line starts; a word longer than a line is broken anywhere."""
    places: list[int] = []
    begin = allowed = columns = 0
    for place, char in enumerate(text):
        if place > begin and _may_break(text[place - 1], char):
            allowed = place
        size = cell_len(char)
        if columns + size > width and place > begin and char != " ":
            begin = allowed if allowed > begin else place
            places.append(begin)
            columns = cell_len(text[begin:place])
        columns += size
    return places


def _may_break(before: str, after: str) -> bool:
    if before == " ":
        return after != " "
    return 2 in {cell_len(before), cell_len(after)} and before not in _NOT_LAST and after not in _NOT_FIRST
