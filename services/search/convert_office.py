"""Converts files that a library reads (PDF, office, books, mail, HTML) to text, and reads scans of PDF files, in a confined process (see `services/sandbox/workers.py`).

A broken or hostile file can neither block nor end the run, nor reach anything.
"""

import email
import email.policy
import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from email.message import MIMEPart
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

import xlrd
from lxml import etree
from markitdown import DocumentConverter, StreamInfo
from markitdown.converters import (
    DocxConverter,
    EpubConverter,
    HtmlConverter,
    OutlookMsgConverter,
    PptxConverter,
)  # fmt: skip
from openpyxl import load_workbook
from openpyxl.styles.numbers import is_timedelta_format

from schemas.card import Card
from schemas.clean_text import clean_line
from services.sandbox.jobs import serve
from services.search import read_html
from services.search.cards import HEAD, properties_card
from services.search.conversion import Content, converted, with_passages
from services.search.convert_plain import convert_plain
from services.search.file_types import CONVERTED, MAX_CHARACTERS, SUFFIXES, Converted
from services.search.number_formats import formatted
from services.search.ocr import LONGEST_TITLE, image_text
from services.search.pdf_text import pdf_card, pdf_text
from services.search.sheets import Merged, Sheet, sheets_markdown, tables_of
from services.search.table_profile import profiled

_HEADLESS = re.compile(r"(?m)^\|(?:[ \t]{0,9}\|)+[ \t]*\n(\|[-:| \t]+\|[ \t]*\n)(\|.*\n)")
"""A table with an empty header, as of a Word file without a heading row: its first row becomes the header."""
_OFFICE_PROPERTIES = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{http://purl.org/dc/elements/1.1/}creator",
    "modified": "{http://purl.org/dc/terms/}modified",
    "status": "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}contentStatus",
    "version": "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}version",
}
_AS_WRITTEN = {"escape_asterisks": False, "escape_underscores": False}
"""Options of markdownify: names such as `max_age` stay as they are written, for searches, quotes and checks."""
_TITLE = "p[style-name='Title'] => h1:fresh"
"""How mammoth reads Word's style of titles."""
_DEFINITION = re.compile(r"(?m)^(?:(?!:   )(\S[^\n]{0,300}?):?\n)?:   ")
"""A term with the beginning of its definition, or of a further one, as markdownify writes them."""
_SLIDE = re.compile(r"<!-- Slide number: (\d{1,5}) -->")
WORKBOOKS = frozenset({".xls", ".xlsx"})
_OPEN_DOCUMENT = frozenset({".odp", ".ods", ".odt"})
_ARCHIVES = frozenset({".docx", ".epub", ".pptx", ".xlsx"}) | _OPEN_DOCUMENT
_OF_TEMPLATE = "2013-12-23T23:15:00Z"
"""Date in the template of python-docx, which documents made with it keep."""

MAX_ATTACHMENTS = 20
"""Attachments of a mail that are read."""
MAX_REPEATED = 100
"""Columns that one cell may stand for; a spreadsheet's last one stands for all that are empty."""
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_SPREADSHEET = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}spreadsheet"
_PAGE = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}page"


def convert(name: str, data: bytes) -> Converted:
    """Convert one file, whose name gives its type; a failure is returned as `error`."""

    def read(suffix: str, data: bytes) -> Content:
        if suffix in {".html", ".htm"}:
            return Content(*_html(data))
        if suffix == ".eml":
            return _email(data)
        _check_kind(data, suffix)
        if suffix in WORKBOOKS:
            return _workbook(name, data, suffix)
        if suffix == ".pdf":
            return _pdf(data)
        text = opendocument_text(data) if suffix in _OPEN_DOCUMENT else _markitdown(data, suffix)
        return Content(text, _properties(data) if suffix in _ARCHIVES else Card())

    return converted(name, data, read)


def _images(data: bytes, seconds: float) -> Content:
    """Return the text of a PDF file's scanned pages; its first line is the title of a document that consists of it."""
    text = image_text(data, seconds)
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith(("#", "("))), "")
    title = f"{first[:LONGEST_TITLE]} (OCR)" if first else ""
    return Content(text, pdf_card(data).model_copy(update={"title": title}))


def _pdf(data: bytes) -> Content:
    """Return the text of a PDF file, and of its properties the title and the authors that it prints."""
    text, card = pdf_text(data), pdf_card(data)
    head = _letters(text[:HEAD])
    printed = {
        "title": "" if text.startswith("# ") or _letters(card.title) not in head else card.title,
        "authors": [name for name in card.authors if _letters(name) in head],
    }
    return Content(text, card.model_copy(update=printed))


