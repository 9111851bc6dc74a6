"""Reads Markdown into blocks: a finished report, or what a model wrote, of which nothing stays that links, loads or runs."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from textwrap import dedent
from types import MappingProxyType
from typing import TypeGuard
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin

from schemas.document import (
    Alignment,
    Block,
    Break,
    Citation,
    Code,
    Display,
    Formula,
    Heading,
    Inline,
    Inlines,
    Link,
    Listing,
    Mark,
    Paragraph,
    Quotation,
    Rule,
    Style,
    Table,
    Text,
)
from schemas.evidence import EXCERPT_ID, Excerpt
from services.reports.charts.written import is_table_of, read_comment
from services.reports.citation_forms import INFERENCE, plain_citations
from services.reports.formulas import is_formula, with_dollars
from services.reports.statuses import signs_in, without_signs
from services.text.quotable import URL
from services.text.quote_location import LINK
from services.text.tokens import has_cjk

_CITED = re.compile(rf"\[({EXCERPT_ID}|{INFERENCE})\]")
MAX_COLUMNS = 40
"""Maximum columns of a table; a wider one is a paragraph, since each row is padded with cells."""
_DEFINES = re.compile(rf"(?m)^([ ]{{0,3}}\[{EXCERPT_ID}\]):")
"""A citation that begins a line, and that Markdown would take for the definition of a link."""
_FOOTNOTE = re.compile(r"(?m)^[ ]{0,3}\[\^[\w-]{1,40}\]:[ \t]*+(?=\S)")
"""The number of a footnote before its text, which is a paragraph."""
_PRIVATE = re.compile("[\ue000-\ue003\x00]")
_SCRIPT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>]*>|<[!?][^<>]*>", re.DOTALL)


def _citation(state: StateInline, silent: bool) -> bool:
    """Read an excerpt's id in brackets as a token of its own."""
    match = _CITED.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.push("citation", "", 0).content = match[1]
    state.pos = match.end()
    return True


class _Drafts(MarkdownIt):
    """A parser that reads every link, since of a draft's links only the words stay."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's name
        return True


def _prepared(parser: MarkdownIt) -> MarkdownIt:
    parser.enable("table")
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    parser.inline.ruler.before("link", "citation", _citation)
    return parser


PARSER, _DRAFTS = _prepared(MarkdownIt("commonmark")), _prepared(_Drafts("commonmark"))
_STYLES: dict[str, Style] = {"strong": "strong", "em": "emphasis"}
_ALIGNED: dict[str, Alignment] = {"text-align:left": "left", "text-align:center": "center", "text-align:right": "right"}
_BOLD = re.compile(r"\*\*(?:(?<![A-Za-z0-9]\*\*)|(?![A-Za-z0-9]))")
"""A mark of bold text: not between letters or digits of one word."""
_WRAP = re.compile(r"(?:([^ \t\n])|(?<![ \t]))[ \t]*+\n[ \t]*+(.?)")
"""A line break with the characters on both sides."""
_NUMBER = re.compile(r"\[(\d{1,6})\]")
_INVENTED = re.compile(
    r"\[\^?(?:[ESP]?\d+(?:[-,，、–\s]+[ESP]?\d+)*|citation needed)\](?!\()|【[^】]{0,20}†[^】]{0,40}】", re.IGNORECASE
)
"""A citation in a form that means nothing here."""
_SHOWN = str.maketrans("❲❴❨", "[{(")
"""Brackets that prompts show in place of those that could open a tag (`prompts/data.py`)."""
BEFORE = 20
"""Characters before a mark in brackets by which it is found in the evidence."""
_GONE = "\0"
"""Stands for what was taken out, until the brackets around it are, too."""
_EMPTY_BRACKETS = re.compile(
    rf"(?:(?<![ \t])[ \t]++)?(?:\(\s*+{_GONE}[\s{_GONE}]*+\)|\[\s*+{_GONE}[\s{_GONE}]*+\]|（\s*+{_GONE}[\s{_GONE}]*+）|{_GONE}(?=[.,;:!?]))|{_GONE}"
)


def inert(content: Inlines, evidence: str) -> Inlines:
    """Take addresses and citations in invented forms out of a draft's text; an address that the evidence names stays, as code, and a bracket that stands so in it."""
    parts: list[Inline] = []
    for inline in content:
        if not isinstance(inline, Text):
            parts.append(inline)
        elif "code" in inline.styles:
            parts.append(replace(inline, text=inert_code(inline.text, evidence)))
        else:
            last = 0
            text = _INVENTED.sub(lambda match: match[0] if _stands_so(match, evidence) else _GONE, inline.text)
            for match in URL.finditer(text):
                parts.append(replace(inline, text=text[last : match.start()]))
                known = match[0] in evidence
                parts.append(Text(match[0], inline.styles | {"code"}) if known else replace(inline, text=_GONE))
                last = match.end()
            parts.append(replace(inline, text=text[last:]))
    shown = joined(parts)
    return tuple(replace(part, text=_EMPTY_BRACKETS.sub("", part.text)) if _is_words(part) else part for part in shown)


