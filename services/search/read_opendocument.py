"""Reads OpenDocument files: texts, sheets and slides."""

import io
import zipfile
from collections.abc import Iterator

from lxml import etree

from services.search.file_types import MAX_CHARACTERS
from services.search.sheets import Merged, Sheet, sheets_markdown

MAX_REPEATED = 100
"""Columns that one cell may stand for; a spreadsheet's last one stands for all that are empty."""
MAX_ROWS_REPEATED = 10_000
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_SPREADSHEET = f"{_OFFICE}spreadsheet"
_PAGE = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}page"
_NOT_SHOWN = [f"{_TEXT}tracked-changes", f"{_TABLE}tracked-changes", f"{_OFFICE}annotation", f"{_TEXT}note-citation"]
"""Text that was deleted, comments, and the numbers of notes."""


def opendocument_text(data: bytes) -> str:
    """Return the text of an OpenDocument file.

    Raises:
        ValueError: it unpacks to more than a document may hold.
        zipfile.BadZipFile, KeyError, etree.XMLSyntaxError: the file is no OpenDocument text.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if archive.getinfo("content.xml").file_size > 10 * MAX_CHARACTERS:
            raise ValueError("it unpacks to more than a document may hold")
        content = archive.read("content.xml")
    tree = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    etree.strip_elements(tree, *_NOT_SHOWN, with_tail=False)
    for note in list(tree.iter(f"{_TEXT}note")):
        words = " ".join(filter(None, map(_plain, note.iter(f"{_TEXT}p"))))
        note.clear(keep_tail=True)
        note.text = f" ({words})"
    return "\n\n".join(_blocks(tree))


def _blocks(element: etree._Element) -> Iterator[str]:
    slide = 0
    walk = etree.iterwalk(element, events=("start",))
    for _, node in walk:
        if node.tag == f"{_TABLE}table":
            of_spreadsheet = node.getparent() is not None and node.getparent().tag == _SPREADSHEET
            name = node.get(f"{_TABLE}name", "") if of_spreadsheet else ""  # elsewhere programs make names up
            yield sheets_markdown([_sheet(name, node)])[0]
            walk.skip_subtree()
        elif node.tag == _PAGE:
            slide += 1
            yield f"## Slide {slide}"
        elif node.tag in {f"{_TEXT}h", f"{_TEXT}p"}:
            level = int(node.get(f"{_TEXT}outline-level", "1")) if node.tag == f"{_TEXT}h" else 0
            level = level or int(node.get(f"{_TEXT}style-name") == "Title")
            item = node.getparent() is not None and node.getparent().tag == f"{_TEXT}list-item"
            if text := _plain(node):
                yield f"{'#' * min(level, 6)} {text}" if level else f"- {text}" if item else text
            walk.skip_subtree()


def _sheet(name: str, table: etree._Element) -> Sheet:
    rows: list[list[str]] = []
    merged: list[Merged] = []
    for row in table.iter(f"{_TABLE}table-row"):
        cells: list[str] = []
        for cell in row.iter(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            down, across = _number(cell, "number-rows-spanned"), _number(cell, "number-columns-spanned")
            if (down, across) != (1, 1):
                merged.append((len(rows), len(cells), len(rows) + down - 1, len(cells) + across - 1))
            text = " ".join(filter(None, map(_plain, cell.iter(f"{_TEXT}p"))))
            cells += [text] * min(MAX_REPEATED, _number(cell, "number-columns-repeated"))
        while cells and not cells[-1]:
            cells.pop()
        rows += [cells] * min(MAX_ROWS_REPEATED if cells else 1, _number(row, "number-rows-repeated"))
    return Sheet(name, rows, merged)


def _number(element: etree._Element, name: str) -> int:
    return int(element.get(f"{_TABLE}{name}", "1"))


def _plain(node: etree._Element) -> str:
    """Return the words of a paragraph; a tab, a line break and several spaces are elements without text."""
    for gap in node.iter(f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"):
        gap.tail = f" {gap.tail or ''}"
    return " ".join("".join(node.itertext()).split())