def _workbook(name: str, data: bytes, suffix: str) -> Content:
    sheets, missing = (_old_sheets(data), False) if suffix == ".xls" else _sheets(data)
    text, left_out = sheets_markdown(shown for shown, _ in sheets)
    note = "formulas" if missing else "beginning" if left_out else ""
    card = _properties(data) if suffix in _ARCHIVES else Card()
    return Content(text, card, note, lambda: profiled(name, tables_of(bare for _, bare in sheets)))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _html(data: bytes) -> tuple[str, Card]:
    page, card = read_html.prepared(data)
    return _markitdown(page.encode(), ".html") if page else "", card


def _email(data: bytes) -> Content:
    """Return the header and the text of a mail, and below their names the texts of its attachments, as far as these are of kinds that are read."""
    mail = email.message_from_bytes(data, policy=email.policy.default)
    fields = [f"{name}: {mail[name]}" for name in ("Subject", "From", "To", "Date") if mail[name]]
    body = mail.get_body(("plain", "html"))
    text = str(body.get_content()) if body else ""
    if body and body.get_content_type() == "text/html":
        text = _html(text.encode())[0]
    parts, unread = ["\n".join(fields), text.strip()], list[str]()
    for place, part in enumerate(mail.iter_attachments()):
        name = clean_line(part.get_filename() or part.get_content_type())
        read = _attachment(name, part) if place < MAX_ATTACHMENTS else ""
        parts += [f"Attachment: {name}", read]
        unread += [] if read else [name]
    return Content("\n\n".join(parts), note=f"attachments:{', '.join(unread[:MAX_ATTACHMENTS])}" if unread else "")


def _attachment(name: str, part: MIMEPart) -> str:
    """Return the text of a mail's attachment; empty if it is not read. A mail that is attached is not unpacked."""
    data, suffix = part.get_payload(decode=True), PurePath(name).suffix.lower()
    if not isinstance(data, bytes) or suffix not in SUFFIXES - {".eml"}:
        return ""
    answer = convert(name, data) if suffix in CONVERTED else convert_plain(name, data)
    return answer.get("text", "")


def _check_kind(data: bytes, suffix: str) -> None:
    """Check how a file begins; the libraries of the other kinds look themselves."""
    magic = b"%PDF" if suffix == ".pdf" else b"PK" if suffix in _ARCHIVES else b""
    if magic not in data[:1_024]:
        raise ValueError(f"it is no {suffix[1:].upper()} file")


