"""Reads the date of a PDF file."""

import io

from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import resolve1


def pdf_date(data: bytes) -> str:
    """Return the creation date of a PDF; empty if it has none."""
    try:
        about = PDFDocument(PDFParser(io.BytesIO(data))).info
        made = next((resolve1(entry["CreationDate"]) for entry in about if "CreationDate" in entry), b"")
    except Exception:  # noqa: BLE001 - a broken PDF raises anything, and its text is worth more than its date
        return ""
    return made.decode("latin-1").removeprefix("D:")[:8] if isinstance(made, bytes) else ""
