"""Renders a parsed page as plain text (Markdown headings, one line per item or row, blank lines between paragraphs), and extracts the links in it."""

import re
from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin

from lxml import etree
from lxml.html import HtmlElement

from services.search.pages.extraction import AROUND, MAX_LINKS

_PARAGRAPH, _LINE = "\x1e", "\x1d"
"""Markers of breaks during rendering; texts cannot hold them, since control characters are removed first."""
_BREAKS = dict.fromkeys(
    "address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form header list main "
    "nav ol p pre quote section summary table tbody tfoot thead title ul h1 h2 h3 h4 h5 h6 head hr code".split(),
    _PARAGRAPH,
) | dict.fromkeys("br item lb li row tr".split(), _LINE)
_VERBATIM = frozenset({"pre", "code"})
_CELLS = frozenset({"cell", "td", "th"})


def render(tree: HtmlElement, skipped: frozenset[str] = frozenset()) -> str:
    """Render a page, or the body that trafilatura extracts, without some elements and what is in them."""
    parts: list[str] = []
    outside = 0
    block: HtmlElement | None = None  # the outermost surrounding element whose line breaks count
    verbatim = False
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        opening = event == "start"
        leaves_out = element.tag in skipped
        if opening:
            outside += leaves_out
            if block is None and element.tag in _VERBATIM:
                block, verbatim = element, any("\n" in text for text in element.itertext())
        if not outside:
            parts.append(_mark(element, opening=opening, verbatim=verbatim))
        if not opening:
            outside -= leaves_out
            if element is block:
                block, verbatim = None, False
        text = element.text if opening else element.tail
        if text and not outside and element is not (None if opening else tree):
            parts.append(text.replace("\n", _LINE) if verbatim else re.sub(r"\s+", " ", text))
    return _joined("".join(parts))


def _mark(element: HtmlElement, *, opening: bool, verbatim: bool) -> str:
    tag = element.tag
    if tag == "code" and not verbatim:
        return ""
    level = re.fullmatch(r"h([1-6])", element.get("rend", "") if tag == "head" else tag)
    if opening and level:
        return f"{_PARAGRAPH}{'#' * int(level[1])} "
    if opening and tag in {"item", "li"}:
        return f"{_LINE}- "
    if opening and tag in _CELLS:
        return "" if element.getprevious() is None else " | "
    return _BREAKS.get(tag, "") if tag not in _CELLS else ""


def _joined(text: str) -> str:
    text = re.sub(rf"(^|[{_LINE}{_PARAGRAPH}])((?:- |#+ ) *)[ {_LINE}{_PARAGRAPH}]+", r"\1\2", text)
    text = re.sub(rf"(?<=[{_LINE}{_PARAGRAPH}])(?:- |#+ )(?=[{_LINE}{_PARAGRAPH}]|$|- |#+ )", "", text)
    text = re.sub(rf"(?<![ {_LINE}])[ {_LINE}]*+{_PARAGRAPH}[ {_LINE}{_PARAGRAPH}]*+", "\n\n", text)
    return re.sub(rf"(?<! ) *+{_LINE}++", "\n", text).strip()


LOOKED_AT = 2_000
"""Maximum links of a page that are examined."""
LONGEST_TEXT, LONGEST_ADDRESS = 150, 500
"""Maximum characters of a link's text and address; longer ones do not name a page."""
_PAID_OR_FOREIGN = frozenset({"sponsored", "ugc"})
"""Marks of links that are paid for, or written by visitors."""


def links_of(tree: HtmlElement, url: str) -> list[tuple[str, str]]:
    """Return addresses and texts of links of a page without hidden elements, in its order, each address once."""
    base = url
    named = tree.find(".//base")
    if named is not None and (absolute := _absolute(url, named.get("href", ""))):
        base = absolute
    links: dict[str, str] = {}
    for link in _in_the_text(tree):
        address = _absolute(base, link.get("href", ""))
        text = " ".join("".join(link.itertext()).split()) if len(address) <= LONGEST_ADDRESS else ""
        if address and address != urldefrag(url).url and 0 < len(text) <= LONGEST_TEXT:
            links.setdefault(address, text)
        if len(links) >= MAX_LINKS:
            break
    return list(links.items())


def _in_the_text(tree: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the links of the text in linear time, without entering the elements around it."""
    waiting, seen = [tree], 0
    while waiting and seen < LOOKED_AT:
        element = waiting.pop()
        if not isinstance(element.tag, str) or element.tag in AROUND or element.get("role") in {"button", "navigation"}:
            continue
        if element.tag == "a":
            seen += 1
            if element.get("href") and _PAID_OR_FOREIGN.isdisjoint(element.get("rel", "").lower().split()):
                yield element
        else:
            waiting += reversed(element)


def _absolute(base: str, href: str) -> str:
    try:
        address = urldefrag(urljoin(base, href.strip())).url
    except ValueError:
        return ""
    return address if address.startswith(("http://", "https://")) else ""
