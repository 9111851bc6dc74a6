"""Extracts the links in a page's visible text that may lead to other pages to read.

It runs in the confined process that extracts text. The text of a link is data; the selection of links to follow is
elsewhere (`services/search/followed_links.py`).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LOOKED_AT = 2_000
"""Maximum links of a page that are examined."""
MAX_LINKS = 100
"""Maximum links of a page that are kept, in order."""
LONGEST_TEXT, LONGEST_ADDRESS = 150, 500
"""Maximum characters of a link's text and address; longer ones do not name a page."""
AROUND = frozenset("nav footer aside form button menu head".split())
"""Elements around a page's text, and forms, whose links are ignored."""
_PAID_OR_FOREIGN = frozenset({"sponsored", "ugc"})
"""Marks of links that are paid for, or written by visitors."""


def links_of(tree: "HtmlElement", url: str) -> list[tuple[str, str]]:
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


def _in_the_text(tree: "HtmlElement") -> Iterator["HtmlElement"]:
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
    """Return an absolute web address without its fragment, or an empty text."""
    try:
        address = urldefrag(urljoin(base, href.strip())).url
    except ValueError:
        return ""
    return address if address.startswith(("http://", "https://")) else ""
