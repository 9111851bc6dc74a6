"""Segments of quotes that a claim's wording is compared with, and how a claim can turn what they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from services.evidence.readings import Reading, read, word_keys
from services.text.tokens import CJK_STOP, has_cjk, pieces

Turn = Literal["negation", "denied", "hedge", "scope", "cause", "superlative", "roles", "opposite", "period"]

ALIKE = 0.6
"""Least share of a segment's words that a quote's segment must hold to be what it speaks of."""
MAX_SEGMENTS = 20
"""Segments, names and verbs of a claim that are compared."""
PASSAGE = 5
"""Clauses of the quotes that are compared, if they have more."""
NEARBY = 6
"""Segments of the quotes that are compared: those that hold most of the claim's words."""


@dataclass(frozen=True, slots=True)
class Turned:
    """How a claim turns what the quotes say."""

    turn: Turn
    what: tuple[str, ...] = ()
    """Words of the quotes, or of the claim where the quotes have none."""
    sure: bool = True
    """Whether the quotes say otherwise, rather than perhaps nothing of it."""


Keyed = Sequence[tuple[str, frozenset[str]]]
"""Texts with their words."""


class Segments(NamedTuple):
    """The segments of the quotes."""

    all: Keyed
    near: Keyed
    """Those that hold most of the claim's words."""
    in_tables: frozenset[str] = frozenset()
    """Words of the labels and headings of the quotes' tables."""


def passage_of(about: frozenset[str], quotes: Sequence[Reading]) -> list[Reading]:
    """Return the few clauses in a row that hold most of a claim's words: what stands far from them says nothing of it."""
    clauses = [clause for quote in quotes for clause in quote.clauses]
    if len(clauses) <= PASSAGE:
        return list(quotes)
    held = [about & frozenset(word_keys(clause)) for clause in clauses]
    starts = range(len(clauses) - PASSAGE + 1)
    best = max(starts, key=lambda start: len(frozenset[str]().union(*held[start : start + PASSAGE])))
    return [read(clause) for clause in clauses[best : best + PASSAGE]]


def nearest(segment: str, keyed: Keyed) -> list[tuple[str, float]]:
    """Return the quotes' segments that say as much as any of what a segment says, with how much that is."""
    words = frozenset(word_keys(segment))
    if len(words) < 2:
        return []
    share = _share_of_characters if has_cjk(segment) else _share_of_words
    scored = [(text, share(segment, words, keys)) for text, keys in keyed]
    best = max((score for _, score in scored), default=0.0)
    return [(text, score) for text, score in scored if score == best] if best else []


def _share_of_words(_: str, words: frozenset[str], keys: frozenset[str]) -> float:
    return len(words & keys) / len(words)


def _share_of_characters(segment: str, words: frozenset[str], keys: frozenset[str]) -> float:
    """Return the share of a Chinese segment's characters that stand in a pair which is held.

    Pairs that straddle two words are broken by any change beside them; the characters of both words still count.
    """
    held = words & keys
    found = total = 0
    for piece in pieces(segment):
        if not has_cjk(piece):
            total += 1
            found += piece in keys
            continue
        covered = {
            place + more for place in range(len(piece) - 1) if piece[place : place + 2] in held for more in (0, 1)
        }
        content = [place for place, char in enumerate(piece) if char not in CJK_STOP]
        total += len(content)
        found += sum(place in covered for place in content)
    return found / max(1, total)
