"""Finds what a report quotes verbatim: a blockquote in the excerpts, a sentence in a quote."""

import re
from collections.abc import Mapping, Sequence

from schemas.evidence import Excerpt
from services.reports.document import letters
from services.text.passages import unwrapped
from services.text.quote_location import locate

AROUND = " .。“”\"'"
"""What a sentence of a report may have around the words of a quote."""
_BEGINS = re.compile(r"(?:^|[.!?;:|。！？；：\n])[\s“”\"'*|-]{0,4}$")
_ENDS = re.compile(r"[\s“”\"'*]{0,4}(?:$|[.!?;|。！？；\n])")
"""Characters before and after a whole sentence of a quote."""
_ATTRIBUTION = re.compile(
    r"(?<!\s)\s*+(?:[—–―]{1,2}|--?|（出处|（来源|\((?:source|from)\b)[^\n]{1,160}+$", re.IGNORECASE
)


def find_quotation(text: str, excerpts: Mapping[str, Excerpt], ids: Sequence[str]) -> tuple[str, str] | None:
    """Find the excerpt that a text quotes, with or without an attribution at its end; those that it cites are checked first.

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


def holds_sentence(quote: str, words: str) -> bool:
    """Tell whether words are a whole sentence, line or cell of a quote, not only a part of one; wraps and markup do not count."""
    text, bare = unwrapped(quote), words.strip(AROUND)
    place = text.find(bare) if bare else -1
    span = (place, place + len(bare)) if place >= 0 else locate(bare, text)
    if span is None or letters(text[slice(*span)]) != letters(bare):
        return False
    return bool(_BEGINS.search(text[max(0, span[0] - 4) : span[0]]) and _ENDS.match(text, span[1]))
