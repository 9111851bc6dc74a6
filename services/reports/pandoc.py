"""Nodes of the trees from which Pandoc makes documents: https://hackage.haskell.org/package/pandoc-types.

Styles are named as in `reference.docx`.
"""

import base64
from collections.abc import Sequence
from typing import Any

from schemas.clean_text import clean_text
from services.reports.references import is_web_link

WIDE, HIGH = 6.4, 8.0
"""Maximum size of a picture in inches."""
Node = dict[str, Any]


def element(kind: str, *content: Any) -> Node:
    """Return a node of a kind with its content."""
    return {"t": kind, "c": content[0] if len(content) == 1 else content} if content else {"t": kind}


def attributed(name: str = "", **values: str) -> list[Any]:
    """Return the attributes of a node: its name, and values by their keys."""
    return [name, [], [[key.replace("_", "-"), value] for key, value in values.items()]]


def plain(text: str) -> Node:
    """Return a text, in which nothing is markup."""
    return element("Str", clean_text(text))


def broken(text: str) -> list[Node]:
    """Return a text with its line ends."""
    return [node for line in text.split("\n") for node in (element("LineBreak"), plain(line))][1:]


def styled(style: str, inlines: Sequence[Node], name: str = "") -> Node:
    """Return inlines in a style of characters."""
    return element("Span", attributed(name, **({"custom_style": style} if style else {})), inlines)


def paragraph(style: str, inlines: Sequence[Node], side: str = "") -> Node:
    """Return a paragraph in a style; `side` is the direction of its script, where it is not the document's."""
    attributes = attributed(custom_style=style, **({"dir": side} if side else {}))
    return element("Div", attributes, [element("Para", inlines)])


def linked(text: str, link: str) -> Node:
    """Return a link to the web, or into the document; of other links only the text."""
    known = is_web_link(link) or link.startswith("#")
    return element("Link", attributed(), [plain(text)], [clean_text(link), ""]) if known else plain(text)


def image(png: bytes, wide: float, high: float, label: str) -> Node:
    """Return a picture on its own line, at its pixel size or as large as the page permits."""
    inches = min(1 / 96, WIDE / wide, HIGH / high)
    size = attributed(width=f"{wide * inches:.2f}in", height=f"{high * inches:.2f}in")
    data = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return paragraph("Figure", [element("Image", size, [plain(label)], [data, ""])])
