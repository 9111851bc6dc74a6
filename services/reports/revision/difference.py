"""The difference between two versions of a report, sentence by sentence."""

from collections.abc import Iterator
from difflib import unified_diff

from schemas.reporter import Report
from services.reports.revision.cited_draft import own_text
from services.text.passages import sentences

AROUND = 1
"""Unchanged sentences that are shown before and after a change."""


def difference(before: Report, after: Report, names: tuple[str, str]) -> list[str]:
    """Return the lines of a unified difference between the texts of two versions, without references, limits and counts; none where they are the same.

    Args:
        before: the one version.
        after: the other.
        names: of both, for the head.
    """
    lines = unified_diff(list(_lines(before)), list(_lines(after)), *names, lineterm="", n=AROUND)
    return [line for line in lines if not line.startswith("@@")]


def _lines(report: Report) -> Iterator[str]:
    for line in own_text(report):
        spans = sentences(line)
        if line.startswith(("#", "|", ">", "`")) or not spans:
            yield line.strip()
        else:
            yield from (line[span.start : span.end].strip() for span in spans)
