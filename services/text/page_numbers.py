"""Pages of a stored text that had pages: headings with their numbers stand where each begins, but for the first."""

import re
from bisect import bisect

_HEADING = re.compile(r"^## (?:Page (\d{1,6})|第 (\d{1,6}) 页)(?: \(.+\)|（.+）)?$", re.MULTILINE)
_SLIDE = re.compile(r"## Slide \d{1,6}(?:: [^\n]*)?")


def page_heading(number: int, *, chinese: bool, note: str = "") -> str:
    """Return the heading above the text of a page."""
    if chinese:
        return f"## 第 {number} 页{f'（{note}）' if note else ''}"
    return f"## Page {number}{f' ({note})' if note else ''}"


def is_page(line: str) -> bool:
    """Tell whether a line is the heading of a page: a section goes on below it."""
    return _HEADING.match(line) is not None


def is_page_heading(line: str) -> bool:
    """Tell whether a line is the heading that a converter puts above a page or a slide."""
    return is_page(line) or _SLIDE.fullmatch(line) is not None


class Pages:
    """Where the pages of a text begin."""

    def __init__(self, text: str) -> None:
        headings = list(_HEADING.finditer(text))
        self._starts = [heading.start() for heading in headings]
        self._numbers = [int(heading[1] or heading[2]) for heading in headings]

    def at(self, place: int) -> int | None:
        """Return the number of the page with a place of the text; None where the text has none."""
        if not self._starts:
            return None
        before = bisect(self._starts, place)
        return self._numbers[before - 1] if before else 1
