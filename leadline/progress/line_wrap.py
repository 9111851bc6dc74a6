"""Breaking a text into lines for a terminal: between words, and between the characters of scripts without blanks."""

from rich.cells import cell_len
from rich.text import Text

_NOT_FIRST = frozenset("，。、；：？！）》】」』”’…—·％%,.;:?!)]}[")
"""Characters that stay with what they follow; a bracket begins the mark of a citation."""
_NOT_LAST = frozenset("（《【「『“‘([{")
"""Characters that stay with what follows them."""


def wrapped(text: Text, width: int) -> list[Text]:
    """Return a text as lines.

    Args:
        text: with its styles; line ends stay, and a no-break space is no place to break at.
        width: columns that a line may take, at least 2.
    """
    lines = []
    for paragraph in text.split("\n", allow_blank=True):
        for line in paragraph.divide(_places(paragraph.plain, width)):
            line.rstrip()
            lines.append(line)
    return lines


def _places(text: str, width: int) -> list[int]:
    """Return the offsets at which new lines begin; a word that is longer than a line is broken anywhere."""
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
