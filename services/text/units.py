"""What of a text can be quoted by itself, and is numbered for a model: sentences, rows of tables, blocks of code."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from services.text.passages import is_table_head, sentences
from services.text.spans import Span

LONGEST, PIECE = 600, 300
"""Characters of the longest sentence, and of the pieces of what is longer, such as JSON on one line."""
LONGEST_CODE = 2_000
"""Characters of the longest part of code."""
SHORTEST_RULER = 3
"""Characters of the shortest line of one repeated sign that underlines a heading or parts sections."""
_HEADING = re.compile(r"#{1,6}\s")
_MARK = re.compile(r"[^\w\s]{1,2}|[(\[]?\w{1,2}[.)\]、]")
"""The mark of an item alone, such as `#.`, `1.` or `(a)`."""
_BREAKS = ("},", "; ", ", ", "，", "、", " ")
"""Where a piece best ends, the best first."""


def units(text: str, *, in_code: bool = False) -> list[Span]:
    """Return the sentences, rows and parts of code of a text, and the pieces of those that are too long.

    A list mark belongs to the text after it. Headings, rulers and table headings are left out, unless there is nothing else.
    """
    spans = sentences(text, in_code=in_code)
    statements = [
        span for span, following in zip_longest(spans, spans[1:]) if span.code or not _announces(text, span, following)
    ] or spans
    parts: list[Span] = []
    mark: int | None = None
    for place, span in enumerate(statements, 1):
        whole = span if mark is None else replace(span, start=mark)
        is_mark = place < len(statements) and not span.code and _MARK.fullmatch(text[whole.start : whole.end])
        mark = whole.start if is_mark else None
        if mark is None:
            parts += _pieces(text, whole)
    return parts


def _is_ruler(words: str) -> bool:
    return len(words) >= SHORTEST_RULER and len(set(words)) == 1 and not words.isalnum()


def _announces(text: str, span: Span, following: Span | None) -> bool:
    """Tell whether a sentence is a ruler, the head of a table, or a heading by its mark or the ruler on the line below it."""
    words = text[span.start : span.end]
    if _HEADING.match(words) or _is_ruler(words) or is_table_head(text, span.start):
        return True
    return (
        following is not None
        and _is_ruler(text[following.start : following.end])
        and text[span.end : following.start].count("\n") == 1
    )


def _pieces(text: str, span: Span) -> Iterator[Span]:
    """Cut what is too long for a sentence: long rows of a table, which look like wrapped prose, and what is longer yet."""
    if span.end - span.start <= (LONGEST_CODE if span.code else LONGEST):
        yield span
        return
    start = span.start
    for line in text[span.start : span.end].splitlines(keepends=True):
        end = start + len(line)
        while end - start > LONGEST:
            ends = (text.rfind(mark, start + PIECE // 2, start + PIECE) + len(mark) for mark in _BREAKS)
            cut = next((place for place in ends if place > start + PIECE // 2), start + PIECE)
            yield from _trimmed(text, start, cut)
            start = cut
        yield from _trimmed(text, start, end)
        start = end


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    piece = text[start:end]
    left, right = len(piece) - len(piece.lstrip()), len(piece.rstrip())
    return [Span(start + left, start + right)] if right > left else []
