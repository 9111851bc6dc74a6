"""Texts that are written side by side, streamed one after the other in their order."""

from collections.abc import Callable


class InOrder:
    """Passes on the pieces of the first text at once, and holds those of later texts until the ones before have ended."""

    def __init__(self, openings: list[str], send: Callable[[str], None]) -> None:
        """Take what each text opens with, and where its pieces go."""
        self._held: list[list[str]] = [[opening] for opening in openings]
        self._ended = [False] * len(openings)
        self._turn = 0
        self._send = send
        self._flush()

    def add(self, place: int, piece: str) -> None:
        """Take a piece of a text."""
        self._held[place].append(piece)
        self._flush()

    def end(self, place: int) -> None:
        """Take note that a text has ended."""
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
