"""The links of a page that a person sees in its text, as far as they may lead to another page to read.

It runs where text is extracted, in a process that is locked in. What a link says is kept as data; which are followed is decided
elsewhere (`services/search/followed_links.py`).
"""

from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin

from lxml.html import HtmlElement

LOOKED_AT = 2_000
"""Links of a page that are looked at."""
MAX_LINKS = 100
"""Links of a page that are kept, the first ones."""
LONGEST_TEXT, LONGEST_ADDRESS = 150, 500
"""Characters of a link's text, and of its address; what is longer names no page."""
AROUND = frozenset("nav footer aside form button menu head".split())
"""Elements around the text of a page, and forms: what stands in them leads nowhere."""
_PAID_OR_FOREIGN = frozenset({"sponsored", "ugc"})
"""What a link may be marked as: paid for, or written by visitors of the page."""


def links_of(tree: HtmlElement, url: str) -> list[tuple[str, str]]:
    """Return addresses and texts of links, in the order of the page, each address once.

    Args:
        tree: the page, without what is hidden.
        url: of the page.
    """
    base = url
    named = tree.find(".//base")
    if named is not None and (absolute := _absolute(url, named.get("href", ""))):
        base = absolute
    found: dict[str, str] = {}
    for link in _in_the_text(tree):
        address = _absolute(base, link.get("href", ""))
        text = " ".join("".join(link.itertext()).split()) if len(address) <= LONGEST_ADDRESS else ""
        if address and address != urldefrag(url).url and 0 < len(text) <= LONGEST_TEXT:
            found.setdefault(address, text)
        if len(found) >= MAX_LINKS:
            break
    return list(found.items())


def _in_the_text(tree: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the links of the text, in linear time: what stands around the text is not entered."""
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
    """Return an address of the web without its fragment; empty where it is none."""
    try:
        address = urldefrag(urljoin(base, href.strip())).url
    except ValueError:
        return ""
    return address if address.startswith(("http://", "https://")) else ""
