"""Finds citations that cover a statement without its own: the next ones in its paragraph, or those below a heading."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from services.evidence.model_markdown import CLOSE, OPEN, cited_ids

LABEL_LINE = re.compile(r"[ \t]{0,20}(?:[-*+]\s{1,4})?(\*\*|__)[^*_.。!！\n]{1,60}\1[:：]?[ \t]*+$")
"""A line that consists of a label in bold."""
_END = re.compile(r"([.!?。！？…]{0,3}[\"'”’」』）)*_]{0,3})$")


class Coverage:
    """The citations below headings and labels of one report."""

    LABEL = 9
    """Level of labels, below all headings: the next heading or label ends its range."""

    def __init__(self, lines: Sequence[str], headings: Sequence[tuple[int, int]]) -> None:
        """Take a report.

        Args:
            lines: lines of the report, with marks for citations.
            headings: line and level of each heading, in order.
        """
        self._cited = [(place, key) for place, line in enumerate(lines) for key in cited_ids(line)]
        labels = [(place, self.LABEL) for place, line in enumerate(lines) if LABEL_LINE.match(line)]
        self._ends: dict[int, list[int]] = {
            level: sorted(place for place, other in [*headings, *labels] if other <= level)
            for level in range(1, self.LABEL + 1)
        }

    def below(self, line: int, level: int) -> list[str]:
        """Return the ids cited between a line and the next heading of its level or above, each once, in order."""
        ends = self._ends[level]
        place = bisect_right(ends, line)
        first = bisect_right(self._cited, (line - 1, "\uffff"))
        last = bisect_right(self._cited, (ends[place] - 1, "\uffff")) if place < len(ends) else len(self._cited)
        return list(dict.fromkeys(key for _, key in self._cited[first:last]))


def covering(
    sentences: Sequence[str], ids_of: Callable[[str], list[str]], below: Sequence[str] = ()
) -> list[list[str]]:
    """Return the covering citation ids for each sentence of a paragraph.

    A sentence that cites is covered by what it cites, any other by the next sentence that does; behind the last of these, an
    introduction with a colon at its end is covered by what stands below the paragraph.
    """
    covers: list[list[str]] = []
    following: list[str] = []
    if sentences and sentences[-1].rstrip(" *_").endswith((":", "：")):
        following = list(below)
    for sentence in reversed(sentences):
        own = ids_of(sentence)
        if not own and cited_ids(sentence):  # all of its citations are unknown
            covers.append([])
            continue
        following = own or following
        covers.append(following)
    return covers[::-1]


def with_citations(sentence: str, ids: Sequence[str]) -> str:
    """Insert citations before the full stop of a sentence, after its own citations."""
    marks = "".join(f"{OPEN}{key}{CLOSE}" for key in ids)
    end = _END.search(sentence)
    place = end.start() if end else len(sentence)
    blank = "" if "。" in sentence[place:] or sentence[:place].endswith(CLOSE) else " "
    return f"{sentence[:place]}{blank}{marks}{sentence[place:]}"


def cells_with_heads(cells: Sequence[str], heads: Sequence[str]) -> list[str]:
    """Return a row's cells with numbers as sentences: the row's label, the column's heading and the cell."""
    return [
        f"{cells[0]}, {head}: {cell}"
        for head, cell in list(zip(heads, cells, strict=False))[1:]
        if head and re.search(r"\d", cell)
    ]
