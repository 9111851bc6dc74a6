"""Converts abstracts and titles to plain text: HTML and JATS markup, and OpenAlex' inverted indexes."""

import re
from typing import Any

from services.text.character_references import unescape

MAX_WORDS = 20_000
"""Maximum words of an abstract in an inverted index."""
_BREAK = re.compile(
    r"</?(?:jats:)?(?:p|br|div|li|ul|ol|h[1-6]|sec|title|list|list-item|disp-formula)(?:\s[^<>]*)?/?>", re.IGNORECASE
)
_TAG = re.compile(r"<(?:/?[a-zA-Z][^<>]*|!--[^<>]*--)>")
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0]+")
_HEADING = re.compile(r"^(?:abstract|summary)\s*\n", re.IGNORECASE)


def without_markup(text: str) -> str:
    """Return the plain text of HTML or JATS in linear time: blocks become lines, tags are dropped, entities decoded once."""
    broken = _TAG.sub("", _BREAK.sub("\n", text))
    lines = (_BLANKS.sub(" ", line).strip() for line in unescape(broken).split("\n"))
    return _HEADING.sub("", "\n".join(line for line in lines if line))


def from_inverted_index(index: Any) -> str:
    """Return the text of an inverted index `{word: [places]}`; malformed parts are dropped."""
    if not isinstance(index, dict):
        return ""
    placed: list[tuple[int, str]] = []
    for word, places in index.items():
        if isinstance(places, list):
            room = MAX_WORDS - len(placed)
            placed += [(place, word) for place in places[:room] if isinstance(place, int) and place >= 0]
    return " ".join(word for _, word in sorted(placed))
