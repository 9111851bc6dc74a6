"""The lines that enclose a passage by their indentation: items of a list, keys of JSON or YAML, the head of a function."""

import re

MAX_ENCLOSING = 3
"""Lines that enclose a passage by their indentation and are kept with it, the innermost ones."""
LONGEST_LINE = 200
"""Characters of such a line."""
MAX_BACK = 2_000
"""Characters before a passage in which its line begins; one that begins earlier has no indentation that a reader sees."""
_LINE = re.compile(rf"(?m)^([ \t]*+)(\S[^\n]{{0,{LONGEST_LINE - 1}}})")
_INDENTED = re.compile(r"(?m)^[ \t]++\S")
_INDENTATION = re.compile(r"[ \t]*+")
_NEXT = re.compile(r"\n([ \t]*+)(?=\S)")
_OPENING = " \t*+-•{[(:,\"'"
"""Marks around the words of a line that opens a list, an object or a function."""


class EnclosingLines:
    """The lines that enclose passages of a text, which is read once, from one passage to the next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._indented = _INDENTED.search(text) is not None
        self._read = 0
        self._above = ""
        self._open: list[tuple[int, str]] = []
        """Indentation and words of the lines that enclose what has been read last."""

    def lines_above(self, start: int, end: int) -> str:
        """Return the lines that enclose a passage behind the former one, by its first line's indentation.

        A paragraph of which only the first line is indented has none.
        """
        if not self._indented:
            return ""
        since = max(self._read, start - MAX_BACK)
        first = self._text.rfind("\n", since, start) + 1 or self._read
        if since > self._read >= first:  # amid a line that began long before
            return self._above
        for line in _LINE.finditer(self._text, self._read, first):
            self._close(len(line[1]))
            self._open.append((len(line[1]), line[2]))
        self._read = first
        own, following = _INDENTATION.match(self._text, first, start), _NEXT.search(self._text, start, end)
        indentation = len(own[0]) if own and (following is None or following[1]) else 0
        above = (words.strip(_OPENING) for indented, words in self._open if indented < indentation)
        self._above = " > ".join([*filter(None, above)][-MAX_ENCLOSING:])
        return self._above

    def _close(self, indentation: int) -> None:
        while self._open and self._open[-1][0] >= indentation:
            self._open.pop()
