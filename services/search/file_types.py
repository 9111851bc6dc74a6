"""Kinds of files that are searched, their bounds, and what a converted file holds."""

from typing_extensions import TypedDict

MAX_BYTES = 50_000_000
MAX_CHARACTERS = 50_000_000
"""Of a document's text; a small file can unpack to a long one."""
NO_TEXT = "holds no text"
"""What is wrong with a file in which there is nothing to search."""
PLAIN = frozenset({".md", ".markdown", ".txt", ".csv", ".tsv"})
CONVERTED = frozenset({".pdf", ".docx", ".xlsx", ".html", ".htm"})
SUFFIXES = PLAIN | CONVERTED


class Converted(TypedDict, total=False):
    """A converted file, or why it could not be converted."""

    text: str
    title: str
    published: str | None
    error: str
