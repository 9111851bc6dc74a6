"""Converts Atom feeds to the objects of an equivalent JSON answer, so that the same paths apply."""

from itertools import groupby
from typing import Any

from lxml import etree

MAX_DEPTH = 12
"""Maximum nesting of elements; deeper ones are dropped."""


class MalformedFeed(ValueError):
    """The data is not an Atom feed, or declares entities."""


def read_feed(data: bytes) -> dict[str, Any]:
    """Parse a feed: an element becomes an object of its attributes and children, by names without namespaces.

    An element with neither is its text; of several with one name there is a list. Nothing is fetched and no entity is
    expanded: a feed that declares a document type is refused.

    Raises:
        MalformedFeed: the data is not a feed.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise MalformedFeed("it declares a document type")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise MalformedFeed("it is no XML") from error
    if root.getroottree().docinfo.doctype:  # the encoding hid it from the check above
        raise MalformedFeed("it declares a document type")
    if etree.QName(root).localname != "feed":
        raise MalformedFeed("it is no feed")
    return _object(root, MAX_DEPTH)


def _object(element: Any, depth: int) -> dict[str, Any]:
    """Return an element's attributes and children."""
    read: dict[str, Any] = {etree.QName(name).localname: str(value) for name, value in element.attrib.items()}
    for child in element if depth else ():
        if not isinstance(child.tag, str):  # a comment or a processing instruction
            continue
        name = etree.QName(child).localname
        value = _value(child, depth - 1)
        if name not in read:
            read[name] = value
        elif isinstance(read[name], list):
            read[name].append(value)
        else:
            read[name] = [read[name], value]
    return read


def _value(element: Any, depth: int) -> Any:
    if len(element) or element.attrib:
        held = _object(element, depth)
        text = _paragraphs(element.text or "")
        return {**held, "text": text} if text and "text" not in held else held
    return _paragraphs(element.text or "")


def _paragraphs(text: str) -> str:
    """Join the lines of each paragraph, which are wrapped at a fixed width."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    groups = groupby(lines, key=bool)
    return "\n\n".join(" ".join(group) for filled, group in groups if filled)
