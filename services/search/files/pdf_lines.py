"""Reads the lines of a PDF page by PDFium: words with their places, whole ligatures, and raised digits."""

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from services.search.files.pdf_layout import HYPHEN, PdfLine, Word
from services.text.normal_form import normal_form

_HYPHENS = frozenset({0x02, 0xAD, 0xFFFE})
"""Characters by which PDFium marks that a word goes on in the next line."""
_LIGATURES = re.compile("[\ufb00-\ufb06]")
_OF_TEX = {0x0B: 0xFB00, 0x0C: 0xFB01, 0x0D: 0xFB02, 0x0E: 0xFB03, 0x0F: 0xFB04}
"""Ligatures by their codes in TeX's fonts (encoding OT1), which old files do not map to characters."""
ODD = 3.0
"""How many times as high as the others of its line a sign is at least that tells nothing of the line's height."""
BELOW = 0.3
"""How far letters reach below their line, in heights of the tallest."""
SMALL, RAISED = 0.85, 0.15
"""Of the height of a word's first sign: the most height of a raised one, and how far it stands above at least."""
TOUCHING = 0.05
"""Most distance of two words without a blank between them, in heights of their signs."""
_DIGITS = re.compile(r"\D{0,60}(\d{1,12})")


def lines_of(page: pypdfium2.PdfPage) -> list[PdfLine]:
    """Return the lines of a page in the order in which it was written, which is that of reading in most files.

    A page whose fonts have no character map has none.
    """
    text = page.get_textpage()
    if not is_legible(text):
        return []
    codes = _codes(text)
    turned = page.get_rotation()
    lines: list[PdfLine] = []
    for places in _runs(codes):
        words, boxes = list[Word](), list[tuple[float, float, float, float]]()
        for first, last in places:
            edges = [_box(text, place, turned) for place in (first, last)]
            boxes += edges
            word = "".join(HYPHEN if code in _HYPHENS else chr(code) for code in codes[first : last + 1])
            if (place := _raised(text, word, first, turned)) is not None:
                word = f"{word[:place]}^{word[place:]}"
            word = word.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            word = _LIGATURES.sub(lambda match: normal_form("NFKC", match.group()), word).replace("\u2010", "-")
            words.append(Word(word, min(edge[0] for edge in edges), max(edge[2] for edge in edges)))
        if words:
            size = median(top - bottom for _, bottom, _, top in boxes)
            usual = [box for box in boxes if box[3] - box[1] <= ODD * size] or boxes
            bottom, top = min(box[1] for box in usual), max(box[3] for box in usual)
            if not turned and _stand_on_line(text, places, usual):
                foot = median(box[1] for box in usual)
                bottom, size = foot - BELOW * (top - foot), top - foot
            elif min(heights := [box[3] - box[1] for box in boxes]) < SMALL * max(heights):
                size = max(size, min(_set_size(text, place, max(heights)) for pair in places for place in pair))
            lines.append(PdfLine(_from_left(words, TOUCHING * size), bottom, top, size))
    text.close()
    return lines


def _from_left(words: Sequence[Word], touching: float) -> tuple[Word, ...]:
    """Return the words of a line as they stand, and what touches as one word, where one was written behind those at its right.

    So LibreOffice writes quotation marks amid Chinese, which are of another font: behind the others of their line.
    """
    moved = any(after.right <= before.left + touching for before, after in pairwise(words))
    if not moved or any(unicodedata.bidirectional(char) in {"R", "AL"} for word in words for char in word.text):
        return tuple(words)
    ordered: list[Word] = []
    for word in sorted(words, key=lambda word: word.left):
        if ordered and abs(word.left - ordered[-1].right) <= touching:
            before = ordered.pop()
            ordered.append(Word(before.text + word.text, before.left, word.right))
        else:
            ordered.append(word)
    return tuple(ordered)


def _stand_on_line(
    text: Any, places: Sequence[tuple[int, int]], boxes: Sequence[tuple[float, float, float, float]]
) -> bool:
    """Tell whether most boxes of a line end where its letters stand, as in fonts (Type 3) that give no height: they differ from letter to letter."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text, places[0][0], x, y)
    return sum(abs(box[1] - y.value) < 0.01 * (box[3] - box[1]) for box in boxes) > len(boxes) / 2


def _set_size(text: Any, place: int, seen: float) -> float:
    """Return the size in which a character is set, as far as it may be that of letters as high as `seen`: boxes of flat ones (`一`) may be flat, too."""
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text, place, matrix)
    size = pdfium.FPDFText_GetFontSize(text, place) * math.hypot(matrix.c, matrix.d)
    return float(size) if seen / 2 < size < 2 * seen else 0.0


def _codes(text: pypdfium2.PdfTextPage) -> list[int]:
    """Return the characters of a page; a ligature of TeX that stands in a word, as such."""
    codes = [pdfium.FPDFText_GetUnicode(text, place) for place in range(text.count_chars())]
    for place, code in enumerate(codes):
        beside = codes[max(0, place - 1) : place + 2]
        if (
            code in _OF_TEX
            and any(chr(one).isalpha() for one in beside)
            and not pdfium.FPDFText_IsGenerated(text, place)
        ):
            codes[place] = _OF_TEX[code]
    return codes


def _raised(text: Any, word: str, first: int, turned: int) -> int | None:
    """Return the place of the first digit of a word in small, raised type: of an exponent, or of a note."""
    match = _DIGITS.match(word)
    if match is None:
        return None
    _, bottom, _, top = _box(text, first, turned)
    for place in range(*match.span(1)):
        _, low, _, high = _box(text, first + place, turned)
        if place and high - low < SMALL * (top - bottom) and low - bottom > RAISED * (top - bottom):
            return place
    return None


def is_legible(text: pypdfium2.PdfTextPage) -> bool:
    """Tell whether the fonts of a page map most of its glyphs to characters; else only OCR can read it."""
    signs = [place for place in range(text.count_chars()) if pdfium.FPDFText_GetUnicode(text, place) > 0x20]
    unknown = [place for place in signs if pdfium.FPDFText_HasUnicodeMapError(text, place) == 1]
    return 2 * len(unknown) <= len(signs)


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
