"""What a report without a model opens with."""

import re

from schemas.reporter import Report

_DECLINES = re.compile("sources found do not (?:answer|tell)|No evidence|找到的资料没有(?:对|提到|用单独)|没有找到")


def opening_of(report: Report) -> str:
    """Return a report's text between its title and its first section."""
    return re.split(r"\n## ", report.markdown.partition("\n")[2])[0]


def declines(report: Report) -> bool:
    """Tell whether the opening says that the sources do not answer, at least in part."""
    return _DECLINES.search(opening_of(report)) is not None
