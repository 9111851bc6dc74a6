"""Reads the properties of a PDF file."""

import io

from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import resolve1
from pdfminer.utils import decode_text

from schemas.card import Card
from services.search.cards import properties_card

_PROPERTIES = {"Title": "title", "Author": "author", "CreationDate": "created"}


def pdf_card(data: bytes) -> Card:
    """Return the card of a PDF's properties; an empty card if they cannot be read."""
    try:
        about = PDFDocument(PDFParser(io.BytesIO(data))).info
        known = {key: resolve1(entry[key]) for entry in reversed(about) for key in _PROPERTIES if key in entry}
    except Exception:  # noqa: BLE001 - a broken PDF raises anything, and its text is worth more than its properties
        return Card()
    written = {_PROPERTIES[key]: decode_text(value) for key, value in known.items() if isinstance(value, bytes)}
    dates = {key: value.removeprefix("D:")[:8] for key, value in written.items() if key == "created"}
    return properties_card([*(written | dates).items()])
