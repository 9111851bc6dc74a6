"""Reads OpenDocument files: texts, sheets and slides."""

import io
import re
import zipfile
from collections.abc import Iterator

from lxml import etree

from services.search.files.file_types import MAX_CHARACTERS
from services.search.files.sheets import Merged, Sheet, sheets_markdown

MAX_REPEATED = 100
"""Columns that one cell may stand for; a spreadsheet's last one stands for all that are empty."""
MAX_ROWS_REPEATED = 10_000
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_SPREADSHEET = f"{_OFFICE}spreadsheet"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_PAGE = f"{_DRAW}page"
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_NOT_SHOWN = [
    *(f"{_TEXT}{name}" for name in ("tracked-changes", "note-citation", "page-number", "ruby-text")),
    f"{_TABLE}tracked-changes",
    f"{_OFFICE}annotation",
]
"""Text that was deleted, comments, the numbers of notes and pages, and glosses."""
_RAISED = re.compile(r"super|[1-9]")
_EXPONENT = re.compile(r"[-−]?\d{1,6}")
_HIDING = {(f"{_TABLE}display", "false"), (f"{_PRESENTATION}visibility", "hidden"), (f"{_TEXT}display", "none")}
"""What styles of hidden sheets, slides and characters say."""
_STYLED = (
    ("table", f"{_TABLE}style-name", [f"{_TABLE}table"]),
    ("drawing-page", f"{_DRAW}style-name", [_PAGE]),
    ("text", f"{_TEXT}style-name", [f"{_TEXT}span"]),
)
"""Families of styles, the attribute that names one, and the elements that have it."""


def opendocument_text(data: bytes) -> tuple[str, bool]:
    """Return the text of an OpenDocument file, and whether some of it was hidden, and is left out.

    Raises:
        ValueError: it unpacks to more than a document may hold.
        zipfile.BadZipFile, KeyError, etree.XMLSyntaxError: the file is no OpenDocument text.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if archive.getinfo("content.xml").file_size > 10 * MAX_CHARACTERS:
            raise ValueError("it unpacks to more than a document may hold")
        content = archive.read("content.xml")
    tree = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    hidden = _take_out_hidden(tree)
    _mark_characters(tree)
    _put_boxes_apart(tree)
    etree.strip_elements(tree, *_NOT_SHOWN, with_tail=False)
    for note in list(tree.iter(f"{_TEXT}note")):
        words = " ".join(filter(None, map(_plain, note.iter(f"{_TEXT}p"))))
        note.clear(keep_tail=True)
        note.text = f" ({words})"
    return "\n\n".join(filter(None, _blocks(tree))), hidden


def _take_out_hidden(tree: etree._Element) -> bool:
    """Take out the sheets and slides that are hidden, and the words of hidden rows, columns and characters."""
    styles = {
        (style.get(f"{_STYLE}family"), style.get(f"{_STYLE}name"))
        for style in tree.iter(f"{_STYLE}style")
        for about in style
        if _HIDING.intersection(about.attrib.items())
    }
    hidden: list[etree._Element] = []
    for family, name, tags in _STYLED:
        hidden += [element for element in tree.iter(*tags) if (family, element.get(name)) in styles]
    for table in tree.iter(f"{_TABLE}table"):
        columns = [
            is_hidden
            for column in table.iter(f"{_TABLE}table-column")
            for is_hidden in [_is_collapsed(column)] * min(MAX_REPEATED, _number(column, "number-columns-repeated"))
        ]
        for row in table.iter(f"{_TABLE}table-row"):
            place = 0
            for cell in row.iter(*_CELLS):
                if _is_collapsed(row) or any(columns[place : place + 1]):
                    hidden += cell
                place += _number(cell, "number-columns-repeated")
    for element in hidden:
        element.clear(keep_tail=True)
    return bool(hidden)


def _mark_characters(tree: etree._Element) -> None:
    """Mark words that are struck out as in Markdown, and raised numbers, which would be parts of those before them."""
    marks: dict[str | None, tuple[str, str]] = {}
    for style in tree.iter(f"{_STYLE}style"):
        for about in style.iter(f"{_STYLE}text-properties"):
            if about.get(f"{_STYLE}text-line-through-style", "none") != "none":
                marks[style.get(f"{_STYLE}name")] = "~~", "~~"
            elif _RAISED.match(about.get(f"{_STYLE}text-position", "")):
                marks[style.get(f"{_STYLE}name")] = "^", ""
    for span in tree.iter(f"{_TEXT}span"):
        before, behind = marks.get(span.get(f"{_TEXT}style-name"), ("", ""))
        words = "".join(span.itertext()).strip()
        if words and (before != "^" or _EXPONENT.fullmatch(words)):
            span.text = f"{before}{span.text or ''}"
            if len(span):
                span[-1].tail = f"{span[-1].tail or ''}{behind}"
            else:
                span.text += behind


def _put_boxes_apart(tree: etree._Element) -> None:
    """Put a box of text behind the paragraph to which it is tied."""
    for box in list(tree.iter(f"{_DRAW}text-box")):
        frame, paragraph = box.getparent(), next(box.iterancestors(f"{_TEXT}p", f"{_TEXT}h"), None)
        if frame is None or paragraph is None:
            continue
        before, parent = frame.getprevious(), frame.getparent()
        if before is not None:
            before.tail = f"{before.tail or ''}{frame.tail or ''}"
        else:
            parent.text = f"{parent.text or ''}{frame.tail or ''}"
        frame.tail = None
        paragraph.addnext(frame)


def _is_collapsed(line: etree._Element) -> bool:
    """Tell whether somebody hid a row or a column; what a closed group hides is a click away."""
    in_group = line.getparent() is not None and line.getparent().get(f"{_TABLE}display") == "false"
    return line.get(f"{_TABLE}visibility") == "collapse" and not in_group


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
            if not len(node):  # it is hidden
                continue
            title = _title(node)
            if slide == 1 and title:
                yield f"# {title}"
            yield f"## Slide {slide}: {title}" if title and slide > 1 else f"## Slide {slide}"
        elif node.tag == f"{_PRESENTATION}notes" and any(map(_plain, node.iter(f"{_TEXT}p"))):
            yield "### Notes"
        elif node.tag in {f"{_TEXT}h", f"{_TEXT}p"}:
            level = int(node.get(f"{_TEXT}outline-level", "1")) if node.tag == f"{_TEXT}h" else 0
            level = level or int(node.get(f"{_TEXT}style-name") == "Title")
            item = node.getparent() is not None and node.getparent().tag == f"{_TEXT}list-item"
            if text := _plain(node):
                yield f"{'#' * min(level, 6)} {text}" if level else f"- {text}" if item else text
            walk.skip_subtree()


def _title(page: etree._Element) -> str:
    """Take the title out of a slide."""
    for frame in page.iter(f"{_DRAW}frame"):
        if frame.get(f"{_PRESENTATION}class") == "title":
            title = " ".join(filter(None, map(_plain, frame.iter(f"{_TEXT}p"))))
            frame.clear()
            return title
    return ""


def _sheet(name: str, table: etree._Element) -> Sheet:
    rows: list[list[str]] = []
    merged: list[Merged] = []
    for row in table.iter(f"{_TABLE}table-row"):
        cells: list[str] = []
        for cell in row.iter(*_CELLS):
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
