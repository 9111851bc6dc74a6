"""Types of searchable files, their limits, and the result of a conversion."""

from typing import Any

from typing_extensions import TypedDict

MAX_BYTES = 50_000_000
MAX_CHARACTERS = 50_000_000
"""Maximum characters of a document's text; a small file can unpack to a long text."""
NO_TEXT = "holds no text"
"""Reason that a file has no searchable text."""
BEYOND_LIMITS = "takes more than a file may"
"""Beginning of the reason that a file could not be converted in the time or the memory of a file."""
PLAIN = frozenset({".md", ".markdown", ".rst", ".txt", ".csv", ".tsv"})
CONVERTED = frozenset({".pdf", ".docx", ".xlsx", ".html", ".htm"})
SUFFIXES = PLAIN | CONVERTED


class Converted(TypedDict, total=False):
    """A converted file, or why it could not be converted."""

    text: str
    title: str
    published: str | None
    card: dict[str, Any]
    """Fields of its `Card`."""
    error: str
