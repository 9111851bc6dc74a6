"""PowerPoint holds the slides in its own objects: tables, pictures of charts, notes, and texts that fit."""

import io
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from services.reports.document import ParsedReport
from services.reports.parser import parse_report
from services.reports.slides.slide_outline import outline
from services.text.languages import direction
from tests.services.reports.full import ARABIC, chinese, english, english_from
from tests.services.reports.test_slides import overfull

pptx = pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
from services.reports.slides.pptx import render_pptx  # noqa: E402 - it needs the package

IMPRESS = shutil.which("loimpress")


def made(report: ParsedReport) -> Any:
    """Return the presentation of a report, read again."""
    return pptx.Presentation(io.BytesIO(render_pptx(report)))


def test_powerpoint_has_native_tables_pictures_of_charts_and_sources_in_its_notes() -> None:
    pytest.importorskip("vl_convert", reason="pictures of charts need the extra charts")
    parsed = parse_report(chinese())
    deck = made(parsed)
    shapes = [shape for slide in deck.slides for shape in slide.shapes]
    assert len(deck.slides) == len(outline(parsed))
    assert sum(shape.has_table for shape in shapes) == 1
    pictures = [shape for shape in shapes if shape.shape_type == pptx.enum.shapes.MSO_SHAPE_TYPE.PICTURE]
    assert [shape._element._nvXxPr.cNvPr.get("descr") for shape in pictures] == [
        one.chart.title for one in parsed.drawings
    ]
    assert all(slide.shapes.title.text_frame.text for slide in deck.slides)
    notes = "\n".join(slide.notes_slide.notes_text_frame.text for slide in deck.slides if slide.has_notes_slide)
    assert all(f"[{one.number}] {one.title}" in notes for one in parsed.references if one.cited)


def test_powerpoint_sets_arabic_from_the_right() -> None:
    deck = made(parse_report(english_from(ARABIC, locale="ar")))
    shapes = [shape for slide in deck.slides for shape in slide.shapes]
    for paragraph in (one for shape in shapes if shape.has_text_frame for one in shape.text_frame.paragraphs):
        rtl = paragraph._p.find("{*}pPr[@rtl='1'][@algn='r']") is not None
        assert rtl == (direction(paragraph.text) == "rtl"), paragraph.text
    assert all(shape.table._tbl.tblPr.get("rtl") == "1" for shape in shapes if shape.has_table)


def test_text_and_code_on_cards_begin_at_the_left_and_code_keeps_its_letters_apart() -> None:
    code = "# Depth\n\n## Use\n\nIt is called.\n\n```python\ndef depth(t):\n    return t\n```\n"
    deck = made(parse_report(english_from(code)))
    frames = [shape.text_frame for slide in deck.slides for shape in slide.shapes if shape.has_text_frame]
    [lines] = [frame.paragraphs for frame in frames if "def depth" in frame.text]
    assert [line.alignment for line in lines] == [pptx.enum.text.PP_ALIGN.LEFT] * 2
    assert {(run.font.name, run.font.size.pt) for line in lines for run in line.runs} == {("Consolas", 20)}


def test_each_part_of_a_quote_is_a_line_of_its_card_and_no_stop_hangs_over_its_edge() -> None:
    quote = "# Depth\n\n## Use\n\n**A note**\n\n> Dive by day.\n>\n> Rest at night.\n"
    deck = made(parse_report(english_from(quote)))
    frames = [shape.text_frame for slide in deck.slides for shape in slide.shapes if shape.has_text_frame]
    [lines] = [frame.paragraphs for frame in frames if "Dive by day" in frame.text]
    assert [line.text for line in lines] == ["A note", "Dive by day.", "Rest at night."]
    assert {line._p.pPr.get("hangingPunct") for line in lines} == {"0"}


def test_lines_of_powerpoints_cover_stand_one_below_the_other() -> None:
    parsed = parse_report(english())
    parsed = replace(parsed, counts=replace(parsed.counts, text="statements backed by quotes " * 10))
    cover = made(parsed).slides[0]
    *_, status, day = sorted(cover.shapes, key=lambda shape: shape.top)
    assert "backed" in status.text_frame.text
    assert status.top + status.height <= day.top
    assert status.height.inches >= 2 * 15 * 1.2 / 72


@pytest.mark.long
def test_powerpoint_rendered_by_libreoffice_overflows_nowhere(tmp_path: Path) -> None:
    if IMPRESS is None:
        pytest.skip("LibreOffice is not installed (Debian: apt-get install libreoffice-impress)")
    from pypdf import PdfReader

    place = tmp_path / "deck.pptx"
    place.write_bytes(render_pptx(parse_report(overfull("zh"))))
    command = [IMPRESS, "--headless", f"-env:UserInstallation={(tmp_path / 'office').as_uri()}", "--convert-to", "pdf"]
    subprocess.run([*command, "--outdir", str(tmp_path), str(place)], check=True, capture_output=True, timeout=110)
    pages = PdfReader(tmp_path / "deck.pdf").pages
    slides = list(pptx.Presentation(str(place)).slides)
    assert len(pages) == len(slides)
    for number, (sheet, slide) in enumerate(zip(pages, slides, strict=True), 1):
        height = float(sheet.mediabox.height)
        heights: list[float] = []
        sheet.extract_text(
            visitor_text=lambda text, cm, tm, *_, into=heights: (
                into.append(cm[1] * tm[4] + cm[3] * tm[5] + cm[5]) if text.strip() else None
            )
        )
        lowest = min(heights, default=height)
        assert lowest > 0, f"slide {number}: text below its edge"
        cards = [shape for shape in slide.shapes if shape.shape_type == 1]
        if cards:
            bottom = height - max(pptx.util.Emu(shape.top + shape.height).inches for shape in cards) * 72
            assert lowest > bottom - 1, f"slide {number}: {cards[0].text_frame.text[:60]}"
            top = height - min(pptx.util.Emu(shape.top).inches for shape in cards) * 72
            inside = [at for at in heights if at < height - 1.6 * 72]
            assert max(inside) < top, f"slide {number}: {cards[0].text_frame.text[:60]}"
