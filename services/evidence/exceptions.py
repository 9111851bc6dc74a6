"""Whether a claim says of an exception what its quotes say of the others, or takes what they set aside for what they hold."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from services.evidence.denied_or_hedged import DENIES_TOO
from services.evidence.readings import Reading, word_keys
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned
from services.text.polarity import negated
from services.text.tokens import has_cjk

_EXCEPTION = re.compile(
    r"\b(?:except(?:ing)?(?: for)?|with the exception of|apart from|other than|save for)(?: (?:during|in|on|at|for|by))? (?:the )?(?P<english>[^,.;()]{3,60})|"
    r"除了?(?P<chinese>[^，。；外]{1,16}?)(?:以|之)?外",
    re.IGNORECASE,
)
_SET_ASIDE = re.compile(
    r"(?:,? (?:rather than|instead of)|, not|,? and not)(?: (?:to|by|from|of|in|on|for|with|at))? (?:the |an? )?(?P<english>[^,.;()]{3,60})|"
    r"，?(?:而不是|而非|并非)(?P<chinese>[^，。；]{2,20})",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[,.;，。；]")
_INCLUDED = re.compile(
    r"\b(?:also|too|included|including|even|likewise|at all times|always)\b|也|同样|包括|只|仅", re.IGNORECASE
)
"""With which a claim puts an exception among the others, or takes it alone."""
_CONTRASTS = re.compile(
    r"\b(?:except|apart|other than|save|but|rather|instead|not|unlike|only)\b|n['’]t\b|除|而不|而非|并非|不|未|没|只",
    re.IGNORECASE,
)
LONGEST = 3
"""Words of what is set aside by which it is known; in Chinese pairs of characters."""


def excepted(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim includes what the quotes except: `the summer exhibitions included` of `except during the summer exhibitions`."""
    if negated(claim.text) or not _INCLUDED.search(claim.text) or _EXCEPTION.search(claim.text):
        return None
    about = frozenset(word_keys(claim.text))
    for quote in quotes:
        for found in islice(_EXCEPTION.finditer(quote.text), MAX_SEGMENTS):
            exception = frozenset(_first(found["english"] or found["chinese"]))
            elsewhere = frozenset(word_keys(quote.text[: found.start()] + " " + quote.text[found.end() :]))
            own = exception - elsewhere
            if own and own <= about and about & elsewhere:
                return Turned("scope", (found.group().strip(),), sure=False)
    return None


def set_aside(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim holds what the quotes set aside, and not what they put in its place: `traced to the flood` of `to rust rather than to the flood`."""
    if _CONTRASTS.search(claim.text) or DENIES_TOO.search(claim.text):
        return None
    about = frozenset(word_keys(claim.text))
    for text, held, other, elsewhere in _contrasts(quotes):
        own, kept = other - held - elsewhere, held - other - elsewhere
        if own and own <= about and kept and kept.isdisjoint(about) and (held | elsewhere) & about:
            return Turned("negation", (text,), sure=False)
    return None


def _contrasts(quotes: Sequence[Reading]) -> Iterator[tuple[str, frozenset[str], frozenset[str], frozenset[str]]]:
    """Yield each contrast of the quotes with the words of what is kept, of what is set aside, and of all the rest."""
    for quote in quotes:
        for found in islice(_SET_ASIDE.finditer(quote.text), MAX_SEGMENTS):
            piece = _PIECE.split(quote.text[: found.start()])[-1]
            keys = word_keys(piece)
            rest = word_keys(f"{quote.text[: found.start() - len(piece)]} {quote.text[found.end() :]}")
            yield (
                found.group().strip(),
                frozenset(keys[-LONGEST:]),
                frozenset(_first(found["english"] or found["chinese"])),
                frozenset([*rest, *keys[:-LONGEST]]),
            )


def _first(text: str) -> list[str]:
    keys = word_keys(text)
    return keys if has_cjk(text) else keys[:LONGEST]
