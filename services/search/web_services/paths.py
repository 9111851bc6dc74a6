"""Paths in an answer: the locations of a service's results and their fields, as given in its record.

`message.items` goes down by names. In a list, `*` is each of its elements and a number is one of them; `link[title=pdf].href`
takes the elements of which a field has this value. What stands once may stand for a list of one, as elements of Atom do.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

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
