"""Formulas in LaTeX: told from other text, and written as MathML, which browsers render, or on one line: `(v · t)/2`, always unambiguous."""

import re
from xml.etree import ElementTree

from markupsafe import Markup, escape

from schemas.document import Formula, Inlines, Text

_LATEX = re.compile(r"[\\^_=+<>]|^[A-Za-z]'?$|[A-Za-z]\s*[-*/(]")
_UNSAFE = re.compile(r"\]\(|<[A-Za-z/!]|://|[`~]|\n\s*\n|^\d[\d.,]*\s")
"""What no formula holds, and a hostile one might."""
_BRACKETS = re.compile(r"(?<!\\)\\\[((?:(?!\n[^\S\n]*+\n)(?:[^\\]|\\[^\[\]])){1,2000}?)\\\]", re.DOTALL)
_PARENTHESES = re.compile(r"(?<!\\)\\\(((?>(?:[^\n\\]|\\[^()\n]){1,500}))\\\)")
MATHML_TAGS = set(
    "math mrow mi mn mo mtext ms mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose msub msup msubsup munder "
    "mover munderover mmultiscripts mprescripts mtable mtr mtd".split()
)
MATHML_ATTRIBUTES = {
    "math": {"display"},
    "*": set(
        "stretchy fence separator accent movablelimits linethickness mathvariant columnalign width notation lspace rspace "
        "minsize maxsize scriptlevel displaystyle".split()
    ),
}
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(aligned|align|gathered|gather\*?|eqnarray\*?)\}")
_ALIKE = {"aligned": "split", "align": "align*", "eqnarray": "array"}
"""Environments that the converter knows, by those that look alike; numbers of lines would begin anew in each formula."""
_UNKNOWN = re.compile(r"<mi>\\")
MAX_LATEX = 2_000
_RAISED = dict(zip("0123456789+−-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_LOWERED = dict(zip("0123456789+−-=()aeijkmnoptx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑᵢⱼₖₘₙₒₚₜₓ", strict=True))
_SPACED = frozenset("=<>≤≥≠≈≡≪≫±∓×÷·⋅∼∝→←⇒⇔↦∈∉⊂⊆∪∩∧∨+−-*")
_UNSPACED_FIRST = frozenset("+−-±")
_RAISED |= {char: char for char in "′″*"}
_ACCENTS = {"^": "\u0302", "~": "\u0303", "¯": "\u0304", "‾": "\u0304", "˙": "\u0307", "¨": "\u0308", "→": "\u20d7"}
_ACCENTS |= {"ˆ": "\u0302", "˜": "\u0303", "´": "\u0301", "ˇ": "\u030c", "―": "\u0304", "_": "\u0304"}
_LETTER, _UPRIGHT, _OPERATOR, _SPACE, _SCRIPT = 0.68, 0.5, 1.3, 0.5, 0.72
"""Widths in multiples of the font's size, rather too large than too small: fonts for formulas differ."""
STEPS = (100, 90, 80, 70, 60, 50)
"""Sizes in percent at which a formula is drawn."""


def with_dollars(markdown: str) -> str:
    r"""Rewrite formulas in `\(` `\)` or `\[` `\]` with dollar signs, since `\[` is also an escaped bracket."""
    markdown = _BRACKETS.sub(lambda formula: _dollars(formula, "$$"), markdown)
    return _PARENTHESES.sub(lambda formula: _dollars(formula, "$"), markdown)


def _dollars(formula: re.Match[str], sign: str) -> str:
    latex = formula.group(1).strip()
    return f"{sign}{latex}{sign}" if is_formula(latex) and "$" not in latex else formula.group()


def is_formula(latex: str) -> bool:
    """Distinguish LaTeX from a sum of money between two dollar signs, and from hidden markup."""
    return _LATEX.search(latex.strip()) is not None and not _UNSAFE.search(latex)


def mathml(latex: str, *, display: bool = False) -> Markup:
    r"""Return a formula as MathML, or as code if it cannot be parsed.

    The converter copies what stands in `\text` and `\href` as it is, so only tags and attributes of MathML that
    neither link nor style pass the sanitiser behind it.
    """
    import nh3
    from latex2mathml.converter import convert

    code = Markup("<code>{}</code>").format(latex)
    if len(latex) > MAX_LATEX or "\x00" in latex:
        return code
    try:
        converted = convert(_ENVIRONMENT.sub(_known, latex), display="block" if display else "inline")
    except Exception:  # noqa: BLE001 - the converter raises whatever a wrong formula makes it stumble over
        return code
    if _UNKNOWN.search(converted):
        return code
    if display:  # a formula of a block is as wide as what it holds, not as the page
        converted = converted.replace('display="block"', 'display="inline" displaystyle="true"', 1)
    clean = nh3.clean(converted, tags=MATHML_TAGS, attributes=MATHML_ATTRIBUTES)
    if not clean.startswith("<math"):
        return code
    return Markup(clean.replace("<math", f'<math aria-label="{escape(latex)}"', 1))  # noqa: S704 - sanitised just before


def _known(environment: re.Match[str]) -> str:
    """Return the beginning or the end of an environment by the name of one that looks alike."""
    name = _ALIKE.get(environment[2].rstrip("*"), "matrix")
    return f"\\{environment[1]}{{{name}}}" + ("{rcl}" if (environment[1], name) == ("begin", "array") else "")


def _parsed(latex: str) -> ElementTree.Element | None:
    """Return the MathML of a formula as a tree; None if the formula cannot be parsed."""
    drawn = str(mathml(latex)).replace("&nbsp;", "\u00a0")
    try:
        return ElementTree.fromstring(drawn) if drawn.startswith("<math") else None  # noqa: S314 - sanitised, without a document type
    except ElementTree.ParseError:
        return None


def plain_math(latex: str) -> str:
    """Return a formula as one line of text, or its LaTeX if it cannot be parsed."""
    tree = _parsed(latex)
    try:
        return latex if tree is None else " ".join(_line(tree).split())
    except (IndexError, RecursionError):
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
        operator = tag == "mo" and text in _SPACED and not (first and text in _UNSPACED_FIRST)
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


def formula_width(latex: str) -> float:
    """Return the width of a formula as a multiple of the font's size; 0 for one that cannot be parsed, which is text and breaks."""
    tree = _parsed(latex)
    try:
        return 0.0 if tree is None else _wide(tree)
    except RecursionError:
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
            return _OPERATOR if text in _SPACED else _UPRIGHT * len(text) + _SPACE * (tag == "mi")
