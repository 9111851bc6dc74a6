"""Blockquotes of a report: the excerpt that one quotes word for word."""

import re
from collections.abc import Mapping, Sequence

from schemas.evidence import Excerpt
from services.text.quote_location import locate

_ATTRIBUTION = re.compile(
    r"(?<!\s)\s*+(?:[—–―]{1,2}|--?|（出处|（来源|\((?:source|from)\b)[^\n]{1,160}+$", re.IGNORECASE
)


def find_quotation(text: str, excerpts: Mapping[str, Excerpt], ids: Sequence[str]) -> tuple[str, str] | None:
    """Find the excerpt that a text quotes, with or without an attribution at its end.

    Args:
        text: without citations.
        excerpts: all that may be cited, by id.
        ids: those that the text cites; they come first.

    Returns:
        The words as the excerpt has them, and its id; None where no excerpt has them.
    """
    for candidate in dict.fromkeys((text, _ATTRIBUTION.sub("", text))):
        for identifier in [*ids, *(other for other in excerpts if other not in ids)]:
            quote = excerpts[identifier].quote
            span = locate(candidate, quote)
            if span is not None:
                return quote[span[0] : span[1]], identifier
    return None


def unquoted(lines: Sequence[str], span: Sequence[int] | None) -> str:
    """Return the lines of a block without the marks of a quotation."""
    first, last = span or (0, 0)
    return "\n".join(re.sub(r"^\s*(?:>\s?)+", "", line) for line in lines[first:last]).strip()
