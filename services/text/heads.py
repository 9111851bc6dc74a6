"""What stands above a place of a text: what begins its table or code (the line of headings, in a printed table, too, or the opening fence), its section, and all sections."""

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from services.text.code_blocks import code_blocks
from services.text.page_numbers import is_page
from services.text.passages import split
from services.text.quotable import without_markup
from services.text.spans import Span, lines_enclosing, plain_heading
from services.text.tables import row_of, table_rows
from services.text.wrapped_lines import WRAPPED, columns

MAX_HEADS = 2_000
"""Characters of a line of headings."""
LONGEST_SECTION = 120
"""Characters of a section's heading and the line that encloses a quote."""

LONGEST_NAMES = 300
"""Characters of the names of a text's sections."""
LONGEST_READ = 100_000
"""Characters of a text whose sections are named, or that is searched for a line of headings."""
LEAST_COLUMNS = 2
"""Of a printed table."""
_PRINTED = re.compile(r"\S+(?: \S+)*")
"""A part of a printed line: two blanks end it."""
_LETTER = re.compile(r"[^\W\d_]")


_ITEM = re.compile(r"[ \t]*+(?:[-*+•]|\d{1,2}[.)])[ \t]++")
_LABEL = re.compile(
    r"[ \t]*+(?:\*\*|__)?([A-Z\u4e00-\u9fff][^\n:：*|]{0,39}+)(?:\*\*|__)?(?::|：)(?:\*\*|__)?(?:[ \t]|(?<=：))"
)
"""Who speaks in a paragraph or an item, or what it is about: `DE: …`, `**Performance:** …`."""
_STOPS = ".!?。！？"
LONGEST_LABEL = 4
"""Words of such a label."""
MAX_LABELLED = 4_000
"""Characters behind a label for which it is looked for."""


class _Headed(NamedTuple):
    """The rows below the headings of a table, or the lines of code below its fence, by their places in a text."""

    start: int
    end: int
    heads: str


