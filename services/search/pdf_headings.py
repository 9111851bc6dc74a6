"""Finds the headings of a PDF file: short lines in larger type than its text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from services.search.pdf_layout import SAME_TYPE, PdfLine, paragraphs

LARGER = 1.08
"""How many times as high as the text a heading is at least."""
MOST_LINES, LONGEST = 4, 160
"""Lines of a heading with those directly below it, and characters of one."""
LEAST_PROSE = 120
"""Characters of a paragraph with which the text begins: what stands above it are names below the title, but for the last."""
TOP, DEEPEST = 2, 6
"""Levels of headings in Markdown; the title has the first."""
_BEGIN = re.compile(r"[\W_]{0,2}(?![a-z])\w")
_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")
_NUMBER = re.compile(r"\d{1,2}((?:\.\d{1,2}){0,4})\.?\s")
_MARK = re.compile(r"(?m)^(?=#{1,6}[ \t])")


class Heading(NamedTuple):
    """A heading, and the size of its type."""

    text: str
    size: float


Block = Heading | str


def text_size(pages: Iterable[Iterable[PdfLine]]) -> float:
    """Return the size of type of most of a file's text; 0 without any."""
    sizes = Counter[float]()
    for line in chain.from_iterable(pages):
        sizes[round(line.type_size, 1)] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def blocks_of(lines: Sequence[PdfLine], size: float, known: frozenset[str]) -> Iterator[Block]:
    """Yield the headings and paragraphs of lines; `size` is that of the file's text. Many lines in larger type are text, too."""
    text: list[PdfLine] = []
    for larger, run in groupby(lines, lambda line: line.type_size >= LARGER * size > 0):
        found = list(run)
        headings = list(_headings(found, known)) if larger and len(found) <= MOST_LINES else []
        if not headings:
            text += found
            continue
        yield from paragraphs(text, known)
        yield from headings
        text = []
    yield from paragraphs(text, known)


def _headings(lines: Sequence[PdfLine], known: frozenset[str]) -> Iterator[Block]:
    for run in _of_one_type(lines):
        for text in paragraphs(run, known):
            for part in text.split("\n"):
                is_heading = len(part) <= LONGEST and _BEGIN.match(part) and _WORD.search(part)
                yield Heading(part, run[0].type_size) if is_heading else part


def _of_one_type(lines: Sequence[PdfLine]) -> Iterator[list[PdfLine]]:
    """Yield lines of one size of type; a number begins another heading."""
    run: list[PdfLine] = []
    for line in lines:
        other = run and abs(line.type_size - run[0].type_size) > SAME_TYPE * run[0].type_size
        if run and (other or _NUMBER.match(line.text)):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def as_markdown(pages: Sequence[Sequence[Block]]) -> list[list[str]]:
    """Return the blocks of pages with their headings as Markdown.

    The size of type tells the level of a heading, or the number of its section: `2.1` is below `2`.
    """
    blocks = list(chain.from_iterable(pages))
    begin = next((at for at, block in enumerate(blocks) if isinstance(block, str) and len(block) >= LEAST_PROSE), 0)
    front = {*[at for at in range(begin) if isinstance(blocks[at], Heading)][:-1]}
    sizes: list[float] = []
    for size in sorted(
        (block.size for at, block in enumerate(blocks) if isinstance(block, Heading) and at not in front), reverse=True
    ):
        if not sizes or size < (1 - SAME_TYPE) * sizes[-1]:
            sizes.append(size)
    written = []
    for at, block in enumerate(blocks):
        if isinstance(block, str) or at in front:
            written.append(_MARK.sub(r"\\", block if isinstance(block, str) else block.text))
            continue
        rank = next(place for place, size in enumerate(sizes) if block.size >= (1 - SAME_TYPE) * size)
        number = _NUMBER.match(block.text)
        depth = max(rank, number[1].count(".")) if number else rank
        written.append(f"{'#' * min(TOP + depth, DEEPEST)} {block.text}")
    each = iter(written)
    return [[next(each) for _ in page] for page in pages]