def _stands_so(bracket: re.Match[str], evidence: str) -> bool:
    """Tell whether numbers in brackets are a range or a list of the evidence, such as `[1, 30000]`, or a mark that it has behind the same words."""
    numbers = _without_blanks(bracket[0])
    before = "" if "," in numbers else _without_blanks(bracket.string[: bracket.start()][-BEFORE:])
    return ("," in numbers or len(before) > 1) and before + numbers in _without_blanks(LINK.sub("", evidence))


@lru_cache(maxsize=4)
def _without_blanks(text: str) -> str:
    """Return a text without blanks, and with one form of commas."""
    return "".join(text.split()).replace("，", ",")


def inert_code(text: str, evidence: str) -> str:
    """Take citations and addresses that the evidence does not name out of code, and put brackets in that prompts show in other forms."""
    text = text.translate(_SHOWN if "›" in text else {**_SHOWN, ord("‹"): "<"})
    return URL.sub(lambda match: match[0] if match[0] in evidence else "", _CITED.sub("", text))


def _link(token: Token, shown: Sequence[Token]) -> Inline:
    lines = ("\n" if part.type in {"softbreak", "hardbreak"} else part.content for part in shown)
    text = _WRAP.sub(_wrapped, "".join(lines))
    href = str(token.attrs.get("href", ""))
    if href.startswith("sources/"):
        href = unquote(href)  # the parser encodes the letters of other scripts
    number = _NUMBER.fullmatch(text)
    return Citation(int(number.group(1)), href) if number else Link(text, href)


def _with_bold(content: Sequence[Inline]) -> Iterable[Inline]:
    """Read `**` that the parser left as characters: beside Chinese letters they begin or end no bold text by its rules; `2**25` is a power."""
    count = sum(len(_BOLD.findall(part.text)) for part in content if _is_words(part))
    bold = False
    for part in content:
        if not (count and _is_words(part)):
            yield replace(part, styles=part.styles | {"strong"}) if bold and isinstance(part, Text) else part
            continue
        for place, piece in enumerate(_BOLD.split(part.text)):
            bold ^= place > 0 and count % 2 == 0
            if piece:
                yield replace(part, text=piece, styles=part.styles | {"strong"} if bold else part.styles)


def _is_words(part: Inline) -> TypeGuard[Text]:
    return isinstance(part, Text) and "code" not in part.styles


def joined(parts: Iterable[Inline]) -> Inlines:
    """Merge runs of one style, and join wrapped lines according to their script."""
    merged: list[Inline] = []
    filled = (part for part in parts if not isinstance(part, Text) or part.text)
    for styles, run in groupby(filled, lambda part: part.styles if _is_words(part) else None):
        alike = list(run)
        if styles is not None:
            alike = [Text("".join(part.text for part in alike if isinstance(part, Text)), styles)]
        merged += alike
    return tuple(
        replace(part, text=_WRAP.sub(_wrapped, part.text)) if isinstance(part, Text) else part for part in merged
    )


def _wrapped(wrap: re.Match[str]) -> str:
    before, after = wrap.groups(default="")
    return f"{before}{'' if has_cjk(before) and has_cjk(after) else ' '}{after}"


def read_markdown(markdown: str) -> tuple[Block, ...]:
    """Read a finished report; HTML, images and other active Markdown become plain text."""
    return _Reader(markdown).read()


def read_draft(markdown: str, excerpts: Mapping[str, Excerpt] = MappingProxyType({})) -> tuple[Block, ...]:
    """Read what a model wrote, with citations in any of the forms that models write.

    By the excerpts, by id, ids without brackets are told from other words; an address that a quote names stays, as code.
    """
    plain = without_signs(plain_citations(_PRIVATE.sub("", markdown.replace("\r\n", "\n")), excerpts))
    evidence = "\n".join(excerpt.quote for excerpt in excerpts.values())
    return _Reader(with_dollars(_FOOTNOTE.sub("", _DEFINES.sub(r"\1\\:", plain))), evidence, drafted=True).read()


