"""Rewrites blocks of HTML that stand in Markdown, such as tables, as Markdown."""

import re
from html import escape

from lxml import html
from lxml.html import HtmlElement
from markdownify import markdownify

from services.search.files.shown_html import as_shown, cells_in_lines

_LITERAL = re.compile(r"(?<!`)`[^`\n]{1,300}+`(?!`)")
"""Code in the Markdown of a cell, whose signs are no tags."""
_ROW = re.compile(r"(?m)^\|[^\n]*+$")
_GAP = re.compile(r"(?<=[^\s|]) {2,}+(?=[^\s|])")
"""Between lines or paragraphs of a cell."""


def as_markdown(block: str) -> str:
    """Return a block of HTML as Markdown; what is no HTML, as it is written."""
    try:
        literal = _LITERAL.sub(lambda code: escape(code[0], quote=False), block)
        tree = html.fragment_fromstring(literal, create_parent="div")
    except (html.etree.ParserError, ValueError):  # nothing but comments, or characters that no HTML holds
        return block
    for summary in tree.iter("summary"):
        _set_apart(summary)
    for picture in tree.xpath(".//img[not(normalize-space(@alt))]"):
        picture.drop_tree()
    as_shown(tree)
    cells_in_lines(tree)
    written = markdownify(
        html.tostring(tree, encoding="unicode"),
        heading_style="ATX",
        bullets="-",
        table_infer_header=True,
        escape_asterisks=False,
        escape_underscores=False,
    )
    return _ROW.sub(lambda row: _GAP.sub(" ", row[0]), written.strip("\n"))


def _set_apart(summary: HtmlElement) -> None:
    """Make the title of a part that opens and closes a bold paragraph."""
    title = summary.makeelement("strong")
    title.text, summary.text = summary.text, None
    title.extend(list(summary))
    summary.append(title)
    summary.tag = "p"
