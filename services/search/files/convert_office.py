"""Converts files that a library reads (PDF, office, books, mail, HTML) to text, and reads scans of PDF files, in a confined process (see `services/sandbox/workers.py`).

A broken or hostile file can neither block nor end the run, nor reach anything.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import PurePath
from typing import Any, BinaryIO
from xml.etree import ElementTree

import xlrd
from lxml import html
from markitdown import DocumentConverter, DocumentConverterResult, StreamInfo
from markitdown.converters import DocxConverter, EpubConverter, HtmlConverter
from openpyxl import load_workbook
from openpyxl.styles.numbers import is_timedelta_format
from openpyxl.utils import get_column_letter

from schemas.card import Card
from services.sandbox.jobs import serve
from services.search.files import read_docx, read_html
from services.search.files.cards import HEAD, properties_card
from services.search.files.conversion import Content, converted, with_passages
from services.search.files.convert_plain import convert_plain
from services.search.files.file_types import CONVERTED, SUFFIXES, Converted
from services.search.files.hidden import remove_hidden
from services.search.files.number_formats import as_exact, formatted
from services.search.files.ocr import LONGEST_TITLE, image_text
from services.search.files.pdf_text import pdf_card, pdf_text
from services.search.files.read_mail import mail_text, outlook_text
from services.search.files.read_opendocument import opendocument_text
from services.search.files.read_pptx import presentation_of
from services.search.files.sheets import (
    NOTHING_HIDDEN,
    Hidden,
    Merged,
    Sheet,
    sheets_markdown,
    tables_of,
    without_hidden,
)
from services.search.files.shown_html import as_shown, blocks_apart, cells_in_lines
from services.search.files.table_profile import profiled
from services.text.code_blocks import with_fences_apart

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
WORKBOOKS = frozenset({".xls", ".xlsx"})
_OPEN_DOCUMENT = frozenset({".odp", ".ods", ".odt"})
_ARCHIVES = frozenset({".docx", ".epub", ".pptx", ".xlsx"}) | _OPEN_DOCUMENT
_OF_TEMPLATES = {"2013-12-23T23:15:00Z", "2013-01-27T09:15:58Z"}
"""Dates in the templates of python-docx and python-pptx, which documents made with them keep."""
_MAILS = {".eml": mail_text, ".msg": outlook_text}


def convert(name: str, data: bytes) -> Converted:
    """Convert one file, whose name gives its type; a failure is returned as `error`."""

    def read(suffix: str, data: bytes) -> Content:
        if suffix in {".html", ".htm"}:
            return Content(*_html(data))
        if suffix in _MAILS:
            return _MAILS[suffix](data, _attachment)
        _check_kind(data, suffix)
        if suffix in WORKBOOKS:
            return _workbook(name, data, suffix)
        if suffix == ".pdf":
            return _pdf(data)
        if suffix == ".pptx":
            shown = presentation_of(data)
            return Content(shown.text, _properties(data), "hidden" if shown.hidden else "")
        if suffix == ".docx":
            written, hidden = read_docx.whole(data)
            return Content(_markitdown(written, suffix), _properties(data), "hidden" if hidden else "")
        text, hidden = opendocument_text(data) if suffix in _OPEN_DOCUMENT else (_markitdown(data, suffix), False)
        return Content(text, _properties(data) if suffix in _ARCHIVES else Card(), "hidden" if hidden else "")

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
    sheets, note = _old_sheets(data) if suffix == ".xls" else _sheets(data)
    text, left_out = sheets_markdown(shown for shown, _ in sheets)
    note = "beginning" if left_out and note != "formulas" else note
    card = _properties(data) if suffix in _ARCHIVES else Card()
    return Content(text, card, note, lambda: profiled(name, tables_of(bare for _, bare in sheets)))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _html(data: bytes) -> tuple[str, Card]:
    page, card = read_html.prepared(data)
    return _markitdown(page.encode(), ".html") if page else "", card


def _attachment(name: str, data: bytes) -> str:
    """Return the text of a part of a mail; empty if it is not read. A mail that is attached is not unpacked."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in SUFFIXES - _MAILS.keys():
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
    defaults = {"title": {"PowerPoint Presentation", "Word Document"}, "modified": _OF_TEMPLATES}
    return properties_card([(name, value) for name, value in written.items() if value not in defaults.get(name, ())])


