"""Answers of services: Atom feeds become the objects of an equivalent JSON answer, and paths of a record lead to its results and their fields.

`message.items` goes down by names. In a list, `*` is each of its elements and a number is one of them; `link[title=pdf].href`
takes the elements of which a field has this value. What stands once may stand for a list of one, as elements of Atom do.
"""

import re
import time
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple
from xml.etree import ElementTree

MAX_VALUES = 500
"""Maximum values that one path returns; the others are dropped."""
_SEGMENT = re.compile(r"([^.\[\]=*{}]+|\*)((?:\[[^\[\]=]+=[^\[\]=]*\])*)")
_CONDITION = re.compile(r"\[([^\[\]=]+)=([^\[\]=]*)\]")


class PathStep(NamedTuple):
    """One step of a path."""

    name: str
    conditions: tuple[tuple[str, str], ...]
    """Fields and their required values."""


@lru_cache(maxsize=1_024)
def steps(path: str) -> tuple[PathStep, ...]:
    """Parse a path.

    Raises:
        ValueError: the text is not a path.
    """
    path_steps: list[PathStep] = []
    place = 0
    while match := _SEGMENT.match(path, place):
        path_steps.append(PathStep(match[1], tuple(_CONDITION.findall(match[2]))))
        place = match.end()
        if place == len(path):
            return tuple(path_steps)
        if path[place] != ".":
            break
        place += 1
    raise ValueError(f"{path!r} is not a path; write it like message.items or authors.*.name")


def values_at(value: Any, path: str) -> list[Any]:
    """Return all values at a path, in order; empty if there are none."""
    values = [value]
    for step in steps(path) if path else ():
        values = [child for parent in values for child in _children(parent, step.name)][:MAX_VALUES]
        if step.conditions:
            elements = [element for child in values for element in listed(child)]
            values = [element for element in elements if _meets(element, step.conditions)][:MAX_VALUES]
    return values


def listed(value: Any) -> list[Any]:
    """Return a list unchanged, and any other value as a list of one item."""
    return value if isinstance(value, list) else [value]


def scalar(value: Any) -> str:
    """Return a text or a number as a text; for a list, its first such item; else an empty text."""
    for element in listed(value)[:MAX_VALUES]:
        if isinstance(element, str) and element.strip():
            return element
        if isinstance(element, int | float) and not isinstance(element, bool):
            return str(element)
    return ""


def meets(value: Any, condition: str) -> bool:
    """Tell whether a value meets a condition: `total=0`, `batchcomplete=true`, or `!query` if the path does not exist."""
    if condition.startswith("!"):
        return not values_at(value, condition[1:])
    path, _, wanted = condition.partition("=")
    return any(_written(actual) == wanted for actual in values_at(value, path))


def _children(parent: Any, name: str) -> list[Any]:
    if name == "*":
        return [element for element in listed(parent) if element is not None]
    if isinstance(parent, dict):
        child = parent.get(name)
    elif name.isdecimal() and isinstance(parent, list):
        child = parent[int(name)] if int(name) < len(parent) else None
    else:
        child = None
    return [] if child is None else [child]


def _meets(element: Any, conditions: tuple[tuple[str, str], ...]) -> bool:
    return isinstance(element, dict) and all(_written(element.get(name)) == wanted for name, wanted in conditions)


def _written(value: Any) -> str:
    """Return a value as a record writes it; empty if it is not a text, number or truth value."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


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
