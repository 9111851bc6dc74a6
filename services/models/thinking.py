"""Reasoning that a model shows between `<think>` and `</think>` is no part of its answer."""

import re

OPEN, CLOSE = "<think>", "</think>"
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)


def without_thinking(text: str) -> str:
    """Return a text without its thinking parts, also where the opening tag is missing or the closing one never came."""
    end = text.lower().rfind(CLOSE) + len(CLOSE)
    if end >= len(
        CLOSE
    ):  # behind the last closing tag no thought ends, and looking for the end of each would take long
        text = _THOUGHT.sub("", text[:end]) + text[end:]
    _, closed, rest = text.rpartition(CLOSE)
    text = rest if closed else text
    return text.partition(OPEN)[0].strip()
