"""Implicit links between documents: a text that names the title of another document links to it."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import TypeVar

from services.text.tokens import has_cjk, pieces, tokens

LONGEST = 12
"""Maximum words of a title, or characters of a Chinese title, to match."""
_LONGEST_CHINESE = 30


class Titles:
    """Index of a folder's titles, to find them in texts."""

    def __init__(self, titles: Iterable[tuple[str, str]], numbers: Iterable[tuple[str, str]] = ()) -> None:
        """Take (content hash, title) pairs, of which short and common words are not used, and (content hash, name) pairs of numbered sources."""
        self._numbered = [(name, _numbered_terms(name), source) for source, name in numbers]
        self._words: dict[tuple[str, ...], list[str]] = {}
        self._chinese: dict[str, list[str]] = {}
        for source, title in titles:
            bare = bare_title(title).strip().lower()
            if has_cjk(bare):
                if 2 < len(bare) <= _LONGEST_CHINESE:
                    self._chinese.setdefault(bare, []).append(source)
                continue
            words = _words(bare)
            if len(bare) >= 4 and len(words) <= LONGEST and tokens(bare):
                self._words.setdefault(words, []).append(source)
        self._most_words = max(map(len, self._words), default=0)
        self._lengths = sorted({len(title) for title in self._chinese}, reverse=True)

    def numbered(self, text: str) -> dict[str, list[str]]:
        """Return the names of sources whose words and number stand in a text, the number behind its word ("PEPs 517 and 518"), with their sources."""
        held = _numbered_terms(text)
        by_name: dict[str, list[str]] = {}
        for name, words, source in self._numbered:
            if words <= held and any(word.isdigit() for word, _ in words):
                by_name.setdefault(name, []).append(source)
        return by_name

    def named(self, text: str) -> dict[str, list[str]]:
        """Return the titles in a text by first mention, with their sources.

        Of titles that start at the same position, the longest is used.
        """
        words = _words(text)
        titles = _longest_at_each_place(words, range(self._most_words, 0, -1), self._words)
        named = {" ".join(title): self._words[title] for title in titles}
        if self._chinese and has_cjk(text):
            chars = text.lower()
            named |= {
                title: self._chinese[title] for title in _longest_at_each_place(chars, self._lengths, self._chinese)
            }
        return named


Run = TypeVar("Run", str, tuple[str, ...])


def _longest_at_each_place(text: Run, lengths: Sequence[int], titles: Container[Run]) -> Iterator[Run]:
    place = 0
    while place < len(text):
        runs = (text[place : place + length] for length in lengths if length <= len(text) - place)
        title = next((run for run in runs if run in titles), None)
        if title is not None:
            yield title
        place += len(title or " ")


def _numbered_terms(text: str) -> frozenset[tuple[str, str]]:
    """Return the terms of a text; a number comes with the word before it, or before the list of numbers that it is in."""
    terms: set[tuple[str, str]] = set()
    word = ""
    for term in tokens(text):
        terms.add((term, word if term.isdigit() else ""))
        word = word if term.isdigit() else term
    return frozenset(terms)


def bare_title(title: str) -> str:
    """Return a title without the bracketed part at its end."""
    return re.sub(r"(?<!\s)\s*+[(（][^)）]{0,200}+[)）]$", "", title)


def path_names(paths: Sequence[str]) -> dict[str, str]:
    """Return for each of some documents of one title as many last parts of its path, at least two, as tell it from the others: `3.9/generated/config`."""
    names: dict[str, str] = {}
    parts = {path: PurePath(path).with_suffix("").parts for path in paths}
    for count in range(2, 1 + max(2, *map(len, parts.values()))):
        left = {path: "/".join(parts[path][-count:]) for path in paths if path not in names}
        times = Counter(left.values())
        names |= {path: name for path, name in left.items() if times[name] == 1 or count >= len(parts[path])}
    return names


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"['’]s?$", "", piece) for piece in pieces(text))
