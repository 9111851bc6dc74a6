"""About how wide a formula is when it is drawn, so that it is made smaller where it would be cut."""

from xml.etree import ElementTree

from services.reports.html.sanitised import mathml
from services.reports.plain_math import SPACED

_LETTER, _UPRIGHT, _OPERATOR, _SPACE, _SCRIPT = 0.68, 0.5, 1.3, 0.5, 0.72
"""Widths in multiples of the font's size, rather too large than too small: fonts for formulas differ."""
STEPS = (100, 90, 80, 70, 60, 50)
"""Sizes in percent at which a formula is drawn."""


def formula_width(latex: str) -> float:
    """Return the width of a formula as a multiple of the font's size; 0 for one that cannot be parsed, which is text and breaks."""
    drawn = str(mathml(latex)).replace("&nbsp;", "\u00a0")
    try:
        return _wide(ElementTree.fromstring(drawn)) if drawn.startswith("<math") else 0.0  # noqa: S314 - sanitised, without a document type
    except (ElementTree.ParseError, RecursionError):
        return 0.0


def fitting(latex: str, room: float) -> int:
    """Return the greatest size in percent at which a formula fits a room in multiples of the font's size; 0 where none does."""
    wide = formula_width(latex)
    return next((step for step in STEPS if wide * step <= 100 * room), 0)


def _wide(node: ElementTree.Element) -> float:
    tag, widths = node.tag.rpartition("}")[2], [_wide(part) for part in node]
    base = widths[0] if widths else 0.0
    match tag:
        case "mfrac" | "mtable":
            return max(widths, default=0.0) + _LETTER / 2
        case "msup" | "msub":
            return base + _SCRIPT * sum(widths[1:])
        case "msubsup":
            return base + _SCRIPT * max(widths[1:], default=0.0)
        case "munder" | "mover" | "munderover":
            return max(base, _SCRIPT * max(widths[1:], default=0.0))
        case "mtr":
            return sum(widths) + _SPACE * len(widths)
        case "mspace":
            return 2 * _SPACE
        case "msqrt" | "mroot":
            return sum(widths) + _LETTER
        case _ if widths:
            return sum(widths)
        case _:
            text = (node.text or "").strip("\n ")
            if tag == "mi" and len(text) == 1:
                return _LETTER
            return _OPERATOR if text in SPACED else _UPRIGHT * len(text) + _SPACE * (tag == "mi")
