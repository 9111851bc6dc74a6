"""Converts Atom feeds to the objects of an equivalent JSON answer, so that the same paths apply."""

import time
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from xml.parsers import expat

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
    expanded: a feed that declares a document type is refused. Blocking; expat reads in linear time, other than libxml2,
    which compares each attribute of an element with all others.

    Raises:
        MalformedFeed: the data is not a feed, has too many elements or attributes, or takes too long.
    """
    reader = _Reader(time.monotonic() + SECONDS)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.StartDoctypeDeclHandler = reader.declared
    parser.StartElementHandler = reader.started
    parser.CharacterDataHandler = reader.written
    parser.EndElementHandler = reader.ended
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError) as error:  # LookupError: the feed names an unknown encoding
        raise MalformedFeed("it is not XML") from error
    return reader.feed


@dataclass(slots=True)
class _Element:
    """An element whose end has not been read."""

    name: str
    object: dict[str, Any]
    """Its attributes and children."""
    text: list[str] = field(default_factory=list)
    """Its text before its first child."""
    has_children: bool = False


class _Reader:
    """Builds the object of a feed while it is parsed."""

    def __init__(self, until: float) -> None:
        self.feed: dict[str, Any] = {}
        self._until = until
        self._open: list[_Element] = []
        self._dropped = 0
        """Nesting below the deepest element that is kept."""
        self._elements = 0

    def declared(self, *_: object) -> None:
        raise MalformedFeed("it declares a document type")

    def started(self, name: str, attributes: list[str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise MalformedFeed(f"it has more than {MAX_ELEMENTS:,} elements")
        if len(attributes) > 2 * MAX_ATTRIBUTES:
            raise MalformedFeed(f"an element has more than {MAX_ATTRIBUTES} attributes")
        if time.monotonic() > self._until:
            raise MalformedFeed(f"parsing it took longer than {SECONDS:g} seconds")
        if not self._open and _local(name) != "feed":
            raise MalformedFeed("it is no feed")
        if self._open:
            self._open[-1].has_children = True
        if self._dropped or len(self._open) > MAX_DEPTH:
            self._dropped += 1
            return
        pairs = zip(attributes[::2], attributes[1::2], strict=True)
        named = {_local(key): value for key, value in pairs if key != "xmlns" and not key.startswith("xmlns:")}
        self._open.append(_Element(_local(name), named))

    def written(self, text: str) -> None:
        if self._open and not self._dropped and not self._open[-1].has_children:
            self._open[-1].text.append(text)

    def ended(self, _: str) -> None:
        if self._dropped:
            self._dropped -= 1
            return
        element = self._open.pop()
        if not self._open:
            self.feed = element.object
            return
        _add(self._open[-1].object, element.name, _value(element))


def _local(name: str) -> str:
    """Return a name without the prefix of its namespace."""
    return name.rpartition(":")[2]


def _add(parent: dict[str, Any], name: str, value: Any) -> None:
    if name not in parent:
        parent[name] = value
    elif isinstance(parent[name], list):
        parent[name].append(value)
    else:
        parent[name] = [parent[name], value]


def _value(element: _Element) -> Any:
    text = _paragraphs("".join(element.text))
    if not element.object and not element.has_children:
        return text
    return {**element.object, "text": text} if text and "text" not in element.object else element.object


def _paragraphs(text: str) -> str:
    """Join the lines of each paragraph, which are wrapped at a fixed width."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    groups = groupby(lines, key=bool)
    return "\n\n".join(" ".join(group) for filled, group in groups if filled)
