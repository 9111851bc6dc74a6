"""Rewrites what the converter of Word files passes over: moved text, results of fields, and equations that leave out what they may."""

import io
import warnings
import zipfile

from lxml import etree
from markitdown.converter_utils.docx.math.omml import oMath2Latex

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_AROUND_TEXT = [f"{_WORD}{name}" for name in ("bdo", "customXml", "dir", "fldSimple", "moveTo")]
"""What may stand around runs and paragraphs, beside what the converter knows."""
_WITH_PROPERTIES = [f"{_MATH}{name}" for name in ("acc", "bar", "d", "f", "groupChr")]
"""Parts of an equation whose properties, which are optional, the converter needs."""


def whole(data: bytes) -> bytes:
    """Return a Word file of whose text the converter loses nothing."""
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a part that is written again stands for the first
        for name in set(_PARTS).intersection(archive.namelist()):
            archive.writestr(name, _part(archive.read(name)))
    return file.getvalue()


def _part(data: bytes) -> bytes:
    tree = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    for element in tree.iter(_AROUND_TEXT):
        element.tag = f"{_WORD}ins"  # whose content is read
    for element in tree.iter(_WITH_PROPERTIES):
        if element.find(f"{element.tag}Pr") is None:
            element.insert(0, element.makeelement(f"{element.tag}Pr"))
    for equation in tree.iter(f"{_MATH}oMath"):
        try:
            oMath2Latex(equation)  # type: ignore[no-untyped-call]  # it has no types
        except Exception:  # noqa: BLE001 - it raises anything at all on what it does not know
            words = " ".join(filter(None, (text.text for text in equation.iter(f"{_MATH}t"))))
            equation[:] = []
            etree.SubElement(etree.SubElement(equation, f"{_MATH}r"), f"{_MATH}t").text = words
    return bytes(etree.tostring(tree, encoding="utf-8", xml_declaration=True))
