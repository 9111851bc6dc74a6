"""Reads the images of PDF files as documents, in a confined process (see `services/sandbox/workers.py`).

Image recognition takes more memory than a conversion may, so it has its own process.
"""

from collections.abc import Mapping
from typing import Any

from services.sandbox.jobs import serve
from services.search.conversion import Content, converted
from services.search.ocr import image_document
from services.search.pdf_properties import pdf_card


def main() -> None:
    """Read the images of the PDF files from standard input."""
    serve(_answer)


def _answer(job: dict[str, Any], data: bytes) -> Mapping[str, object]:
    def read(_: str, content: bytes) -> Content:
        text, title = image_document(content, job["ocr_seconds"])
        return Content(text, pdf_card(content).model_copy(update={"title": title}))

    return converted(job["name"], data, read)
