"""The difference between two versions of a report, sentence by sentence."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher, unified_diff
from typing import Literal

from pydantic import BaseModel

from schemas.document import Citation, Inlines, Mark
from schemas.reporter import Report
from services.reports.document import changed
from services.reports.references import numbers_of
from services.reports.rendering import to_markdown
from services.text.passages import sentences

AROUND = 1
"""Unchanged sentences shown before and after a change."""


class Sentence(BaseModel):
    """A sentence, a heading or a row of two versions' texts."""

    state: Literal["same", "removed", "added"]
    text: str


def difference(before: Report, after: Report, names: tuple[str, str]) -> list[str]:
    """Return the lines of a unified diff between two versions' texts, without references, limits and counts; empty if they are equal.

    Args:
        before: the earlier version.
        after: the later version.
        names: names of both versions for the head.
    """
    lines = unified_diff(list(_lines(before)), list(_lines(after)), *names, lineterm="", n=AROUND)
    return [line for line in lines if not line.startswith("@@")]


def compared(before: Report, after: Report) -> list[Sentence]:
    """Return the sentences of both versions in one text: common, removed and added ones."""
    first, second = list(_lines(before)), list(_lines(after))
    told: list[Sentence] = []
    for tag, start, end, from_, to in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag == "equal":
            told += [Sentence(state="same", text=text) for text in first[start:end]]
        else:
            told += [Sentence(state="removed", text=text) for text in first[start:end]]
            told += [Sentence(state="added", text=text) for text in second[from_:to]]
    return told


def own_text(report: Report) -> list[str]:
    """Return the lines of a report's own text with numbers as citations, such as `[2]`, without empty lines."""
    return [line for line in own_markdown(report).split("\n") if line.strip()]


def own_markdown(report: Report) -> str:
    """Return a report's own text with numbers as citations, such as `[2]`, without marks of inference."""
    numbers = numbers_of(report)

    def numbered(content: Inlines) -> Inlines:
        return tuple(
            part
            for inline in content
            if not isinstance(inline, Mark)
            for part in (
                [
                    Citation(number, "")
                    for number in dict.fromkeys(numbers[key] for key in inline.excerpts if key in numbers)
                ]
                if isinstance(inline, Citation)
                else [inline]
            )
        )

    blocks = (changed(block, numbered) for block in report.document.body) if report.document else ()
    cited = re.sub(r"\[\[(\d{1,9})\]\]\(\)", r"[\1]", to_markdown(blocks))
    return re.sub(r"(\[\d{1,9}\])(?:\1)+", r"\1", cited) or report.markdown


def _lines(report: Report) -> Iterator[str]:
    for line in own_text(report):
        spans = sentences(line)
        if line.startswith(("#", "|", ">", "`")) or not spans:
            yield line.strip()
        else:
            yield from (line[span.start : span.end].strip() for span in spans)
