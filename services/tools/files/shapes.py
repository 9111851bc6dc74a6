"""The shape of JSON: keys and types of its objects, which describe a large file in a few lines."""

import json
from typing import Any

MAX_DEPTH = 6
MAX_KEYS = 40
_SAMPLE = 200
"""Number of items of an array from which the shape of its items is derived."""


def parse_json(text: str) -> tuple[Any, int]:
    """Parse JSON, or JSON lines.

    Returns:
        The value, and the number of lines, 0 for plain JSON.

    Raises:
        ValueError: the text is neither.
    """
    try:
        return json.loads(text), 0
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        problem = f"it is no JSON: {error.msg} in line {error.lineno}"
    except ValueError:
        raise ValueError("it holds a number that is too long") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        raise ValueError(problem)
    try:
        return [json.loads(line) for line in lines], len(lines)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError(problem) from None


def shape(value: Any, depth: int = 0) -> str:
    """Describe a JSON value: `{name: text, years: [3 × number]}`."""
    if isinstance(value, dict):
        if depth >= MAX_DEPTH:
            return "{…}"
        parts = [f"{key[:60]}: {shape(item, depth + 1)}" for key, item in list(value.items())[:MAX_KEYS]]
        return _object(parts, len(value))
    if isinstance(value, list):
        if not value:
            return "[]"
        return f"[{len(value):,} × {_merged(value[:_SAMPLE], depth + 1)}]"
    return _kind(value)


def _merged(items: list[Any], depth: int) -> str:
    """Describe the items of an array together; keys that some items lack are marked."""
    if all(isinstance(item, dict) for item in items) and depth < MAX_DEPTH:
        keys = list(dict.fromkeys(key for item in items for key in item))
        parts = []
        for key in keys[:MAX_KEYS]:
            held = [item[key] for item in items if key in item]
            parts.append(f"{key[:60]}{'' if len(held) == len(items) else '?'}: {_merged(held, depth + 1)}")
        return _object(parts, len(keys))
    return " or ".join(dict.fromkeys(shape(item, depth + 1) for item in items[:5]))


def _object(parts: list[str], keys: int) -> str:
    more = f", … {keys - MAX_KEYS:,} more" if keys > MAX_KEYS else ""
    return f"{{{', '.join(parts)}{more}}}"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true/false"
    return "number" if isinstance(value, (int, float)) else "text"
