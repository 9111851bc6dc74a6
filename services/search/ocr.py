"""Reads the scanned pages of PDF files by RapidOCR (the extra `ocr`).

RapidOCR carries its models for English and Chinese in its wheel. Blocking, and slow: seconds a page.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from services.run.installation import install_command, is_installed
from services.search.conversion import JOINED_LINES
from services.search.file_types import NO_TEXT
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
NEW_PARAGRAPH = 0.9
"""Minimum distance from the line above, in line heights, for a new paragraph."""
LONGEST_TITLE = 100
"""Maximum characters of the line that becomes a scan's title."""
WIDE = 0.6
"""Minimum share of the width of all lines for a line to span both columns."""


@dataclass(frozen=True, slots=True)
class ScannedLine:
    """A line of text with its position in pixels from the top left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


class Reader(Protocol):
    """Reads the lines of an image, an array of height, width and three colours."""

    def __call__(self, image: Any) -> list[ScannedLine]:
        """Return the lines of an image from top to bottom."""


def ocr_installed() -> bool:
    """Tell whether the OCR packages are installed. Blocking."""
    return is_installed("rapidocr") and is_installed("onnxruntime")


def no_text_of_pdf() -> str:
    """Return the reason why a PDF file holds no text, with advice if its pages may be images. Blocking."""
    if ocr_installed():
        return f"{NO_TEXT}, nor do its images"
    return f"{NO_TEXT}: its pages may be images; to read them, install: {install_command('ocr')}"


def image_text(data: bytes, seconds: float) -> str:
    """Return the text of a PDF file's scanned pages as Markdown, below headings with the page number.

    Args:
        data: the file.
        seconds: time after which no page is started; unread pages are named at the end.

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
            if _is_scan(page) and time.monotonic() > until:
                unread.append(number)
            elif _is_scan(page):
                read = read or rapid_reader()
                if text := in_order(read(_rendered(page))):
                    chinese = has_cjk(text)
                    note = "由 OCR 识别" if chinese else "read by OCR"
                    blocks.append(f"{page_heading(number, chinese=chinese, note=note)}\n\n{text}")
            page.close()
    if unread:
        blocks.append(unread_pages(unread, "".join(blocks)))
    return "\n\n".join(blocks)


def image_document(data: bytes, seconds: float) -> tuple[str, str]:
    """Return the text of a PDF file's images, and the title of a document that consists of it; both are empty without text."""
    text = JOINED_LINES.sub("", image_text(data, seconds))
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith(("#", "("))), "")
    return text, f"{first[:LONGEST_TITLE]} (OCR)" if first else ""


def unread_pages(pages: Sequence[int], text: str) -> str:
    """Return a note on the pages whose images were not read, in the language of the text."""
    if has_cjk(text):
        return f"（第 {'、'.join(map(str, pages))} 页的图像因时间不足而未识别。）"
    return f"(Images were not read for lack of time, on page {', '.join(map(str, pages))}.)"


def _is_scan(page: Any) -> bool:
    """Tell whether a page of pypdfium2 can be read by its picture alone: an image with hardly any text, or fonts without meaning."""
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    from services.search.pdf_layout import is_legible

    width, height = page.get_size()
    images = [image.get_bounds() for image in page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE])]
    least = LEAST_AREA * width * height
    large = any((right - left) * (top - bottom) >= least for left, bottom, right, top in images)
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

    def read(image: Any) -> list[ScannedLine]:
        found = engine(image)
        if found.boxes is None or found.txts is None or found.scores is None:
            return []
        return [
            ScannedLine(text.strip(), *map(float, (*box.min(axis=0), *box.max(axis=0))))
            for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
            if score >= LEAST_SCORE and text.strip()
        ]

    return read


def in_order(lines: Sequence[ScannedLine]) -> str:
    """Return lines as text: two columns one after the other, paragraphs separated by an empty line."""
    if not lines:
        return ""
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    middle, wide = (left + right) / 2, WIDE * (right - left)
    ordered: list[ScannedLine] = []
    band: list[ScannedLine] = []
    for line in _by_rows(lines):
        if line.right - line.left >= wide:
            ordered += [*_columns(band, middle), line]
            band = []
        else:
            band.append(line)
    return "\n\n".join(_paragraphs([*ordered, *_columns(band, middle)]))


def _by_rows(lines: Iterable[ScannedLine]) -> list[ScannedLine]:
    """Sort lines from the top; lines that start above the middle of another are sorted from left to right."""
    rows: list[list[ScannedLine]] = []
    for line in sorted(lines, key=lambda line: line.top):
        if rows and line.top < (rows[-1][0].top + rows[-1][0].bottom) / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.left)]


def _columns(band: Sequence[ScannedLine], middle: float) -> list[ScannedLine]:
    """Return the lines between two page-wide lines; with two columns, the left column first."""
    sides = [line for line in band if line.right <= middle], [line for line in band if line.left >= middle]
    two = min(map(len, sides)) > 1 and sum(map(len, sides)) == len(band)
    return [*sides[0], *sides[1]] if two else list(band)


def _paragraphs(lines: Iterable[ScannedLine]) -> Iterator[str]:
    """Join lines that follow each other closely."""
    text, above = "", None
    for line in lines:
        height = line.bottom - line.top
        near = above is not None and -height < line.top - above.bottom < NEW_PARAGRAPH * height
        if near:
            text += f"\n{line.text}"
        else:
            if text:
                yield text
            text = line.text
        above = line
    if text:
        yield text
