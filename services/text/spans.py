"""Stretches of a text, with the headings and the lines above them, as a person would name these."""

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,4}\.\s+|\d{1,2}(?:\.\d{1,2}){1,4}\s+(?=[A-Z\u4e00-\u9fff]))")
"""The number of a section before its name: `2. The tower`, `2.1 The tower`."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: `text[start:end]`."""

    start: int
    end: int
    heading: str = ""
    """Headings above it, outermost first, joined by ` > `."""
    enclosing: str = ""
    """Lines above it that enclose it, being indented less, outermost first, joined by ` > `: items of a list, keys, the head of a function."""
    code: bool = False
    """Whether it is code, or a part of it, whose lines stay."""
    shared: frozenset[str] = frozenset()
    """Those of its headings that several sections of the text have, and the innermost if the one above it is not the title."""

    @property
    def section(self) -> str:
        """The innermost heading and the innermost enclosing line, as a person would name them; behind the headings above it that tell which it is."""
        return " > ".join(filter(None, [self.path(), self.innermost]))

    @property
    def innermost(self) -> str:
        """The innermost heading and the innermost enclosing line."""
        return " > ".join(filter(None, [plain_heading(self.heading), self.enclosing.rpartition(" > ")[2]]))

    def path(self, first: str = "") -> str:
        """Return the headings that tell which section it stands in: those above one that is `shared`; empty where there are none.

        Args:
            first: the heading that is meant; by default the innermost.
        """
        *above, last = self.heading.split(" > ")
        if first in above:
            *above, last = above[: above.index(first) + 1]
        named: list[str] = []
        while above and last in self.shared:
            last = above.pop()
            named.insert(0, plain_heading(last))
        return " > ".join(named)


def plain_heading(heading: str) -> str:
    """Return the innermost of some headings as a person would name it: without marks of Markdown, its number and stops."""
    return without_number(
        re.sub(r"[*`#]+|(?<!\w)_++|(?<!_)_++(?!\w)", "", heading.rpartition(" > ")[2]).strip(" .。:：")
    )


def without_number(heading: str) -> str:
    """Return a heading without the number of its section."""
    return _NUMBER.sub("", heading)
