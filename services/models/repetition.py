"""Detects an answer that repeats itself without end, while it streams."""

MIN_REPEATED = 400
"""Minimum characters of repetition at an answer's end: a table rule or a run of blanks is shorter."""
MIN_TIMES = 5
"""Minimum number of consecutive copies of the same piece."""
LONGEST_PIECE = 600
"""Maximum characters of a repeated piece."""
_EVERY = 80
"""Number of new characters after which the end is checked again."""
_ANCHOR = 24
"""Characters at the end whose previous occurrence gives the length of the piece."""
_SHORT = 3
_MIN_SHORT = 800
"""Minimum characters of repetition of a piece of at most `_SHORT` characters: long lines of dashes are valid."""


class RepetitionWatch:
    """Takes an answer piece by piece and finds the point from which it only repeats itself.

    Only exact repetition counts: rows of a table, or sentences that differ in a number, are none.
    """

    def __init__(self) -> None:
        self._tail = ""
        self._seen = 0
        self._unchecked = 0

    def add(self, piece: str) -> int | None:
        """Add a piece; returns the number of characters before the repetitions, or None while there are none."""
        self._tail = (self._tail + piece)[-LONGEST_PIECE * MIN_TIMES - _ANCHOR :]
        self._seen += len(piece)
        self._unchecked += len(piece)
        if self._unchecked < _EVERY:
            return None
        self._unchecked = 0
        repeated = repeated_at_end(self._tail)
        return None if repeated is None else self._seen - repeated


def repeated_at_end(text: str) -> int | None:
    """Return the number of repeated characters at the end, or None if fewer than `MIN_TIMES` copies stand there."""
    anchor = text[-_ANCHOR:]
    earlier = text.rfind(anchor, 0, len(text) - 1)
    if earlier < 0 or len(text) < MIN_REPEATED:
        return None
    period = len(text) - _ANCHOR - earlier
    if period > LONGEST_PIECE:
        return None
    length = period
    while length < len(text) and text[-length - 1] == text[-length - 1 + period]:
        length += 1
    enough = max(MIN_TIMES * period, _MIN_SHORT if period <= _SHORT else MIN_REPEATED)
    return length - period if length >= enough else None
