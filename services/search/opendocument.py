"""Reads OpenDocument files (texts, spreadsheets, presentations) as Markdown: headings, paragraphs, lists, tables and slides."""

import io
import zipfile
from collections.abc import Iterator

from lxml import etree

from services.search.file_types import MAX_CHARACTERS
from services.search.sheets import Sheet, sheets_markdown

MAX_REPEATED = 100
"""Columns that one cell may stand for; a spreadsheet's last one stands for all that are empty."""
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_PAGE = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}page"


def opendocument_text(data: bytes) -> str:
    """Return the text of an OpenDocument file.

    Raises:
        ValueError: it unpacks to more than a document may hold.
        zipfile.BadZipFile, KeyError, etree.XMLSyntaxError: it is none.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if archive.getinfo("content.xml").file_size > 10 * MAX_CHARACTERS:
            raise ValueError("it unpacks to more than a document may hold")
        content = archive.read("content.xml")
    tree = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    return "\n\n".join(_blocks(tree))


def _blocks(element: etree._Element) -> Iterator[str]:
    slide = 0
    walk = etree.iterwalk(element, events=("start",))
    for _, node in walk:
        if node.tag == f"{_TABLE}table":
            name = node.get(f"{_TABLE}name", "")
            yield sheets_markdown([Sheet(name, list(map(_cells, node.iter(f"{_TABLE}table-row"))))])[0]
            walk.skip_subtree()
        elif node.tag == _PAGE:
            slide += 1
            yield f"## Slide {slide}"
        elif node.tag in {f"{_TEXT}h", f"{_TEXT}p"}:
            level = int(node.get(f"{_TEXT}outline-level", "1")) if node.tag == f"{_TEXT}h" else 0
            item = node.getparent() is not None and node.getparent().tag == f"{_TEXT}list-item"
            if text := _plain(node):
                yield f"{'#' * min(level, 6)} {text}" if level else f"- {text}" if item else text
            walk.skip_subtree()


def _cells(row: etree._Element) -> list[str]:
    cells: list[str] = []
    for cell in row.iter(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        text = " ".join(filter(None, map(_plain, cell.iter(f"{_TEXT}p"))))
        cells += [text] * min(MAX_REPEATED, int(cell.get(f"{_TABLE}number-columns-repeated", "1")))
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _plain(node: etree._Element) -> str:
    """Return the words of a paragraph; a tab, a line break and several spaces are elements without text."""
    for gap in node.iter(f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"):
        gap.tail = f" {gap.tail or ''}"
    return " ".join("".join(node.itertext()).split())
