"""Reads the scanned pages of PDF files by RapidOCR (the extra `ocr`).

RapidOCR carries its models for English and Chinese in its wheel. Blocking, and slow: seconds a page.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from services.search.files.pdf_layout import PdfLine, Usual, Word, in_columns, paragraphs, whole_rows
from services.text.page_numbers import page_heading
from services.text.tokens import has_cjk

LEAST_TEXT = 40
"""Minimum characters of text for a page not to be a scan."""
LEAST_AREA = 0.04
"""Minimum share of its page for an image not to be an ornament."""
SCALE = 200 / 72
"""Pixels per point of a page in a rendering."""
MAX_DOTS = 16_000_000
"""Maximum pixels of a rendering; larger pages are rendered more coarsely."""
LEAST_SCORE = 0.6
"""Minimum confidence of a line, from 0 to 1."""
LONGEST_TITLE = 100
"""Maximum characters of the line that becomes a scan's title."""
_WORD = re.compile(r"\S+")
Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels from the top left."""
Reader = Callable[[Any], list[tuple[str, Box]]]
"""Returns the lines of an image, each with its place."""


def image_text(data: bytes, seconds: float) -> str:
    """Return the text of a PDF file's scanned pages as Markdown, below headings with the page number; the end names those that time left unread.

    Returns:
        The text; empty if no scan has text.
    """
    import pypdfium2

    until = time.monotonic() + seconds
    read: Reader | None = None
    blocks: list[str] = []
    unread: list[int] = []
    with pypdfium2.PdfDocument(data) as file:
        for number, page in enumerate(file, 1):
            scan = _is_scan(page)
            if scan and time.monotonic() > until:
                unread.append(number)
            elif scan:
                read = read or rapid_reader()
                if text := in_order(read(_rendered(page))):
                    chinese = has_cjk(text)
                    note = "由 OCR 识别" if chinese else "read by OCR"
                    blocks.append(f"{page_heading(number, chinese=chinese, note=note)}\n\n{text}")
            page.close()
    if unread:
        blocks.append(unread_pages(unread, "".join(blocks)))
    return "\n\n".join(blocks)


def unread_pages(pages: Sequence[int], text: str) -> str:
    """Return a note on the pages whose images were not read, in the language of the text."""
    if has_cjk(text):
        return f"（第 {'、'.join(map(str, pages))} 页的图像因时间不足而未识别。）"
    return f"(Images were not read for lack of time, on page {', '.join(map(str, pages))}.)"


def _is_scan(page: Any) -> bool:
    """Tell whether only OCR can read a page of pypdfium2: an image with hardly any text, or fonts without a character map."""
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    from services.search.files.pdf_lines import is_legible

    width, height = page.get_size()
    images = [image.get_bounds() for image in page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE])]
    min_area = LEAST_AREA * width * height
    large = any((right - left) * (top - bottom) >= min_area for left, bottom, right, top in images)
    text = page.get_textpage()
    return not is_legible(text) or (large and len(text.get_text_bounded().strip()) < LEAST_TEXT)


def _rendered(page: Any) -> Any:
    width, height = page.get_size()
    scale = min(SCALE, (MAX_DOTS / max(1.0, width * height)) ** 0.5)
    return page.render(scale=scale).to_pil().convert("RGB")


def rapid_reader() -> Reader:
    """Return the line reader of RapidOCR."""
    from rapidocr import RapidOCR

    engine: Any = RapidOCR()

    def read(image: Any) -> list[tuple[str, Box]]:
        output = engine(image)
        if output.boxes is None or output.txts is None or output.scores is None:
            return []
        lines: list[tuple[str, Box]] = []
        for box, text, score in zip(output.boxes, output.txts, output.scores, strict=True):
            if score >= LEAST_SCORE and text.strip():
                left, top, right, bottom = map(float, (*box.min(axis=0), *box.max(axis=0)))
                lines.append((text, (left, top, right, bottom)))
        return lines

    return read


def in_order(lines: Iterable[tuple[str, Box]]) -> str:
    """Return lines as the text of a page: columns one after the other, paragraphs separated by an empty line."""
    rows: list[list[PdfLine]] = []
    for line in sorted((_line(text, box) for text, box in lines), key=lambda line: -line.top):
        if rows and line.top > (rows[-1][0].top + rows[-1][0].bottom) / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    ordered = [line for row in rows for line in sorted(row, key=lambda line: line.left)]
    return "\n\n".join(paragraphs(whole_rows(in_columns(ordered)), Usual()))


def _line(text: str, box: Box) -> PdfLine:
    left, top, right, bottom = box
    width = (right - left) / len(text)
    words = [Word(match[0], left + width * match.start(), left + width * match.end()) for match in _WORD.finditer(text)]
    return PdfLine(tuple(words), -bottom, -top, bottom - top)
