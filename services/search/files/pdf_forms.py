"""Reads what is filled into the fields of a PDF form, and sets it beside the labels of its page."""

import ctypes
from collections.abc import Iterator, Sequence

import pypdfium2
import pypdfium2.raw as pdfium

from services.search.files.pdf_layout import HALF, PdfLine, Word, beside

MAX_FIELDS = 1_000
"""Fields of a page that are read."""
_TEXTS = frozenset({pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX})
_CHECKED = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})
_CHECK = "[x]"
"""What stands for a box that is checked."""


def with_fields(page: pypdfium2.PdfPage, lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a page with what is filled in: behind the label at its left, in the label's height, or below what stands higher."""
    filled = list(lines)
    for field in _fields(page):
        labels = [at for at, line in enumerate(filled) if line.right <= field.left and beside(line, field) > HALF]
        higher = [at for at, line in enumerate(filled) if line.bottom >= field.top]
        at = max(labels, key=lambda at: filled[at].right) if labels else max(higher, default=-1)
        label = filled[at] if labels else field
        filled.insert(at + 1, PdfLine(field.words, label.bottom, label.top, label.type_size))
    return filled


def _fields(page: pypdfium2.PdfPage) -> Iterator[PdfLine]:
    form = page.formenv
    for place in range(min(pdfium.FPDFPage_GetAnnotCount(page), MAX_FIELDS) if form else 0):
        annotation = pdfium.FPDFPage_GetAnnot(page, place)
        kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
        value = _value(form, annotation) if kind in _TEXTS else ""
        if kind in _CHECKED and pdfium.FPDFAnnot_IsChecked(form, annotation):
            value = _CHECK
        box = pdfium.FS_RECTF()
        if value and pdfium.FPDFAnnot_GetRect(annotation, box):
            word = Word(" ".join(value.split()), box.left, box.right)
            yield PdfLine((word,), box.bottom, box.top, 0.0)
        pdfium.FPDFPage_CloseAnnot(annotation)


def _value(form: pypdfium2.PdfFormEnv, annotation: object) -> str:
    size = pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace")
