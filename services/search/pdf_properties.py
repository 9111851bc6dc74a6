"""Reads the properties of a PDF file."""

import pypdfium2

from schemas.card import Card
from services.search.cards import properties_card

_PROPERTIES = {"Title": "title", "Author": "author", "CreationDate": "created"}


def pdf_card(data: bytes) -> Card:
    """Return the card of a PDF's properties, of a file that can be opened."""
    with pypdfium2.PdfDocument(data) as file:
        written = {name: file.get_metadata_value(key) for key, name in _PROPERTIES.items()}
    return properties_card([*(written | {"created": written["created"].removeprefix("D:")[:8]}).items()])
