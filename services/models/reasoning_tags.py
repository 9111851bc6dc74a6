"""Reasoning that a model shows between `<think>` and `</think>` is no part of its answer."""

import re

OPEN, CLOSE = "<think>", "</think>"
_TAG = re.compile(r"</?think>", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """Return a text without its thinking parts, also where the opening tag is missing or the closing one never came."""
    text = _without_pairs(text)
    _, closed, rest = text.rpartition(CLOSE)
    text = rest if closed else text
    return text.partition(OPEN)[0].strip()


def _without_pairs(text: str) -> str:
    """Take out what stands between an opening tag and the next closing one, in one pass."""
    pieces: list[str] = []
    end, start = 0, -1
    for tag in _TAG.finditer(text):
        closes = tag.group().startswith("</")
        if start < 0 and not closes:
            start = tag.start()
        elif start >= 0 and closes:
            pieces.append(text[end:start])
            end, start = tag.end(), -1
    return "".join([*pieces, text[end:]])
