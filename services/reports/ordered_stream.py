"""Streams texts that are written in parallel one after the other, in order."""

from collections.abc import Callable


class InOrder:
    """Passes on pieces of the current text at once, and holds pieces of later texts until the earlier ones have ended."""

    def __init__(self, openings: list[str], send: Callable[[str], None]) -> None:
        """Take the opening of each text, and the receiver of pieces."""
        self._held: list[list[str]] = [[opening] for opening in openings]
        self._ended = [False] * len(openings)
        self._turn = 0
        self._send = send
        self._flush()

    def add(self, place: int, piece: str) -> None:
        """Add a piece of a text."""
        self._held[place].append(piece)
        self._flush()

    def end(self, place: int) -> None:
        """Mark a text as ended."""
        self._ended[place] = True
        self._flush()

    def _flush(self) -> None:
        while self._turn < len(self._held):
            for piece in self._held[self._turn]:
                self._send(piece)
            self._held[self._turn].clear()
            if not self._ended[self._turn]:
                return
            self._turn += 1
