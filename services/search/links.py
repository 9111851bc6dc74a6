"""Links between documents that nobody wrote: a text that names the title of another document leads to it."""

import re
from collections.abc import Iterable

from services.text.tokens import has_cjk, pieces, tokens

LONGEST = 12
"""Words of a title, or characters of a Chinese one, that are looked for at most."""
_LONGEST_CHINESE = 30


class Titles:
    """The titles of a folder's sources, to be found in texts."""

    def __init__(self, titles: Iterable[tuple[str, str]]) -> None:
        """Take (content hash, title); short and common words do not count as titles."""
        self._words: dict[tuple[str, ...], list[str]] = {}
        self._chinese: dict[str, list[str]] = {}
        for source, title in titles:
            bare = re.sub(r"(?<!\s)\s*+[(（][^)）]{0,200}+[)）]$", "", title).strip().lower()
            if has_cjk(bare):
                if 2 < len(bare) <= _LONGEST_CHINESE:
                    self._chinese.setdefault(bare, []).append(source)
                continue
            words = tuple(_words(bare))
            if len(bare) >= 4 and len(words) <= LONGEST and tokens(bare):
                self._words.setdefault(words, []).append(source)
        self._most_words = max(map(len, self._words), default=0)
        self._lengths = sorted({len(title) for title in self._chinese}, reverse=True)

    def named(self, text: str) -> dict[str, list[str]]:
        """Return the titles that a text names, in the order of their first mention, with the sources that bear them.

        Of titles that begin at one place the longest counts.
        """
        found: dict[str, list[str]] = {}
        words = _words(text)
        place = 0
        while place < len(words):
            for length in range(min(self._most_words, len(words) - place), 0, -1):
                run = tuple(words[place : place + length])
                if run in self._words:
                    found.setdefault(" ".join(run), self._words[run])
                    place += length - 1
                    break
            place += 1
        if self._chinese and has_cjk(text):
            found |= self._named_in_chinese(text.lower())
        return found

    def _named_in_chinese(self, text: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        place = 0
        while place < len(text):
            for length in self._lengths:
                run = text[place : place + length]
                if len(run) == length and run in self._chinese:
                    found.setdefault(run, self._chinese[run])
                    place += length - 1
                    break
            place += 1
        return found


def _words(text: str) -> list[str]:
    return [re.sub(r"['’]s?$", "", piece) for piece in pieces(text)]
