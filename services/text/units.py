"""What of a text can be quoted by itself, and is numbered for a model: sentences, rows of tables, blocks of code; and which of these say most about a question."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from services.text.passages import is_table_head, kind_of, may_join, sentences
from services.text.spans import Span
from services.text.tokens import tokens

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


def widen(text: str, window: tuple[int, int], limit: int) -> tuple[int, int]:
    """Return a window with the sentences around it, as many as `limit` characters hold, those after it first; titles and values are no part of them.

    A window that says little, as a heading does, takes the next sentence with it even at twice the limit, and one that ends with a colon
    what it announces.
    """
    start, end = window
    spans = [(span.start, span.end, kind_of(text, span.start, span.end)) for span in sentences(text)]
    quoted = [kind for first, last, kind in spans if start <= first and last <= end]
    after = [(last, kind) for _, last, kind in spans if last > end]
    before = [(first, kind) for first, _, kind in reversed(spans) if first < start]
    while True:
        room = 2 * limit if 4 * (end - start) < limit else limit
        if after and after[0][0] - start <= room and may_join(quoted, after[0][1]):
            end, kind = after.pop(0)
            quoted.append(kind)
        elif before and end - before[0][0] <= limit and may_join(quoted, before[0][1], above=True):
            start, kind = before.pop(0)
            quoted.insert(0, kind)
        else:
            break
    if text[start:end].endswith((":", "：")):  # goes on with the table, list or code that it announces
        below = len(text) - len(text[end:].lstrip())
        gap = text.find("\n\n", below)
        block = [last for first, last, _ in spans if below <= first and (gap < 0 or first < gap)]
        end = max([end, *(last for last in block if last - start <= 2 * limit)])
    return start, end


MOST_SENTENCES = 20
"""Sentences of a window: each further one must hold a term more to be worth its room."""


def best_window(text: str, question: str, limit: int) -> tuple[int, int]:
    """Return start and end of the run of whole sentences, at most `limit` characters, that holds most of the question's terms.

    A heading is not quoted where there is anything else. Ties go to the earlier and shorter run. A single sentence over the limit is returned whole.
    Of a text without any of the terms, as one in another language, its beginning is returned, as far as the limit holds.
    """
    wanted = set(tokens(question))
    spans = [(span.start, span.end) for span in units(text)] or [(0, len(text))]
    held = [wanted & set(tokens(text[start:end])) for start, end in spans]
    beginning = [end for _, end in spans if end - spans[0][0] <= limit] or [spans[0][1]]
    best, best_score = (spans[0][0], beginning[-1]), 0.0
    for first in (
        place for place, terms in enumerate(held) if terms
    ):  # no best run begins with a sentence that holds none
        covered: set[str] = set()
        for last in range(first, min(first + MOST_SENTENCES, len(spans))):
            start, end = spans[first][0], spans[last][1]
            if last > first and end - start > limit:
                break
            covered |= held[last]
            score = len(covered) - (last - first) * 0.1
            if score > best_score:
                best, best_score = (start, end), score
    return best
