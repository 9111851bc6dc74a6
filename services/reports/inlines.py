"""Converts inline elements of a finished report: styled text, citations, formulas; HTML and images become text."""

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from services.reports.document import Break, Citation, Formula, Inline, Inlines, Link, Mark, Style, Text
from services.reports.signs import signs_in
from services.text.tokens import has_cjk

PARSER = (
    MarkdownIt("commonmark")
    .enable("table")
    .use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
)
_STYLES: dict[str, Style] = {"strong": "strong", "em": "emphasis"}
_LATEX = re.compile(r"[\\^_=+<>]|^[A-Za-z]'?$|[A-Za-z]\s*[-*/(]")
_BRACKETS = re.compile(r"(?<!\\)\\\[((?:(?!\n[^\S\n]*+\n)(?:[^\\]|\\[^\[\]])){1,2000}?)\\\]", re.DOTALL)
_PARENTHESES = re.compile(r"(?<!\\)\\\(((?>(?:[^\n\\]|\\[^()\n]){1,500}))\\\)")
_WRAP = re.compile(r"(?:([^ \t\n])|(?<![ \t]))[ \t]*+\n[ \t]*+(.?)")
"""A line break with the characters on both sides."""
_NUMBER = re.compile(r"\[(\d{1,6})\]")


def inlines(tokens: Sequence[Token]) -> Inlines:
    """Convert the children of an `inline` token."""
    content: list[Inline] = []
    styles: list[Style] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        name, _, side = token.type.rpartition("_")
        if token.type == "link_open":
            end = next(at for at in range(place, len(tokens)) if tokens[at].type == "link_close")
            content.append(_link(token, "".join(token.content for token in tokens[place + 1 : end])))
            place = end
        elif name in _STYLES:
            if side == "open":
                styles.append(_STYLES[name])
            else:
                styles.remove(_STYLES[name])
        else:
            content += _plain(token, frozenset(styles))
        place += 1
    return tuple(_joined(content))


def with_dollars(markdown: str) -> str:
    r"""Rewrite formulas in `\(` `\)` or `\[` `\]` with dollar signs, since `\[` is also an escaped bracket."""
    markdown = _BRACKETS.sub(lambda formula: _dollars(formula, "$$"), markdown)
    return _PARENTHESES.sub(lambda formula: _dollars(formula, "$"), markdown)


def _dollars(formula: re.Match[str], sign: str) -> str:
    latex = formula.group(1).strip()
    return f"{sign}{latex}{sign}" if is_formula(latex) and "$" not in latex else formula.group()


def is_formula(latex: str) -> bool:
    """Distinguish LaTeX from a sum of money between two dollar signs."""
    return _LATEX.search(latex.strip()) is not None


def _link(token: Token, text: str) -> Inline:
    href = str(token.attrs.get("href", ""))
    if href.startswith("sources/"):
        href = unquote(href)  # the parser encodes the letters of other scripts
    number = _NUMBER.fullmatch(text)
    return Citation(int(number.group(1)), href) if number else Link(text, href)


def _plain(token: Token, styles: frozenset[Style]) -> list[Inline]:
    match token.type:
        case "softbreak":
            return [Text("\n", styles)]
        case "hardbreak":
            return [Break()]
        case "code_inline":
            return [Text(token.content, styles | {"code"})]
        case "math_inline" | "math_inline_double":
            if is_formula(token.content):
                return [Formula(token.content.strip(), display=token.type == "math_inline_double")]
            return [Text(f"{token.markup}{token.content}{token.markup}", styles)]
    if not token.content:
        return []
    parts: list[Inline] = []
    last = 0
    for start, end, status in signs_in(token.content):
        parts += [Text(token.content[last:start], styles), Mark(status)]
        last = end
    parts.append(Text(token.content[last:], styles))
    return [part for part in parts if not isinstance(part, Text) or part.text]


def _joined(parts: list[Inline]) -> list[Inline]:
    """Merge runs of one style, and join wrapped lines according to their script."""
    joined: list[Inline] = []
    for part in parts:
        before = joined[-1] if joined else None
        if (
            isinstance(part, Text)
            and isinstance(before, Text)
            and part.styles == before.styles
            and "code" not in part.styles
        ):
            joined[-1] = Text(before.text + part.text, part.styles)
        else:
            joined.append(part)
    return [replace(part, text=_WRAP.sub(_wrapped, part.text)) if isinstance(part, Text) else part for part in joined]


def _wrapped(wrap: re.Match[str]) -> str:
    before, after = wrap.groups(default="")
    return f"{before}{'' if has_cjk(before) and has_cjk(after) else ' '}{after}"