class Sections:
    """The headings above the places of a text, each with the line that encloses it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._passages = split(text)
        self._code = [*code_blocks(text)]

    def at(self, start: int) -> str:
        """Return the innermost heading above a place, behind those above it that tell which it is, the innermost line that encloses it, or all of them in code, and the label of its paragraph; empty without any."""
        span, code = self._passage(start), self._code_at(start)
        if code is not None:
            above = lines_enclosing(self._text[code.start : start], start - code.start)
            return labelled(_plain(replace(span, enclosing="").section), above)
        return labelled(_plain(span.section), label_at(self._text, start))

    def names(self, start: int) -> tuple[str, ...]:
        """Return the same, and as earlier bundles have it: without the label, without the headings above the innermost, with the label of a sentence on a line above, and without a line that encloses it."""
        span = self._passage(start)
        open_span, former = replace(span, enclosing=""), label_at(self._text, start, stops="")
        unlabelled, *others = map(_plain, (span.section, span.innermost, open_span.section, open_span.innermost))
        return self.at(start), unlabelled, *others, labelled(unlabelled, former)

    def _passage(self, start: int) -> Span:
        place = bisect(self._passages, start, key=lambda passage: passage.start) - 1
        return self._passages[place] if place >= 0 else Span(0, 0)

    def _code_at(self, start: int) -> Span | None:
        place = bisect(self._code, start, key=lambda block: block.start) - 1
        return self._code[place] if place >= 0 and start < self._code[place].end else None


def _plain(section: str) -> str:
    return without_markup(section)[:LONGEST_SECTION]


def labelled(section: str, label: str) -> str:
    """Return a section with the label of a paragraph in it."""
    return " > ".join(filter(None, [section, label]))


def label_at(text: str, start: int, *, stops: str = _STOPS) -> str:
    """Return the label of the paragraph or item that began before a place; empty without one, and where the place begins a line of its own, or has a label itself.

    A line below one that ends with one of the `stops` is a line of its own.
    """
    *above, line = text[max(0, start - MAX_LABELLED) : start].rpartition("\n\n")[2].split("\n")
    if not line.strip() and (not (above and _wraps(above[-1], stops)) or _LABEL.match(text, start)):
        return ""
    lines = [*above, line]
    for place in range(len(lines) - 1, -1, -1):
        item, before = _ITEM.match(lines[place]), lines[place - 1] if place else ""
        label = None if _wraps(before) and not item else _LABEL.match(lines[place], item.end() if item else 0)
        if label and len(label[1].split()) <= LONGEST_LABEL:
            return label[1].strip()
        if item:
            break
    return ""


def _wraps(line: str, stops: str = _STOPS) -> bool:
    return columns(line) >= WRAPPED and line[-1] not in stops


def section_names(text: str) -> str:
    """Return the names of a text's sections as a table of contents has them, `; ` between: its shallowest headings of which there are several.

    Returns:
        300 characters at most, with `…` where more follow; empty without such headings. Of a long text only the beginning is read.
    """
    paths = [span.heading.split(" > ") for span in split(text[:LONGEST_READ]) if span.heading]
    for depth in range(1, 1 + max(map(len, paths), default=0)):
        sections = list(dict.fromkeys(tuple(path[:depth]) for path in paths if len(path) >= depth))
        if len(sections) > 1:
            pages = [section for section in sections if is_page(f"## {section[-1]}")]
            named = [section for section in sections if section not in pages] or pages
            listed = "; ".join(filter(None, (plain_heading(section[-1]) for section in named)))
            return listed if len(listed) <= LONGEST_NAMES else f"{listed[:LONGEST_NAMES].rpartition('; ')[0]}; …"
    return ""


class Heads:
    """The lines that begin the tables and the code of a text, or of a part of one below such a line."""

    def __init__(self, text: str, above: str = "") -> None:
        self._text = f"{above}\n{text}" if above else text
        self._before = len(self._text) - len(text)

    def at(self, start: int) -> str:
        """Return the line that begins what stands at a place, else an empty one."""
        start += self._before
        if line := _at(self._code, start):
            return line
        end = self._text.find("\n", start)
        line = self._text[start : end if end >= 0 else None]
        if row_of(line) is not None:
            return _at(self._tables, start)
        return _printed_heads(self._text[max(0, start - LONGEST_READ) : start], line)

    def of_table(self, start: int) -> str:
        """Return the headings of the table that reaches over a place; empty at the headings, and where no table is."""
        return _at(self._tables, start + self._before)

    @cached_property
    def _tables(self) -> list[_Headed]:
        return _rows(self._text)

    @cached_property
    def _code(self) -> list[_Headed]:
        blocks: list[_Headed] = []
        for block in code_blocks(self._text):
            line = self._text[block.start : block.end].partition("\n")[0]
            blocks.append(_Headed(block.start + len(line) + 1, block.end, line.strip()))
        return blocks


def above(text: str, start: int, *, head: str = "", section: str = "") -> dict[str, str]:
    """Return the fields `heads` and `section` of a quote within a passage; the section only of a row or of code, which rarely name their subject.

    Args:
        text: the passage.
        start: where the quote begins in it.
        head: the line that begins the table or code amid which the passage begins.
        section: the section in which it begins.
    """
    heads = Heads(text, head).at(start)
    return {"heads": heads, "section": Sections(text).at(start) or section if heads else ""}


def _at(parts: Sequence[_Headed], start: int) -> str:
    place = bisect(parts, start, key=lambda part: part.start) - 1
    return parts[place].heads if place >= 0 and start < parts[place].end else ""


def _printed_heads(before: str, rest: str) -> str:
    """Return the first line above a printed line, without a blank line between, that names its columns.

    Args:
        before: the text up to the line, or up to a place in it.
        rest: the line from there.
    """
    *lines, begun = before.rpartition("\n\n")[2].split("\n")
    if len(_PRINTED.findall(begun + rest)) < LEAST_COLUMNS:
        return ""
    words = list(re.finditer(r"\S+", begun + rest))
    return next((line for line in lines if len(line) <= MAX_HEADS and _names_columns(line, words)), "")


def _names_columns(line: str, words: Sequence[re.Match[str]]) -> bool:
    """Tell whether each part of a line begins or ends where a word of a line below it does, and one names numbers."""
    names = list(_PRINTED.finditer(line))
    if len(names) < LEAST_COLUMNS:
        return False
    below = [
        next((word[0] for word in words if word.start() == name.start() or word.end() == name.end()), "")
        for name in names
    ]
    named = (_LETTER.search(name[0]) and not _LETTER.search(cell) for name, cell in zip(names, below, strict=True))
    return all(below) and any(named)


def _rows(text: str) -> list[_Headed]:
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return [
        _Headed(starts[first + 1], starts[first + len(rows)], lines[first])
        for first, rows in table_rows(lines)
        if len(rows) > 1 and len(lines[first]) <= MAX_HEADS
    ]
