"""Finds citations that cover a statement without its own: the next ones in its paragraph, or those below a heading."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import chain

from schemas.document import Block, Heading, Inlines, Paragraph, Text
from services.reports.document import contents, within
from services.reports.sentences import Units, ids_in, words_of

_LABEL = re.compile(r"[^*_.。!！\n]{1,60}")
_BEHIND = re.compile(r"[:：]?\s*+")


def is_label_line(content: Inlines) -> bool:
    """Tell whether a paragraph consists of a label in bold."""
    label, *rest = [inline.text if isinstance(inline, Text) else "*" for inline in content] or [""]
    bold = content and isinstance(content[0], Text) and "strong" in content[0].styles
    return bool(bold and _LABEL.fullmatch(label) and _BEHIND.fullmatch("".join(rest)))


class Coverage:
    """The citations of a report in the order of its blocks, up to the next heading or label."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._places: dict[int, int] = {}
        self._ends: list[int] = []
        self._cited: list[tuple[int, str]] = []
        for place, block in enumerate(chain.from_iterable(map(within, blocks))):
            self._places[id(block)] = place
            if isinstance(block, Heading) or (isinstance(block, Paragraph) and is_label_line(block.content)):
                self._ends.append(place)
            self._cited += [(place, key) for content in contents(block) for key in ids_in(content)]

    def below(self, block: Block) -> list[str]:
        """Return the ids cited from a block to the next heading or label, each once, in order."""
        place = self._places.get(id(block), 0)
        ends = self._ends[bisect_right(self._ends, place) :][:1]
        first = bisect_left(self._cited, (place, ""))
        last = bisect_left(self._cited, (ends[0], "")) if ends else len(self._cited)
        return list(dict.fromkeys(key for _, key in self._cited[first:last]))

    def sums_up(self, opening: Sequence[Block]) -> bool:
        """Tell whether a paragraph of the opening cites nothing, and something below the opening does."""
        parts = [part for block in opening for part in within(block)]
        paragraphs = [part.content for part in parts if isinstance(part, Paragraph) and not is_label_line(part.content)]
        below = self._cited[-1:] and self._cited[-1][0] >= len(parts)
        return bool(below) and any(not ids_in(content) for content in paragraphs)


def covering(
    sentences: Sequence[Units], ids_of: Callable[[Units], list[str]], below: Callable[[], list[str]], *, leads: bool
) -> list[list[str]]:
    """Return the covering citation ids for each sentence of a paragraph.

    A sentence that cites is covered by what it cites, the first of a paragraph by all that the paragraph cites, and if it `leads` a section by
    what stands below, too, any other by the next sentence that cites; an introduction with a colon at its end behind the last of these, and a
    paragraph that cites nothing, are covered by what stands below the paragraph.
    """
    covers: list[list[str]] = []
    following: list[str] = []
    if sentences and (words_of(sentences[-1]).endswith((":", "：")) or not any(map(ids_in, sentences))):
        following = below()
    for sentence in reversed(sentences):
        own = ids_of(sentence)
        if not own and ids_in(sentence):  # all of its citations are unknown
            covers.append([])
            continue
        following = own or following
        covers.append(following)
    if covers and not ids_in(sentences[0]):
        covers[-1] = list(dict.fromkeys([*chain.from_iterable(reversed(covers)), *(below() if leads else ())]))
    return covers[::-1]


def cells_with_heads(cells: Sequence[str], heads: Sequence[str]) -> list[str]:
    """Return a row's cells with numbers as sentences: the row's label, the column's heading and the cell."""
    headed = list(zip(heads, cells, strict=False))[1:]
    return [f"{cells[0]}, {head}: {cell}" for head, cell in headed if head and re.search(r"\d", cell)]
