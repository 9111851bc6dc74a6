"""Reads the lines of a PDF page by PDFium: their words with places, in the order in which the page was written."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from services.text.normal_form import normal_form

_HYPHENS = frozenset({0x02, 0xAD, 0xFFFE})
"""Characters by which PDFium marks that a word goes on in the next line."""
_LIGATURES = re.compile("[\ufb00-\ufb06]")
HYPHEN = "\u00ad"
"""Ends the last word of a line that goes on in the next one."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its left and right edge in points."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class PdfLine:
    """Words in a line, and its lower and upper edge in points from below."""

    words: tuple[Word, ...]
    bottom: float
    top: float

    @property
    def text(self) -> str:
        """Its words with blanks between them."""
        return " ".join(word.text for word in self.words)

    @property
    def left(self) -> float:
        """Its left edge."""
        return min(word.left for word in self.words)

    @property
    def right(self) -> float:
        """Its right edge."""
        return max(word.right for word in self.words)

    @property
    def height(self) -> float:
        """Its height, about that of its font."""
        return self.top - self.bottom

    def of(self, words: Sequence[Word]) -> "PdfLine":
        """Return a line of some of its words."""
        return PdfLine(tuple(words), self.bottom, self.top)


def lines_of(page: pypdfium2.PdfPage) -> list[PdfLine]:
    """Return the lines of a page in the order in which it was written, which is that of reading in most files."""
    text = page.get_textpage()
    codes = [pdfium.FPDFText_GetUnicode(text, place) for place in range(text.count_chars())]
    turned = page.get_rotation()
    lines: list[PdfLine] = []
    for places in _runs(codes):
        words, boxes = list[Word](), list[tuple[float, float, float, float]]()
        for first, last in places:
            edges = [_box(text, place, turned) for place in (first, last)]
            boxes += edges
            word = "".join(HYPHEN if code in _HYPHENS else chr(code) for code in codes[first : last + 1])
            word = word.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            word = _LIGATURES.sub(lambda found: normal_form("NFKC", found.group()), word)
            words.append(Word(word, min(edge[0] for edge in edges), max(edge[2] for edge in edges)))
        if words:
            lines.append(PdfLine(tuple(words), min(box[1] for box in boxes), max(box[3] for box in boxes)))
    text.close()
    return lines


def _runs(codes: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Yield the words of each line, as places of their first and last characters."""
    words: list[tuple[int, int]] = []
    start = -1
    for place, code in enumerate([*codes, 0x0A]):
        hyphen, blank = code in _HYPHENS, code <= 0x20 or code == 0xA0
        if hyphen or not blank:
            start = place if start < 0 else start
        if (hyphen or blank) and start >= 0:
            words.append((start, place if hyphen else place - 1))
            start = -1
        if hyphen or code in {0x0A, 0x0D}:
            yield words
            words = []


def _box(text: Any, place: int, turned: int) -> tuple[float, float, float, float]:
    """Return left, bottom, right and top of a character on a page that is turned so many degrees."""
    box = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(text, place, box)
    left, bottom, right, top = box.left, box.bottom, box.right, box.top
    return {
        90: (bottom, -right, top, -left),
        180: (-right, -top, -left, -bottom),
        270: (-top, left, -bottom, right),
    }.get(turned, (left, bottom, right, top))
