"""Finds the excerpt that a blockquote of a report quotes verbatim."""

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
        text: the text without citations.
        excerpts: all citable excerpts by id.
        ids: ids that the text cites; these are checked first.

    Returns:
        The text as it stands in the excerpt, and the excerpt's id; None if no excerpt holds it.
    """
    for candidate in dict.fromkeys((text, _ATTRIBUTION.sub("", text))):
        for identifier in [*ids, *(other for other in excerpts if other not in ids)]:
            quote = excerpts[identifier].quote
            span = locate(candidate, quote)
            if span is not None:
                return quote[span[0] : span[1]], identifier
    return None


def unquoted(lines: Sequence[str], span: Sequence[int] | None) -> str:
    """Return the lines of a block without quotation marks (`>`)."""
    first, last = span or (0, 0)
    return "\n".join(re.sub(r"^\s*(?:>\s?)+", "", line) for line in lines[first:last]).strip()
