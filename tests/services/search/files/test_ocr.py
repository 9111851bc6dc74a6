"""Scanned pages of PDF files: read by the real reader in the locked process, in the order in which people read."""

import asyncio
import random
import shutil
from pathlib import Path

import pytest

from services.run import installation
from services.run.settings import forget_settings
from services.run.ui_text import unsearched
from services.search.documents import open_documents
from services.search.files.ocr import Box, image_text, in_order, unread_pages

SCAN = Path(__file__).parent / "scan.pdf"
"""A scanned page in two columns with Chinese below them, and a page of text with a figure."""
needs_ocr = pytest.mark.skipif(not installation.ocr_installed(), reason="needs the extra `ocr`")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    shutil.copy(SCAN, tmp_path / "docs")
    return tmp_path / "docs"


@needs_ocr
@pytest.mark.long
async def test_a_scanned_page_is_found_by_what_it_says(folder: Path) -> None:
    documents = await open_documents(folder, folder.parent / "home")
    assert (documents.count, documents.unreadable) == (1, [])
    (hit,) = await documents.search("second sounding after the dredger", 3)
    assert "## 第 1 页（由 OCR 识别）" in hit.text
    assert "A second sounding, made after the dredger had gone, gave 39.1 metres" in hit.text
    assert "水深为42.7米，挖泥船作业之后为39.1米" in hit.text
    assert "The tonnage of the port" in hit.text


@needs_ocr
async def test_what_time_is_too_short_for_is_named(folder: Path) -> None:
    text = await asyncio.to_thread(image_text, SCAN.read_bytes(), 1e-6)
    assert text == "(Images were not read for lack of time, on page 1.)"


def test_what_was_not_read_is_named_in_the_language_of_what_was() -> None:
    assert unread_pages([2, 7], "水深为42.7米") == "（第 2、7 页的图像因时间不足而未识别。）"
    assert unread_pages([2], "A port.") == "(Images were not read for lack of time, on page 2.)"


async def test_without_the_extra_a_scan_says_how_to_install_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_OCR_SECONDS", "0")
    forget_settings()
    monkeypatch.setattr(installation, "is_installed", lambda _: False)
    (folder / "scan.pdf").write_bytes(_without_text())
    (folder / "other.md").write_text("A port.")
    documents = await open_documents(folder, folder.parent / "home")
    ((path, reason),) = documents.unreadable
    assert path == "scan.pdf"
    assert "holds no text: its pages may be images; to read them, install: " in unsearched(reason)
    assert reason.endswith("[ocr]'")


def _without_text() -> bytes:
    """Return a PDF file of one empty page."""
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    )


def lines_of(text: str, left: float, top: float, width: float = 300, height: float = 20) -> list[tuple[str, Box]]:
    return [
        (row, (left, top + 30 * place, left + width, top + 30 * place + height))
        for place, row in enumerate(text.split("/"))
    ]


def test_columns_are_read_one_after_the_other_between_lines_that_span_both() -> None:
    title, foot = (
        f"{kind} that stands over the whole width of both of the columns of the page" for kind in ("A title", "A note")
    )
    left = "the lead was heaved by two men/from the end of the north pier/into the water of the harbour"
    right = "the wire was wound up on a drum/that was made of oak and brass/in the yard of the shipwrights"
    columns = [*lines_of(left, 0, 100), *lines_of(right, 380, 103)]
    lines = [*lines_of(title, 0, 0, 680, 30), *columns, *lines_of(foot, 0, 400, 680, 15)]
    random.Random(3).shuffle(lines)  # noqa: S311 - any order, always the same
    assert in_order(lines).split("\n\n") == [title, f"{left}/{right}".replace("/", " "), foot]


def test_lines_beside_each_other_that_are_no_columns_are_read_row_by_row() -> None:
    lines = [
        *lines_of("Depth/42 m", 0, 0, 100),
        *lines_of("Ship/Blake", 150, 4, 100),
        *lines_of("Year/1874", 300, 2, 100),
    ]
    assert in_order(lines).split() == "Depth Ship Year 42 m Blake 1874".split()
