"""Excerpts of texts that a test makes up."""

from typing import Any

from schemas.evidence import Excerpt


def whole(text: str, key: str = "E1-1", content_hash: str = "", **fields: Any) -> Excerpt:
    """Return an excerpt that quotes all of a text; the id stands for the content hash where none is given."""
    return stretch(text, text, key, content_hash, **fields)


def stretch(quote: str, text: str, key: str = "E1-1", content_hash: str = "", **fields: Any) -> Excerpt:
    """Return an excerpt that quotes the first place of a text that has these words."""
    start = text.index(quote)
    return Excerpt(id=key, content_hash=content_hash or key, quote=quote, start=start, end=start + len(quote), **fields)
