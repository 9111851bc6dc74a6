"""Reads Markdown into blocks: a finished report, or what a model wrote, of which nothing stays that links, loads or runs."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from schemas.document import (
    Alignment,
    Block,
    Code,
    Display,
    Heading,
    Inlines,
    Listing,
    Paragraph,
    Quotation,
    Rule,
    Table,
    Text,
)
from schemas.evidence import EXCERPT_ID, Excerpt
from services.evidence.citation_forms import plain_citations
from services.reports.inlines import PARSER, inert, inert_code, inlines, is_formula, with_dollars
from services.reports.statuses import without_signs

MAX_COLUMNS = 40
"""Maximum columns of a table; a wider one is a paragraph, since each row is padded with cells."""
_DEFINES = re.compile(rf"(?m)^([ ]{{0,3}}\[{EXCERPT_ID}\]):")
"""A citation that begins a line, and that Markdown would take for the definition of a link."""
_PRIVATE = re.compile("[\ue000-\ue003\x00]")
_SCRIPT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>]*>|<[!?][^<>]*>", re.DOTALL)


def read_markdown(markdown: str) -> tuple[Block, ...]:
    """Read a finished report; HTML, images and other active Markdown become plain text."""
    return _Reader(markdown).read()


def is_active(markdown: str) -> bool:
    """Tell whether Markdown holds HTML or an image, which a report never does."""
    tokens = PARSER.parse(markdown) if "<" in markdown or "![" in markdown else []
    kinds = {part.type for token in tokens for part in (token, *(token.children or []))}
    return not kinds.isdisjoint({"html_block", "html_inline", "image"})


def read_draft(markdown: str, excerpts: Mapping[str, Excerpt] = MappingProxyType({})) -> tuple[Block, ...]:
    """Read what a model wrote.

    Args:
        markdown: with citations in any of the forms that models write.
        excerpts: what may be cited, by id: ids without brackets are told from other words by it, and an address that a quote
            names stays, as code.
    """
    plain = plain_citations(_PRIVATE.sub("", markdown.replace("\r\n", "\n")), excerpts)
    evidence = "\n".join(excerpt.quote for excerpt in excerpts.values())
    return _Reader(with_dollars(_DEFINES.sub(r"\1\\:", without_signs(plain))), evidence, drafted=True).read()


class _Reader:
    """Converts the parser's tree to blocks."""

    def __init__(self, markdown: str, evidence: str = "", *, drafted: bool = False) -> None:
        self._markdown = markdown
        self._evidence = evidence
        self._drafted = drafted
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
        return self._blocks(SyntaxTreeNode(PARSER.parse(self._markdown)).children)

    def _blocks(self, nodes: Sequence[SyntaxTreeNode]) -> tuple[Block, ...]:
        return tuple(
            self._kinds[node.type](node) if node.type in self._kinds else self._as_text(node.content) for node in nodes
        )

    def _content(self, node: SyntaxTreeNode) -> Inlines:
        token = node.children[0].token if node.children else None
        return self._inlines((token.children or []) if token else [])

    def _inlines(self, tokens: Sequence[Token]) -> Inlines:
        content = inlines(tokens, drafted=self._drafted)
        return inert(content, self._evidence) if self._drafted else content

    def _as_text(self, text: str) -> Paragraph:
        return Paragraph(self._inlines(PARSER.parseInline(text.strip())[0].children or []))

    def _html(self, node: SyntaxTreeNode) -> Paragraph:
        if self._drafted:
            return self._as_text(_TAG.sub("", _SCRIPT.sub("", node.content)))
        return Paragraph((Text(" ".join(node.content.split())),))

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
        aligned = tuple(_alignment(str(cell.attrs.get("style", ""))) for cell in rows[0].children)
        return Table(header, tuple(body), aligned)

    def _code(self, node: SyntaxTreeNode) -> Code:
        text = inert_code(node.content, self._evidence) if self._drafted else node.content
        return Code(text.rstrip("\n"), re.split(r"[^\w+-]", node.info.strip())[0])

    def _formula(self, node: SyntaxTreeNode) -> Block:
        latex = node.content.strip()
        return Display(latex) if is_formula(latex) else Paragraph((Text(f"$${latex}$$"),))


def _alignment(style: str) -> Alignment:
    for side in ("left", "center", "right"):
        if side in style:
            return side
    return ""