def _properties(data: bytes) -> Card:
    """Return the card of an Office file's properties, unless they are those of a template; the date is that of the last change."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "docProps/core.xml" not in archive.namelist() or archive.getinfo("docProps/core.xml").file_size > 100_000:
            return Card()
        core = ElementTree.fromstring(archive.read("docProps/core.xml"))  # noqa: S314 - expat expands no entities of 100 kB
    written = {name: (core.findtext(path) or "").strip() for name, path in _OFFICE_PROPERTIES.items()}
    defaults = {"title": "Word Document", "modified": _OF_TEMPLATE}
    return properties_card([(name, value) for name, value in written.items() if value != defaults.get(name)])


def _markitdown(data: bytes, suffix: str) -> str:
    """Convert with the converter of the format itself: the general entry would treat a broken file as plain text."""
    kinds: dict[str, type[DocumentConverter]] = {
        ".docx": DocxConverter, ".html": HtmlConverter, ".pptx": PptxConverter, ".epub": EpubConverter, ".msg": OutlookMsgConverter,
    }  # fmt: skip
    about = StreamInfo(extension=suffix, charset="utf-8" if suffix == ".html" else None)
    options = {**_AS_WRITTEN, **({"style_map": _TITLE} if suffix == ".docx" else {})}
    text = kinds[suffix]().convert(io.BytesIO(data), about, **options).markdown
    text = _DEFINITION.sub(lambda term: f"* {term[1]}: " if term[1] else "* ", _SLIDE.sub(r"## Slide \1", text))
    return _HEADLESS.sub(r"\2\1", text)


def main() -> None:
    """Convert the files from standard input."""
    serve(_answer)


def _answer(job: dict[str, Any], data: bytes) -> Mapping[str, object]:
    if job.get("images"):
        return converted(job["name"], data, lambda _, content: _images(content, job["ocr_seconds"]))
    answer = convert(job["name"], data)
    return with_passages(answer) if job.get("passages") else answer


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
    return "\n\n".join(_blocks(tree))


def _blocks(element: etree._Element) -> Iterator[str]:
    slide = 0
    walk = etree.iterwalk(element, events=("start",))
    for _, node in walk:
        if node.tag == f"{_TABLE}table":
            of_spreadsheet = node.getparent() is not None and node.getparent().tag == _SPREADSHEET
            name = node.get(f"{_TABLE}name", "") if of_spreadsheet else ""  # elsewhere programs make names up
            yield sheets_markdown([Sheet(name, list(map(_cells, node.iter(f"{_TABLE}table-row"))))])[0]
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


MAX_WHOLE = 2_000_000
"""Bytes of a workbook up to which its merged cells are read, for which it is in memory as a whole."""
_FORMULA = re.compile(rb"<f[ >/]")


Cells = Sequence[Sequence[tuple[object, str]]]
"""Values of cells with their formats."""


def _both(name: str, cells: Cells, merged: Sequence[Merged]) -> tuple[Sheet, Sheet]:
    """Return a sheet as it is shown, and with bare numbers as programs compute with them."""
    bare = [[_text(value) for value, _ in row] for row in cells]
    shown = [
        [text if written == "General" else _text(value, written) for text, (value, written) in zip(*both, strict=True)]
        for both in zip(bare, cells, strict=True)
    ]
    return Sheet(name, shown, merged), Sheet(name, bare, merged)


def _sheets(data: bytes) -> tuple[list[tuple[Sheet, Sheet]], bool]:
    """Return the sheets of a workbook (see `_both`), and whether results of formulas are missing: the formulas then stand for them."""
    whole = len(data) <= MAX_WHOLE
    book = load_workbook(io.BytesIO(data), read_only=not whole, data_only=True)
    formulas = load_workbook(io.BytesIO(data), read_only=True) if _has_formulas(data) else None
    sheets: list[tuple[Sheet, Sheet]] = []
    missing = False
    for sheet in book.worksheets:
        if not whole:
            sheet.reset_dimensions()  # the size that a file claims is not trusted
        rows = [[(cell.value, cell.number_format or "General") for cell in row] for row in sheet.iter_rows()]
        if formulas is not None:
            written = formulas[sheet.title]
            written.reset_dimensions()
            for row, cells in zip(rows, written.iter_rows(values_only=True), strict=False):
                for place, ((value, _), formula) in enumerate(zip(row, cells, strict=False)):
                    if value is None and formula is not None:
                        row[place] = (str(getattr(formula, "text", formula)), "General")
                        missing = True
        ranges = [cells.bounds for cells in sheet.merged_cells.ranges] if whole else []
        merged: list[Merged] = sorted((top - 1, left - 1, bottom - 1, right - 1) for left, top, right, bottom in ranges)
        sheets.append(_both(sheet.title, rows, merged))
    return sheets, missing


def _has_formulas(data: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(_FORMULA.search(archive.read(name)) for name in names)


def _old_sheets(data: bytes) -> list[tuple[Sheet, Sheet]]:
    book = xlrd.open_workbook(file_contents=data, formatting_info=True)

    def value(cell: Any) -> tuple[object, str]:
        number_format = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
        if cell.ctype == xlrd.XL_CELL_DATE and is_timedelta_format(number_format):
            return timedelta(days=cell.value), "General"
        if cell.ctype == xlrd.XL_CELL_DATE:
            return xlrd.xldate_as_datetime(cell.value, book.datemode), "General"
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value), "General"
        is_error = cell.ctype == xlrd.XL_CELL_ERROR
        return xlrd.error_text_from_code.get(cell.value, "") if is_error else cell.value, number_format

    return [
        _both(
            sheet.name,
            [[value(cell) for cell in sheet.row(place)] for place in range(sheet.nrows)],
            sorted((top, left, bottom - 1, right - 1) for top, bottom, left, right in sheet.merged_cells),
        )
        for sheet in book.sheets()
    ]


def _text(value: object, number_format: str = "General") -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return formatted(value, number_format)
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(abs(value.total_seconds()), 3), 60)
        whole = f"{minutes // 60:.0f}:{minutes % 60:02.0f}:{seconds:06.3f}".removesuffix(".000")
        return f"-{whole}" if value < timedelta() else whole
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return value.isoformat() if isinstance(value, date | time) else str(value)
