"""The styles of a report in Word: fonts, colours, spacing and list numbers."""

from collections.abc import Sequence
from typing import Any

from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Inches, Pt, RGBColor

FONT, CHINESE_FONT = "Calibri", "Microsoft YaHei"
INK, SOFT, ACCENT = "1B2430", "55606E", "0B5C77"


def set_styles(document: Any, language: str) -> None:
    """Set the fonts, colours and spacing of a new document's styles."""
    for style in document.styles:
        font = getattr(style, "font", None)
        if font is not None:
            style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), CHINESE_FONT)
    document.styles["Normal"].font.name = FONT
    for style in document.styles:
        if style.name.startswith("Heading") or style.name in {"Title", "Caption"}:
            style.font.color.rgb = RGBColor.from_string(INK if style.name == "Title" else ACCENT)
            style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:ascii"), FONT)
    document.styles["Caption"].paragraph_format.keep_with_next = True
    document.styles["Caption"].font.size = Pt(11)
    quote = document.styles["Quote"]
    quote.font.italic, quote.font.size = False, Pt(10)
    quote.font.color.rgb = RGBColor.from_string(SOFT)
    quote.paragraph_format.left_indent, quote.paragraph_format.space_after = Inches(0.2), Pt(5)
    edge = OxmlElement("w:pBdr")
    edge.append(element("left", val="single", sz="12", space="8", color=ACCENT))
    quote.element.get_or_add_pPr().append(edge)
    document.styles["List Number"].paragraph_format.space_after = Pt(4)
    # Without it, Chinese commas and stops may be drawn in another region's form
    tongue = document.styles.element.find(f".//{qn('w:lang')}")
    if tongue is not None:
        tongue.set(qn("w:eastAsia"), language if language.startswith("zh") else "zh-CN")
        tongue.set(qn("w:val"), language if not language.startswith("zh") else "en-US")


def number_anew(document: Any, paragraphs: Sequence[Any], start: int) -> None:
    """Restart the numbering of a list; otherwise Word continues the last list of the same style."""
    numbering = document.part.numbering_part.element
    style = document.styles["List Number"].element.pPr.numPr.numId.val
    kind = next(num for num in numbering.num_lst if num.numId == style).abstractNumId.val
    made = numbering.add_num(kind)
    made.add_lvlOverride(ilvl=0).add_startOverride(start)
    for paragraph in paragraphs:
        if paragraph.style.name == "List Number":
            properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
            properties.get_or_add_numId().val = made.numId
            if properties.find(qn("w:ilvl")) is None:
                properties.get_or_add_ilvl().val = 0


def element(name: str, **values: str) -> Any:
    """Return a WordprocessingML element with its attributes."""
    return OxmlElement(f"w:{name}", {qn(f"w:{key}"): value for key, value in values.items()})
