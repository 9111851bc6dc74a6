"""Stretches of a text, with the headings above them, and the lines that enclose them by their indentation: items of a list, keys of JSON or YAML, the head of a function."""

import re
from collections.abc import Iterator
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
            if line[2][0] == "#":  # a comment, a condition of a preprocessor, or a heading, which is known
                continue
            self._close(len(line[1]))
            if line[2][0] not in ")]}":
                self._open.append((len(line[1]), line[2]))
        self._read = first
        own, following = _INDENTATION.match(self._text, first, end), _NEXT.search(self._text, start, end)
        indentation = len(own[0]) if own and (following is None or following[1]) else 0
        above = (words.strip(_OPENING) for indented, words in self._open if indented < indentation)
        self._above = " > ".join([*filter(None, above)][-MAX_ENCLOSING:])
        return self._above

    def _close(self, indentation: int) -> None:
        while self._open and self._open[-1][0] >= indentation:
            self._open.pop()


_NAMELESS = ")]}{#/*-"
"""First signs of lines that name nothing below them."""
_NO_REMARKS = "_()[]{}\"'`~"
"""First signs of lines that are no remark on the line below, such as a comment."""
LONGEST_ENCLOSING = 60
"""Characters of a line that encloses a line of code."""
LONGEST_ENCLOSINGS = 120
"""Characters of all of them, the innermost ones."""
FURTHEST_CODE = 20_000
"""Characters above a line of code in which they are looked for."""


def lines_enclosing(code: str, start: int) -> str:
    """Return the lines that enclose a line of code by their indentation, outermost first, joined by ` > `: a class, its method, the condition."""
    found: list[str] = []
    for place in _enclosing(code, start):
        words = _line_at(code, place).strip().strip(_OPENING)[:LONGEST_ENCLOSING]
        if sum(map(len, [words, *found])) > LONGEST_ENCLOSINGS:
            break
        found.insert(0, words)
    return " > ".join(found)


def block_around(code: str, start: int, longest: int) -> tuple[int, int] | None:
    """Return the largest block of code of at most so many characters that holds a line, or that it begins: a function, a class, a branch.

    What stands directly above its first line without a word in front, such as a comment or `@app.task`, belongs to it. None where no block is so short and has all that it opens.
    """
    own = code.rfind("\n", 0, start) + 1
    blocks = [(place, _end_of_block(code, place)) for place in (own, *_enclosing(code, start))]
    whole = [(_with_lines_above(code, first), end) for first, end in blocks if code.count("\n", first, end)]
    fitting = [block for block in whole if block[1] - block[0] <= longest and _is_whole(code[slice(*block)])]
    return max(fitting, key=lambda block: block[1] - block[0], default=None)


def _is_whole(block: str) -> bool:
    """Tell whether all brackets and long strings that a block opens are closed in it: lines within them may be indented less."""
    pairs = all(block.count(opening) == block.count(closing) for opening, closing in ("()", "[]", "{}"))
    return pairs and not any(block.count(quote) % 2 for quote in ('"""', "'''"))


def _enclosing(code: str, start: int) -> Iterator[int]:
    """Yield where the lines begin that enclose a line of code, the innermost first.

    One that begins with a bracket, such as `):` or `{`, closes or opens what the line above it, as much indented, begins.
    """
    place = code.rfind("\n", 0, start) + 1
    indentation, last = _indented(_line_at(code, place)), max(0, place - FURTHEST_CODE)
    while place > last and indentation:
        place = code.rfind("\n", 0, place - 1) + 1
        line = _line_at(code, place)
        if not (words := line.strip()) or _indented(line) >= indentation:
            continue
        is_named = words[0] not in _NAMELESS
        indentation = _indented(line) + (not is_named)
        if is_named:
            yield place


def _end_of_block(code: str, start: int) -> int:
    """Return where the lines end that are indented more than a line, with what closes them."""
    end = start + len(_line_at(code, start))
    indentation, place = _indented(code[start:end]), end + 1
    while place < len(code) and place - start <= FURTHEST_CODE:
        line = _line_at(code, place)
        words = line.strip()
        if words and _indented(line) <= indentation and not (_indented(line) == indentation and words[0] in ")]}{"):
            break
        place += len(line) + 1
        end = place - 1 if words else end
    return end


def _with_lines_above(code: str, start: int) -> int:
    """Return where the lines begin that stand directly above a line, as much indented, with a sign in front."""
    while start:
        above = code.rfind("\n", 0, start - 1) + 1
        words, indented = _line_at(code, above).strip(), _indented(_line_at(code, above))
        if not words or words[0].isalnum() or words[0] in _NO_REMARKS or indented != _indented(_line_at(code, start)):
            break
        start = above
    return start


def _line_at(code: str, start: int) -> str:
    end = code.find("\n", start)
    return code[start : end if end >= 0 else None]


def _indented(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
