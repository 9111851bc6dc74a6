"""Segments of quotes that a claim's wording is compared with, and how a claim can turn what they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from services.evidence.readings import Reading, read, word_keys

Turn = Literal["negation", "denied", "hedge", "scope", "cause", "superlative", "roles", "opposite"]

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


Keyed = Sequence[tuple[str, frozenset[str]]]
"""Texts with their words."""


class Segments(NamedTuple):
    """The segments of the quotes."""

    all: Keyed
    near: Keyed
    """Those that hold most of the claim's words."""


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
    scored = [(text, len(words & keys) / len(words)) for text, keys in keyed]
    best = max((score for _, score in scored), default=0.0)
    return [(text, score) for text, score in scored if score == best] if best else []
