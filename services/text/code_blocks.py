"""Blocks of a text: code between fences, with its parts, and what stands between blank lines outside of it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from services.text.spans import Span

CODE_LINES = 20
"""Lines of code that stay whole in a quote; longer code has parts of so many."""
CODE = r"^[ \t]*+(?P<fence>`{3,}+|~{3,}+)[^`\n]*+(?:\n|\Z)(?s:.*?)(?:^[ \t]*+(?P=fence)[`~]*+[ \t]*+$|\Z)"
_BEHIND_MARK = re.compile(
    r"(?m)^([ \t]*+(?:[-*+]|\d{1,3}[.)])(?:[ \t][^`~\n]{0,300}:)?)[ \t]++(?=(?:`{3,}+|~{3,}+)[^`\n]*+$)"
)
FENCED = re.compile(CODE, re.MULTILINE)
FENCE_LINE = re.compile(r"(?m)^[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+$")
_CLOSING = re.compile(r"([ \t]*+)[^\w\n({\[]*+(?:\n|\Z)")
"""A line of code that has no words and opens nothing: blank, `}`, or `#` in a comment."""
_BELOW = re.compile(r"(?:[ \t]{0,99}+\n){0,3}([ \t]{0,99}+)")
_NUMBER = re.compile(r"[(（]?\d{1,3}[.)、）]\s*")
"""An item's number, which may stand above the item on a line of its own."""
_NOT_BLANK = re.compile(r"[^\n]")
_TICKS = re.compile("`{3,}+")


def with_fences_apart(text: str) -> str:
    """Return a text whose code begins on lines of its own, where it stood behind the mark of an item."""
    return _BEHIND_MARK.sub(r"\1\n", text)


def code_blocks(text: str) -> Iterator[Span]:
    """Yield the blocks of code of a text, with their fences."""
    return (Span(*match.span(), code=True) for match in FENCED.finditer(text))


def blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where code stands, and what stands between blank lines outside of it, each with whether it is code."""
    start = 0
    for code in chain(code_blocks(text), [Span(len(text), len(text))]):
        yield from ((*block, False) for block in _between_blank_lines(text, start, code.start))
        if code.end > code.start:
            yield code.start, code.end, True
        start = code.end


def _between_blank_lines(text: str, start: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield where the blocks of a text are; a pattern that repeats lines takes 150 bytes for each of them."""
    end = start
    while (first := _NOT_BLANK.search(text, end, last)) is not None:
        gap = text.find("\n\n", first.start(), last)
        if gap >= 0 and _NUMBER.fullmatch(text, first.start(), gap):
            gap = text.find("\n\n", gap + 2, last)
        end = last if gap < 0 else gap + 1
        yield first.start(), end


def is_fence(line: str) -> bool:
    """Tell whether a line begins or ends code."""
    return line.lstrip().startswith(("```", "~~~"))


def in_fence(code: str, language: str = "") -> list[str]:
    """Return code below and above a fence of Markdown that is longer than any in it."""
    fence = max(["```", *(f"{ticks}`" for ticks in _TICKS.findall(code))], key=len)
    return [f"{fence}{language}", code, fence]


def without_fence(text: str) -> str:
    """Return a text that is nothing but code, or its beginning, without the fence; any other as it is."""
    block = next(code_blocks(text), None) if is_fence(text) else None
    if block is None or (block.start, block.end) != (0, len(text)):
        return text
    lines = text.split("\n")
    return "\n".join(lines[1 : -1 if is_fence(lines[-1]) else None])


def parts_of_code(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield parts of code, between lines; a last part without words, such as its fence alone, belongs to the one before it."""
    part: Span | None = None
    for first, last in _code_parts(text, start, end):
        lines = text[first:last]
        if not (written := lines.strip()):
            continue
        right = first + len(lines.rstrip())
        if part is not None and not any(map(str.isalnum, written)):
            part = replace(part, end=right)
            continue
        if part is not None:
            yield part
        part = Span(last - len(lines.lstrip("\n")), right, code=True)
    if part is not None:
        yield part


def _code_parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where so many lines of code are, or where more follow those up to the last of the least indented lines that close something."""
    lines: list[tuple[int, int]] = []
    while start < end:
        if len(lines) == CODE_LINES:
            indented = [(_closes(text, line, end), place) for place, line in enumerate(lines, 1)]
            closing = [(-depth, place) for depth, place in indented if depth is not None]
            last = max(closing)[1] if closing else CODE_LINES
            yield lines[0][0], lines[last - 1][1]
            del lines[:last]
        line_end = text.find("\n", start, end) + 1 or end
        lines.append((start, line_end))
        start = line_end
    if lines:
        yield lines[0][0], end


def _closes(text: str, line: tuple[int, int], end: int) -> int | None:
    """Return how far a line is indented that closes something, a blank one as the line below it; None of others and of a fence that opens."""
    found = _CLOSING.fullmatch(text, *line)
    if found is None or is_fence(found[0]):
        return None
    below = None if found[0].strip() else _BELOW.match(text, line[1], end)
    return len((below or found)[1])
