"""Office files, books and mails, each of which has the word of its kind."""

import shutil
import zipfile
from pathlib import Path

from docx import Document
from pptx import Presentation

from tests.conftest import EXAMPLES

SAMPLES = Path(__file__).parent / "samples"
"""A workbook of Excel 2 (BIFF2) and an Outlook message, with the word of their kind each."""
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF = (
    f'<office:document-content xmlns:office="{_OFFICE}office:1.0" xmlns:text="{_OFFICE}text:1.0" '
    f'xmlns:table="{_OFFICE}table:1.0" xmlns:draw="{_OFFICE}drawing:1.0"><office:body>{{}}</office:body></office:document-content>'
)
_CELL = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
_ROW = "<table:table-row>{}<table:table-cell table:number-columns-repeated='16000'/></table:table-row>"


def _archive(path: Path, files: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def write_office(folder: Path) -> None:
    """Write a file of each kind, with the word of its kind in it, and two with fields below their titles."""
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "Depths"
    slide.placeholders[1].text = "The pptxword is here."
    slides.save(folder / "talk.pptx")
    _archive(folder / "text.odt", {"content.xml": _ODF.format("<text:h text:outline-level='1'>Ropes</text:h><text:p>The<text:s/>odtword.</text:p>")})  # fmt: skip
    _archive(folder / "talk.odp", {"content.xml": _ODF.format("<draw:page><text:p>The odpword.</text:p></draw:page>")})
    cells = [_ROW.format(_CELL.format(ship) + _CELL.format(depth)) for ship, depth in (("Ship", "odsword"), ("Blake", "7"), ("Tuscarora", "9"))]  # fmt: skip
    _archive(folder / "sheet.ods", {"content.xml": _ODF.format(f"<table:table table:name='Ships'>{''.join(cells)}</table:table>")})  # fmt: skip
    _archive(
        folder / "novel.epub",
        {
            "META-INF/container.xml": "<container><rootfiles><rootfile full-path='book.opf'/></rootfiles></container>",
            "book.opf": "<package xmlns:dc='http://purl.org/dc/elements/1.1/'><metadata><dc:title>The Lead</dc:title></metadata>"
            "<manifest><item id='a' href='a.xhtml'/></manifest><spine><itemref idref='a'/></spine></package>",
            "a.xhtml": "<html><body><h1>One</h1><p>The epubword is here.</p></body></html>",
        },
    )
    shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)
    for name in ("errors-of-deep-sounding.pdf", "seabed-mapping-progress.xlsx"):
        shutil.copy(EXAMPLES / "deep-sea" / name, folder)
    rows = [("Year", "docxword"), ("1871", "12"), ("1872", "9")]
    document = Document()
    table = document.add_table(rows=3, cols=2)
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            table.cell(place, column).text = cell
    document.save(str(folder / "wrecks.docx"))
    html = "".join(f"<tr><td>{year}</td><td>{count}</td></tr>" for year, count in rows).replace("docx", "html")
    (folder / "page.html").write_text(f"<h1>Wrecks</h1><table>{html}</table>")
    lines = {"Memo on pump P7": "Title", "Author: Ann Sounder": None, "Status: Draft": None, "It leaks.": None}
    word = Document()
    for text, style in lines.items():
        word.add_paragraph(text, style)
    word.save(str(folder / "memo.docx"))
    shown = "".join(f"<text:p text:style-name='{style}'>{text}</text:p>" for text, style in lines.items())
    _archive(folder / "memo.odt", {"content.xml": _ODF.format(shown)})
