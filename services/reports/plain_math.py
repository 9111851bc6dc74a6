"""Writes formulas on one line: `(v · t)/2` for a fraction, always unambiguous."""

from xml.etree import ElementTree

from schemas.document import Formula, Inlines, Text
from services.reports.html.sanitised import mathml

_RAISED = dict(zip("0123456789+−-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_LOWERED = dict(zip("0123456789+−-=()aeijkmnoptx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑᵢⱼₖₘₙₒₚₜₓ", strict=True))
SPACED = frozenset("=<>≤≥≠≈≡≪≫±∓×÷·⋅∼∝→←⇒⇔↦∈∉⊂⊆∪∩∧∨+−-*")
_UNSPACED_FIRST = frozenset("+−-±")
_RAISED |= {char: char for char in "′″*"}
_ACCENTS = {"^": "\u0302", "~": "\u0303", "¯": "\u0304", "‾": "\u0304", "˙": "\u0307", "¨": "\u0308", "→": "\u20d7"}
_ACCENTS |= {"ˆ": "\u0302", "˜": "\u0303", "´": "\u0301", "ˇ": "\u030c", "―": "\u0304", "_": "\u0304"}


def plain_math(latex: str) -> str:
    """Return a formula as one line of text, or its LaTeX if it cannot be parsed."""
    drawn = str(mathml(latex)).replace("&nbsp;", "\u00a0")
    if not drawn.startswith("<math"):
        return latex
    try:
        return " ".join(_line(ElementTree.fromstring(drawn)).split())  # noqa: S314 - sanitised, without a document type
    except (ElementTree.ParseError, IndexError, RecursionError):
        return latex


def in_line(content: Inlines) -> Inlines:
    """Return inlines with formulas as text."""
    return tuple(Text(plain_math(inline.latex)) if isinstance(inline, Formula) else inline for inline in content)


def _line(node: ElementTree.Element) -> str:
    tag, parts = node.tag.rpartition("}")[2], list(node)
    match tag:
        case "mfrac":
            return f"{_bracketed(parts[0])}/{_bracketed(parts[1])}"
        case "msup":
            return _line_of_base(parts[0]) + _script(parts[1], _RAISED, "^")
        case "msub":
            return _line_of_base(parts[0]) + _script(parts[1], _LOWERED, "_")
        case "msubsup" | "munderover":
            low, high = _script(parts[1], _LOWERED, "_"), _script(parts[2], _RAISED, "^")
            return f"{_line_of_base(parts[0])}{low}{high} "
        case "mover":
            return _over(parts)
        case "munder":
            return _line_of_base(parts[0]) + _script(parts[1], _LOWERED, "_") + " "
        case "msqrt":
            return f"√({_row(parts).strip()})"
        case "mroot":
            return f"{_script(parts[1], _RAISED, '^')}√({_line(parts[0]).strip()})"
        case "mtable" if node.get("displaystyle"):  # lines, set at their signs of equality
            return "; ".join("".join(map(_line, row)).strip() for row in parts)
        case "mtable":
            return f"[{'; '.join(', '.join(_line(cell).strip() for cell in row) for row in parts)}]"
        case _ if parts:
            return _row(parts)
        case _:
            return (node.text or "").strip("\n") if tag == "mtext" else (node.text or "").strip()


def _row(parts: list[ElementTree.Element]) -> str:
    line = ""
    for place, part in enumerate(parts):
        text, tag = _line(part), part.tag.rpartition("}")[2]
        beside = [*parts[place - 1 : place], *parts[place + 1 : place + 2]]
        if _bare(part).tag.rpartition("}")[2] == "mfrac" and not all(map(_weak, beside)):
            text = f"({text})"
        first = place == 0 or line.rstrip().endswith(tuple("([,=<>≤≥≠≈"))
        operator = tag == "mo" and text in SPACED and not (first and text in _UNSPACED_FIRST)
        function = tag == "mi" and len(text) > 1
        line += f" {text} " if operator or function else text
    return line


def _bare(node: ElementTree.Element) -> ElementTree.Element:
    while len(node) == 1 and node.tag.rpartition("}")[2] in {"mrow", "mstyle", "mpadded"}:
        node = node[0]
    return node


def _weak(node: ElementTree.Element) -> bool:
    """Tell whether an element binds weaker than a fraction bar beside it: an equals sign, a plus, a closing bracket."""
    text = (node.text or "").strip()
    return node.tag.rpartition("}")[2] == "mo" and bool(text) and text in "=<>≤≥≠≈≡≪≫±∓∼∝→←⇒⇔+−-,;:([{)]}|"


def _bracketed(node: ElementTree.Element) -> str:
    """Return a numerator or denominator, in brackets unless it is a single letter or number."""
    text = _line(node).strip()
    return text if len(text) == 1 or text.replace(".", "").replace(",", "").isdigit() else f"({text})"


def _line_of_base(node: ElementTree.Element) -> str:
    text = _line(node).strip()
    return text if len(_bare(node)) < 2 or text.startswith("(") else f"({text})"


def _script(node: ElementTree.Element, letters: dict[str, str], mark: str) -> str:
    text = _line(node).replace(" ", "")
    if text and all(char in letters for char in text):
        return "".join(letters[char] for char in text)
    return f"{mark}{text}" if len(text) == 1 and not text.isalnum() else f"{mark}({_line(node).strip()})"


def _over(parts: list[ElementTree.Element]) -> str:
    base, above = _line(parts[0]).strip(), _line(parts[1]).strip()
    if above in _ACCENTS and len(base) == 1:
        return base + _ACCENTS[above]
    return f"{_line_of_base(parts[0])}^({above})"
