"""Plain data that can be stored and shown: its texts without control characters and halves of characters, which JSON can smuggle in."""

from collections.abc import Callable
from typing import Any

from schemas.clean_text import clean_line, clean_text


def sanitize(value: Any) -> Any:
    """Return plain data whose every text is sound; keys, too."""
    return _with(clean_text, value)


def sanitize_lines(value: Any) -> Any:
    """Return plain data whose every text is sound and has one line, as a log needs it."""
    return _with(clean_line, value)


def _with(clean: Callable[[str], str], value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return [_with(clean, element) for element in value]
    if isinstance(value, dict):
        return {_with(clean, key): _with(clean, element) for key, element in value.items()}
    return value
