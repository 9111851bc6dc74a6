"""Rewrites what the converter of Word files passes over: numbers of headings and clauses, moved text, text boxes, glossed characters, headers and footers, results of fields, and equations that leave out what they may; and takes out what is hidden."""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping

from lxml import etree
from markitdown.converter_utils.docx.math.omml import oMath2Latex

from services.search.files.docx_numbering import WORD, write_numbers

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MAIN = "word/document.xml"
_PARTS = (_MAIN, "word/footnotes.xml", "word/endnotes.xml")
_EDGE = re.compile(r"word/(?:header|footer)\d{0,4}\.xml")
_AROUND_TEXT = [f"{WORD}{name}" for name in ("bdo", "customXml", "dir", "fldSimple", "moveTo", "ruby", "rubyBase")]
"""What may stand around runs and paragraphs, beside what the converter knows."""
_WITH_PROPERTIES = [f"{_MATH}{name}" for name in ("acc", "bar", "d", "f", "groupChr")]
"""Parts of an equation whose properties, which are optional, the converter needs."""
_BOX = f"{WORD}txbxContent"
_WATERMARK = "{urn:schemas-microsoft-com:vml}textpath"
_OFF = {"0", "false", "off"}
_PAGE_FIELD = re.compile(r"\b(?:PAGE|NUMPAGES|SECTIONPAGES)\b")
_HEADING = "Headers and footers"


def whole(data: bytes) -> tuple[bytes, bool]:
    """Return a Word file of whose text the converter loses nothing, and whether some of it was hidden, and is taken out."""
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a part that is written again stands for the first
        names = archive.namelist()
        read = {*_PARTS, *filter(_EDGE.fullmatch, names), "word/numbering.xml", "word/styles.xml"}
        trees = {name: _tree(archive.read(name)) for name in names if name in read}
        hidden = sum(map(_take_out_hidden, trees.values()))
        for name in set(_PARTS).intersection(trees):
            _mend(trees[name])
        if _MAIN in trees:
            if "word/numbering.xml" in trees:
                write_numbers(trees[_MAIN], trees["word/numbering.xml"], trees.get("word/styles.xml"))
            _append(trees[_MAIN], _edges(trees))
        for name in set(_PARTS).intersection(trees):
            archive.writestr(name, etree.tostring(trees[name], encoding="utf-8", xml_declaration=True))
    return file.getvalue(), hidden > 0


def _tree(data: bytes) -> etree._Element:
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


def _take_out_hidden(tree: etree._Element) -> int:
    """Remove text that has the font attribute of hidden text, and return how many pieces there were."""
    hidden = 0
    for mark in tree.iter(f"{WORD}vanish"):
        run = mark.getparent().getparent()
        if mark.get(f"{WORD}val") in _OFF or run.tag != f"{WORD}r":
            continue
        for text in [*run.iterchildren(f"{WORD}t", f"{WORD}delText", f"{WORD}tab", f"{WORD}sym")]:
            hidden += text.tag == f"{WORD}t"
            run.remove(text)
    return hidden


def _mend(tree: etree._Element) -> None:
    for gloss in list(tree.iter(f"{WORD}rt")):
        gloss.getparent().remove(gloss)
    for element in tree.iter(_AROUND_TEXT):
        element.tag = f"{WORD}ins"  # whose content is read
    _show_boxes(tree)
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


def _show_boxes(tree: etree._Element) -> None:
    """Leave one form of each drawing: the one that the converter reads, unless only the other has the text of its boxes."""
    for both in list(tree.iter(f"{_COMPATIBLE}AlternateContent")):
        choice, fallback = both.find(f"{_COMPATIBLE}Choice"), both.find(f"{_COMPATIBLE}Fallback")
        if choice is None:
            continue
        if next(choice.iter(_BOX), None) is not None and (fallback is None or next(fallback.iter(_BOX), None) is None):
            both[:] = [choice]
            choice.tag = f"{_COMPATIBLE}Fallback"
        elif fallback is not None:
            both.remove(choice)
    for drawing in list(tree.iter(f"{WORD}drawing")):
        if boxes := [box for box in drawing.iter(_BOX) if next(box.iterancestors(_BOX), None) is None]:
            drawing[:] = boxes


def _edges(trees: Mapping[str, etree._Element]) -> list[str]:
    """Return what headers and footers say, each once, without numbers of pages."""
    edges = [trees[name] for name in sorted(filter(_EDGE.fullmatch, trees))]
    watermarks = [mark.get("string", "") for tree in edges for mark in tree.iter(_WATERMARK)]
    lines = [line for tree in edges for paragraph in tree.iter(f"{WORD}p") for line in _places(paragraph)]
    return list(filter(None, dict.fromkeys([*lines, *watermarks])))


def _places(paragraph: etree._Element) -> Iterator[str]:
    """Yield what stands at the left, in the middle and at the right of a line, but not what has the number of the page."""
    words, has_number = "", False
    for element in [
        *paragraph.iter(f"{WORD}t", f"{WORD}tab", f"{WORD}br", f"{WORD}instrText", f"{WORD}fldSimple"),
        None,
    ]:
        if element is None or element.tag in {f"{WORD}tab", f"{WORD}br"}:
            if element is not None and element.getparent().tag == f"{WORD}tabs":
                continue
            if not has_number:
                yield " ".join(words.split())
            words, has_number = "", False
        elif element.tag == f"{WORD}t":
            words += element.text or ""
        else:
            has_number = has_number or bool(_PAGE_FIELD.search(element.get(f"{WORD}instr", element.text or "")))


def _append(document: etree._Element, lines: list[str]) -> None:
    body = document.find(f"{WORD}body")
    if body is None or not lines:
        return
    place = next((body.index(last) for last in body.iterchildren(f"{WORD}sectPr")), len(body))
    for number, line in enumerate([_HEADING, *lines]):
        paragraph = etree.Element(f"{WORD}p")
        if not number:
            properties = etree.SubElement(paragraph, f"{WORD}pPr")
            etree.SubElement(properties, f"{WORD}pStyle").set(f"{WORD}val", "Heading2")
        etree.SubElement(etree.SubElement(paragraph, f"{WORD}r"), f"{WORD}t").text = line
        body.insert(place + number, paragraph)
