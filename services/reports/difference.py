"""The difference between two versions of a report, sentence by sentence."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher, unified_diff
from typing import Literal

from pydantic import BaseModel

from schemas.evidence import EXCERPT_ID
from schemas.reporter import Report
from services.evidence.citation_forms import INFERENCE
from services.reports.references import numbers_of
from services.reports.rendering import to_draft
from services.text.passages import sentences

AROUND = 1
"""Unchanged sentences shown before and after a change."""
_ID = re.compile(EXCERPT_ID)
_CITATIONS = re.compile(rf"(?:\[{EXCERPT_ID}\])+")


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

    def cited(run: re.Match[str]) -> str:
        return "".join(dict.fromkeys(f"[{numbers[key]}]" for key in _ID.findall(run[0]) if key in numbers))

    draft = to_draft(report.document.body) if report.document else ""
    text = _CITATIONS.sub(cited, draft.replace(f"[{INFERENCE}]", ""))
    return text or report.markdown


def _lines(report: Report) -> Iterator[str]:
    for line in own_text(report):
        spans = sentences(line)
        if line.startswith(("#", "|", ">", "`")) or not spans:
            yield line.strip()
        else:
            yield from (line[span.start : span.end].strip() for span in spans)