class _ShownHtml(HtmlConverter):
    """Converts HTML, also that which other converters make of their formats."""

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> DocumentConverterResult:
        """Convert a page with what its layout shows."""
        page = file_stream.read()
        if page.strip():
            tree = html.document_fromstring(page, parser=html.HTMLParser(encoding=stream_info.charset or "utf-8"))
            remove_hidden(tree)
            as_shown(tree)
            blocks_apart(tree)
            cells_in_lines(tree)
            page = html.tostring(tree, encoding="unicode").encode()
        return super().convert(io.BytesIO(page), StreamInfo(extension=".html", charset="utf-8"), **kwargs)


def _markitdown(data: bytes, suffix: str) -> str:
    """Convert with the converter of the format itself: the general entry would treat a broken file as plain text."""
    kinds: dict[str, type[DocumentConverter]] = {".docx": DocxConverter, ".html": _ShownHtml, ".epub": EpubConverter}
    about = StreamInfo(extension=suffix, charset="utf-8" if suffix == ".html" else None)
    converter = kinds[suffix]()
    if hasattr(converter, "_html_converter"):
        converter._html_converter = _ShownHtml()
    options = {**_AS_WRITTEN, **({"style_map": _TITLE} if suffix == ".docx" else {})}
    text = converter.convert(io.BytesIO(data), about, **options).markdown
    text = _DEFINITION.sub(lambda term: f"* {term[1]}: " if term[1] else "* ", text)
    return _HEADLESS.sub(r"\2\1", with_fences_apart(text))


def main() -> None:
    """Convert the files from standard input."""
    serve(_answer)


def _answer(job: dict[str, Any], data: bytes) -> Mapping[str, object]:
    if job.get("images"):
        return converted(job["name"], data, lambda _, content: _images(content, job["ocr_seconds"]))
    answer = convert(job["name"], data)
    return with_passages(answer) if job.get("passages") else answer


MAX_WHOLE = 2_000_000
"""Bytes of a workbook up to which its merged cells are read, for which it is in memory as a whole."""
_FORMULA = re.compile(rb"<f[ >/]")


Cells = Sequence[Sequence[tuple[object, str]]]
"""Values of cells with their formats."""


def _both(
    name: str,
    cells: Cells,
    merged: Sequence[Merged],
    comments: Iterable[tuple[int, int, str]] = (),
    hidden: Hidden = NOTHING_HIDDEN,
) -> tuple[Sheet, Sheet]:
    """Return a sheet as it is shown, with comments by the row and the column of their cells, and with bare numbers as programs compute with them."""
    bare = [[_text(value) for value, _ in row] for row in cells]
    shown = [
        [text if written == "General" else _text(value, written) for text, (value, written) in zip(*both, strict=True)]
        for both in zip(bare, cells, strict=True)
    ]
    shown = without_hidden(shown, merged, hidden)
    remarks = [
        " ".join(f"{get_column_letter(column + 1)}{row + 1} ({shown[row][column]}): {comment}".split())
        for row, column, comment in comments
        if row < len(shown) and column < len(shown[row]) and not hidden.covers(row, column)
    ]
    return Sheet(name, shown, merged, remarks), Sheet(name, bare, merged)


