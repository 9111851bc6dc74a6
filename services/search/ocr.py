"""Text of images in PDF files: scanned pages, and figures on pages that have text, read by RapidOCR (the extra `ocr`).

RapidOCR carries its models for English and Chinese in its wheel. Blocking, and slow: seconds a page.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from services.run.installation import install_command, is_installed
from services.search.file_types import NO_TEXT
from services.text.tokens import has_cjk

LEAST_TEXT = 40
"""Characters of text of its own from which on a page is not a scan, and only its figures are read."""
MAX_IMAGES = 10
"""Images that are read of one page."""
LEAST_AREA = 0.04
"""Share of its page from which on an image is a figure."""
SCALE = 200 / 72
"""Dots of a rendering for each point of a page."""
MAX_DOTS = 16_000_000
"""Of one rendering; larger pages are rendered more coarsely."""
LEAST_SCORE = 0.6
"""Certainty of a line, 0 to 1, from which on it is kept."""
NEW_PARAGRAPH = 0.9
"""Distance from the line above, in heights of a line, from which on a paragraph begins."""
WIDE = 0.6
"""Share of the width of all lines from which on a line spans both columns."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that was read, with its place in dots from the top left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


class Reader(Protocol):
    """Reads the lines of an image, which is an array of height, width and three colours."""

    def __call__(self, image: Any) -> list[Line]:
        """Return the lines of an image, the top ones first."""


def ocr_installed() -> bool:
    """Tell whether text of images can be read. Blocking."""
    return is_installed("rapidocr") and is_installed("onnxruntime") and is_installed("pypdfium2")


def no_text_of_pdf() -> str:
    """Say why a PDF file holds no text, and what to do where its pages may be images. Blocking."""
    if ocr_installed():
        return f"{NO_TEXT}, nor do its images"
    return f"{NO_TEXT}: its pages may be images; to read them, install: {install_command('ocr')}"


def image_text(data: bytes, seconds: float) -> str:
    """Return the text of a PDF file's scanned pages and figures as Markdown, below a heading that says from which page it was read.

    Args:
        data: the file.
        seconds: no image is begun later; pages whose images were not read are named at the end. 0: nothing is read.

    Returns:
        The text; empty where no image has any, or the extra is not installed.
    """
    if not ocr_installed() or seconds <= 0:
        return ""
    import pypdfium2

    until = time.monotonic() + seconds
    read: Reader | None = None
    blocks: list[str] = []
    unread: list[int] = []
    with pypdfium2.PdfDocument(data) as file:
        for number, page in enumerate(file, 1):
            texts: list[str] = []
            for crop in islice(_crops(page), MAX_IMAGES):
                if time.monotonic() > until:
                    unread.append(number)
                    break
                read = read or rapid_reader()
                texts.append(in_order(read(_rendered(page, crop))))
            if text := "\n\n".join(filter(None, texts)):
                blocks.append(f"{_heading(number, text)}\n\n{text}")
            page.close()
    if unread:
        blocks.append(unread_pages(unread, "".join(blocks)))
    return "\n\n".join(blocks)


def unread_pages(pages: Sequence[int], text: str) -> str:
    """Name the pages whose images were not read, in the language of what was."""
    if has_cjk(text):
        return f"（第 {'、'.join(map(str, pages))} 页的图像因时间不足而未识别。）"
    return f"(Images were not read for want of time, of page {', '.join(map(str, pages))}.)"


def _heading(number: int, text: str) -> str:
    return f"## 第 {number} 页（由 OCR 识别）" if has_cjk(text) else f"## Page {number} (read by OCR)"


def _crops(page: Any) -> Iterator[tuple[float, float, float, float]]:
    """Give what is to be read of a page, as margins to cut off: all of a scan, each figure of another page.

    Args:
        page: of pypdfium2.
    """
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    width, height = page.get_size()
    images = [image.get_bounds() for image in page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE])]
    figures = [
        (max(0.0, left), max(0.0, bottom), max(0.0, width - right), max(0.0, height - top))
        for left, bottom, right, top in images
        if (right - left) * (top - bottom) >= LEAST_AREA * width * height
    ]
    if figures and len(page.get_textpage().get_text_bounded().strip()) < LEAST_TEXT:
        yield (0.0, 0.0, 0.0, 0.0)
    else:
        yield from dict.fromkeys(figures)


def _rendered(page: Any, crop: tuple[float, float, float, float]) -> Any:
    width, height = page.get_size()
    scale = min(SCALE, (MAX_DOTS / max(1.0, width * height)) ** 0.5)
    return page.render(scale=scale, crop=crop).to_pil().convert("RGB")


def rapid_reader() -> Reader:
    """Return what reads lines with RapidOCR."""
    from rapidocr import RapidOCR

    engine: Any = RapidOCR()

    def read(image: Any) -> list[Line]:
        found = engine(image)
        if found.boxes is None or found.txts is None or found.scores is None:
            return []
        return [
            Line(text.strip(), *map(float, (*box.min(axis=0), *box.max(axis=0))))
            for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
            if score >= LEAST_SCORE and text.strip()
        ]

    return read


def in_order(lines: Sequence[Line]) -> str:
    """Return lines as text: two columns one after the other, paragraphs with an empty line between."""
    if not lines:
        return ""
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    middle, wide = (left + right) / 2, WIDE * (right - left)
    ordered: list[Line] = []
    band: list[Line] = []
    for line in _by_rows(lines):
        if line.right - line.left >= wide:
            ordered += [*_columns(band, middle), line]
            band = []
        else:
            band.append(line)
    return "\n\n".join(_paragraphs([*ordered, *_columns(band, middle)]))


def _by_rows(lines: Iterable[Line]) -> list[Line]:
    """Sort lines from the top, those that begin above the middle of another from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.top):
        if rows and line.top < (rows[-1][0].top + rows[-1][0].bottom) / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.left)]


def _columns(band: Sequence[Line], middle: float) -> list[Line]:
    """Return the lines between two that span the page: those of the left column first, if there are two columns."""
    sides = [line for line in band if line.right <= middle], [line for line in band if line.left >= middle]
    two = min(map(len, sides)) > 1 and sum(map(len, sides)) == len(band)
    return [*sides[0], *sides[1]] if two else list(band)


def _paragraphs(lines: Iterable[Line]) -> Iterator[str]:
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