class _Reader:
    """Converts the parser's tree to blocks."""

    def __init__(self, markdown: str, evidence: str = "", *, drafted: bool = False) -> None:
        self._markdown = markdown
        self._evidence = evidence
        self._drafted = drafted
        self._parser = _DRAFTS if drafted else PARSER
        self._kinds: dict[str, Callable[[SyntaxTreeNode], Block]] = {
            "paragraph": lambda node: Paragraph(self._content(node)),
            "heading": lambda node: Heading(int(node.tag[1]), self._content(node)),
            "bullet_list": self._list,
            "ordered_list": self._list,
            "blockquote": lambda node: Quotation(self._blocks(node.children)),
            "table": self._table,
            "fence": self._code,
            "code_block": self._code,
            "html_block": self._html,
            "math_block": self._formula,
            "hr": lambda _: Rule(),
        }

    def read(self) -> tuple[Block, ...]:
        return self._blocks(SyntaxTreeNode(self._parser.parse(self._markdown)).children)

    def _blocks(self, nodes: Sequence[SyntaxTreeNode]) -> tuple[Block, ...]:
        blocks: list[Block] = []
        for node in nodes:
            block = self._kinds[node.type](node) if node.type in self._kinds else self._as_text(node.content)
            if blocks and node.type == "html_block" and is_table_of(blocks[-1], block):
                blocks.pop()
            blocks.append(block)
        return tuple(blocks)

    def _content(self, node: SyntaxTreeNode) -> Inlines:
        token = node.children[0].token if node.children else None
        return self._inlines((token.children or []) if token else [])

    def _inlines(self, tokens: Sequence[Token]) -> Inlines:
        """Convert the children of an `inline` token; of those that a model wrote links and images become their words, and HTML goes."""
        content: list[Inline] = []
        styles: list[Style] = []
        place, script = 0, False
        while place < len(tokens):
            token = tokens[place]
            name, _, side = token.type.rpartition("_")
            if self._drafted and token.type == "html_inline":
                script = re.match(r"<(?:script|style)\b", token.content, re.IGNORECASE) is not None
                content += [Text(" ")] if token.content.lower().startswith("<br") else []
            elif token.type == "link_open" and not self._drafted:
                end = next(at for at in range(place, len(tokens)) if tokens[at].type == "link_close")
                content.append(_link(token, tokens[place + 1 : end]))
                place = end
            elif name in _STYLES:
                if side == "open":
                    styles.append(_STYLES[name])
                else:
                    styles.remove(_STYLES[name])
            elif not script:
                content += self._plain(token, frozenset(styles))
            place += 1
        return inert(joined(_with_bold(content)), self._evidence) if self._drafted else joined(content)

    def _plain(self, token: Token, styles: frozenset[Style]) -> list[Inline]:
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
            case "citation" if self._drafted:
                return [Mark("inferred") if token.content == INFERENCE else Citation(0, "", (token.content,))]
            case "citation":
                return [Text(f"[{token.content}]", styles)]
        parts: list[Inline] = []
        last = 0
        for start, end, status in () if self._drafted else signs_in(token.content):
            parts += [Text(token.content[last:start], styles), Mark(status)]
            last = end
        return [*parts, Text(token.content[last:], styles)]

    def _as_text(self, text: str) -> Paragraph:
        return Paragraph(self._inlines(self._parser.parseInline(text.strip())[0].children or []))

    def _html(self, node: SyntaxTreeNode) -> Block:
        if self._drafted:
            return self._as_text(_TAG.sub("", _SCRIPT.sub("", node.content)))
        return read_comment(node.content) or Paragraph((Text(" ".join(node.content.split())),))

    def _list(self, node: SyntaxTreeNode) -> Listing:
        tight = all(child.hidden for item in node.children for child in item.children if child.type == "paragraph")
        items = tuple(self._blocks(item.children) for item in node.children)
        return Listing(items, node.type == "ordered_list", int(node.attrs.get("start", 1)), tight)

    def _table(self, node: SyntaxTreeNode) -> Block:
        rows = [row for part in node.children for row in part.children]
        if len(rows[0].children) > MAX_COLUMNS:
            first, last = node.map or (0, 0)
            return self._as_text("\n".join(self._markdown.split("\n")[first:last]))
        header, *body = (tuple(map(self._content, row.children)) for row in rows)
        aligned = tuple(_ALIGNED.get(str(cell.attrs.get("style")), "") for cell in rows[0].children)
        return Table(header, tuple(body), aligned)

    def _code(self, node: SyntaxTreeNode) -> Code:
        text = inert_code(node.content, self._evidence) if self._drafted else node.content
        return Code(dedent(text.rstrip("\n")), re.split(r"[^\w+-]", node.info.strip())[0])

    def _formula(self, node: SyntaxTreeNode) -> Block:
        latex = node.content.strip()
        return Display(latex) if is_formula(latex) else Paragraph((Text(f"$${latex}$$"),))