def _sheets(data: bytes) -> tuple[list[tuple[Sheet, Sheet]], str]:
    """Return the sheets of a workbook (see `_both`), and what is to be noted: that something is hidden, or that results of formulas are missing and the formulas stand for them."""
    whole = len(data) <= MAX_WHOLE
    book = load_workbook(io.BytesIO(data), read_only=not whole, data_only=True)
    formulas = load_workbook(io.BytesIO(data), read_only=True) if _has_formulas(data) else None
    shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    sheets: list[tuple[Sheet, Sheet]] = []
    note = "hidden" if len(shown) < len(book.worksheets) else ""
    for sheet in shown:
        if not whole:
            sheet.reset_dimensions()  # the size that a file claims is not trusted
        rows = [[(cell.value, cell.number_format or "General") for cell in row] for row in sheet.iter_rows()]
        commented = (cell for row in sheet.iter_rows() for cell in row if cell.comment) if whole else ()
        comments = [(cell.row - 1, cell.column - 1, cell.comment.text) for cell in commented]
        if formulas is not None:
            written = formulas[sheet.title]
            written.reset_dimensions()
            for row, cells in zip(rows, written.iter_rows(values_only=True), strict=False):
                for place, ((value, _), formula) in enumerate(zip(row, cells, strict=False)):
                    if value is None and formula is not None:
                        row[place] = (str(getattr(formula, "text", formula)), "General")
                        note = "formulas"
        ranges = [cells.bounds for cells in sheet.merged_cells.ranges] if whole else []
        merged: list[Merged] = sorted((top - 1, left - 1, bottom - 1, right - 1) for left, top, right, bottom in ranges)
        hidden = _hidden(sheet) if whole else NOTHING_HIDDEN
        note = note or ("hidden" if hidden != NOTHING_HIDDEN else "")
        sheets.append(_both(sheet.title, rows, merged, comments, hidden))
    return sheets, note


def _hidden(sheet: Any) -> Hidden:
    """Return the rows and columns of a sheet that somebody hid; what a filter or a closed group hides is a click away."""
    filtered = sheet.auto_filter.ref is not None
    rows = [] if filtered else [number for number, row in sheet.row_dimensions.items() if _is_hidden(row)]
    columns = [
        number
        for column in sheet.column_dimensions.values()
        if _is_hidden(column) and column.min
        for number in range(column.min, min(column.max, sheet.max_column) + 1)
    ]
    return Hidden(
        frozenset(row - 1 for row in rows if row <= sheet.max_row), frozenset(column - 1 for column in columns)
    )


def _is_hidden(line: Any) -> bool:
    return bool(line.hidden) and not line.outlineLevel


def _has_formulas(data: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(_FORMULA.search(archive.read(name)) for name in names)


def _old_sheets(data: bytes) -> tuple[list[tuple[Sheet, Sheet]], str]:
    book = xlrd.open_workbook(file_contents=data, formatting_info=True)

    def value(cell: Any) -> tuple[object, str]:
        number_format = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
        if cell.ctype == xlrd.XL_CELL_DATE and is_timedelta_format(number_format):
            return timedelta(days=cell.value), "General"
        if cell.ctype == xlrd.XL_CELL_DATE:
            moment = xlrd.xldate_as_datetime(cell.value, book.datemode)
            return moment if cell.value >= 1 else moment.time(), number_format
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value), "General"
        is_error = cell.ctype == xlrd.XL_CELL_ERROR
        return xlrd.error_text_from_code.get(cell.value, "") if is_error else cell.value, number_format

    def hidden(sheet: Any) -> Hidden:
        lines = (sheet.rowinfo_map, sheet.colinfo_map)
        rows, columns = (
            frozenset(place for place, line in known.items() if line.hidden and not line.outline_level)
            for known in lines
        )
        return Hidden(rows, frozenset(column for column in columns if column < sheet.ncols))

    shown = [(sheet, hidden(sheet)) for sheet in book.sheets() if not sheet.visibility]
    is_whole = len(shown) == book.nsheets and all(own == NOTHING_HIDDEN for _, own in shown)
    return [
        _both(
            sheet.name,
            [[value(cell) for cell in sheet.row(place)] for place in range(sheet.nrows)],
            sorted((top, left, bottom - 1, right - 1) for top, bottom, left, right in sheet.merged_cells),
            ((row, column, note.text) for (row, column), note in sorted(sheet.cell_note_map.items())),
            own,
        )
        for sheet, own in shown
    ], "" if is_whole else "hidden"


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
        return as_exact(value.isoformat(" ").removesuffix(" 00:00:00"), number_format)
    if isinstance(value, date):
        return as_exact(value.isoformat(), number_format)
    return value.isoformat() if isinstance(value, time) else str(value)
