"""Reasoning that a model shows between `<think>` and `</think>` is no part of its answer."""

import re

OPEN, CLOSE = "<think>", "</think>"
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)


def without_thinking(text: str) -> str:
    """Return a text without its thinking parts, also where the opening tag is missing or the closing one never came."""
    text = _THOUGHT.sub("", text)
    _, closed, rest = text.rpartition(CLOSE)
    text = rest if closed else text
    return text.partition(OPEN)[0].strip()
