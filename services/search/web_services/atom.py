"""Converts Atom feeds to the objects of an equivalent JSON answer, so that the same paths apply."""

import time
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

MAX_DEPTH = 12
"""Maximum nesting of elements; deeper ones are dropped."""
MAX_ELEMENTS = 100_000
"""Maximum elements of a feed; a feed of 200 papers with 50 authors each has 22,000."""
MAX_ATTRIBUTES = 100
"""Maximum attributes of one element; an element of a feed has six at most."""
SECONDS = 5.0
"""Maximum time for parsing a feed."""


class MalformedFeed(ValueError):
    """The data is not an Atom feed, declares entities, or is beyond the limits of a feed."""


def read_feed(data: bytes) -> dict[str, Any]:
    """Parse a feed: an element becomes an object of its attributes and children, by names without namespaces.

    An element with neither is its text; of several with one name there is a list. Nothing is fetched and no entity is
    expanded: a feed that declares a document type is refused. Blocking; expat, which parses, reads in linear time.

    Raises:
        MalformedFeed: the data is not a feed, has too many elements or attributes, or takes too long.
    """
    parser = ElementTree.XMLParser(target=_Bounded())  # noqa: S314 - the target refuses what is dangerous
    try:
        parser.feed(data)
        feed: ElementTree.Element = parser.close()
    except (ElementTree.ParseError, LookupError) as error:  # LookupError: the feed names an unknown encoding
        raise MalformedFeed("it is not XML") from error
    return _object(feed, 0)


class _Bounded(ElementTree.TreeBuilder):
    def __init__(self) -> None:
        super().__init__()
        self._until = time.monotonic() + SECONDS
        self._elements = 0

    def doctype(self, *_: object) -> None:
        raise MalformedFeed("it declares a document type")

    def start(self, tag: Any, attrs: dict[Any, Any], /) -> ElementTree.Element:
        if not self._elements and _local(tag) != "feed":
            raise MalformedFeed("it is no feed")
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise MalformedFeed(f"it has more than {MAX_ELEMENTS:,} elements")
        if len(attrs) > MAX_ATTRIBUTES:
            raise MalformedFeed(f"an element has more than {MAX_ATTRIBUTES} attributes")
        if time.monotonic() > self._until:
            raise MalformedFeed(f"parsing it took longer than {SECONDS:g} seconds")
        return super().start(tag, attrs)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _object(element: ElementTree.Element, depth: int) -> dict[str, Any]:
    fields: dict[str, Any] = {_local(name): value for name, value in element.attrib.items()}
    for child in element if depth < MAX_DEPTH else ():
        name, value = _local(child.tag), _value(child, depth + 1)
        if isinstance(fields.get(name), list):
            fields[name].append(value)
        else:
            fields[name] = [fields[name], value] if name in fields else value
    return fields


def _value(element: ElementTree.Element, depth: int) -> Any:
    text = _paragraphs(element.text or "")
    if not element.attrib and not len(element):
        return text
    fields = _object(element, depth)
    return {**fields, "text": text} if text and "text" not in fields else fields


def _paragraphs(text: str) -> str:
    """Join the lines of each paragraph, which are wrapped at a fixed width."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    groups = groupby(lines, key=bool)
    return "\n\n".join(" ".join(group) for filled, group in groups if filled)
