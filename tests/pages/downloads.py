"""What the page's downloads hold: each file opened as its name says."""

import io
import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest


def letters(said: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(char for char in said.casefold() if char.isalnum())


def saved(file: Path) -> bytes:
    """Return a file that the browser is saving."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if file.exists() and file.stat().st_size:
            return file.read_bytes()
        time.sleep(0.05)
    pytest.fail(f"{file.name} was not saved")


def _part(name: str) -> Callable[[bytes], str]:
    def words(data: bytes) -> str:
        return zipfile.ZipFile(io.BytesIO(data)).read(name).decode()

    return words


def _markdown(data: bytes) -> str:
    assert data.startswith(b"# ")
    return data.decode()


def _page(data: bytes) -> str:
    assert data.lower().startswith(b"<!doctype html>")
    return data.decode()


def _pdf(data: bytes) -> str:
    pypdf = pytest.importorskip("pypdf")
    return " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)


HOLDS: dict[str, Callable[[bytes], str]] = {
    "report.md": _markdown,
    "report.html": _page,
    "slides.html": _page,
    "report.pptx": _part("ppt/slides/slide1.xml"),
    "report.docx": _part("word/document.xml"),
    "report.pdf": _pdf,
    "references.json": lambda data: " ".join(key for item in json.loads(data) for key in item),
    "report.zip": _part("report.md"),
}
"""How each download is opened as what its name says; a button for another file must be added here."""
