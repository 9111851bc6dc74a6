"""Decodes HTML's character references in texts from outside."""

import html
import re

_LONG = re.compile(r"&#\d{8,}+;?")
"""A number beyond all characters; Python refuses to read numbers of more than 4,300 digits."""


def unescape(text: str) -> str:
    """Return a text with its references as characters, in linear time; U+FFFD stands for characters that do not exist."""
    return html.unescape(_LONG.sub("\ufffd", text))
