"""Finds web passages with a figure that another owner's site also gives; the ranking prefers them.

This is a hint, not a proof: agreeing numbers of one kind, in sentences with common words. Identical sentences are
copies of one text and confirm nothing. Statements of reports on confirmation are checked more strictly
(`services/evidence/confirmation.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from services.search.hit import Hit
from services.search.source_kinds import owner_of
from services.text.measures import UNIT_WORDS, Measure, measures
from services.text.passages import sentences
from services.text.tokens import tokens

MAX_PASSAGES = 60
"""Maximum passages to compare, best first."""
MAX_FIGURES = 20
"""Maximum figures of a passage to compare."""
MIN_SHARED = 3
"""Minimum words besides numbers and units that two sentences share if their figures are about the same thing."""

Key = TypeVar("Key")


class _Figure(NamedTuple):
    place: int
    """Index of its passage."""
    measure: Measure
    words: frozenset[str]
    """Words of its sentence, without numbers and units."""
    sentence: str
    """Its sentence, reduced to letters and digits."""


def confirmed(ranked: Sequence[Key], text_of: Callable[[Key], str], hit_of: Callable[[Key], Hit]) -> set[Key]:
    """Return the passages of web pages with a figure that a passage of another owner also gives. Blocking.

    Args:
        ranked: passages, best first.
        text_of: returns a passage's text.
        hit_of: returns a passage's source.
    """
    passages = [key for key in ranked if hit_of(key).kind == "web"][:MAX_PASSAGES]
    owners = [owner_of(hit_of(key).url, "web") for key in passages]
    if len(set(owners)) < 2:
        return set()
    texts = [text_of(key) for key in passages]
    bare = [_bare(text) for text in texts]
    by_kind: dict[str, list[_Figure]] = {}
    for place, text in enumerate(texts):
        for figure in _figures(place, text):
            by_kind.setdefault(figure.measure.kind, []).append(figure)
    found: set[Key] = set()
    for figures in by_kind.values():
        for figure, other in combinations(figures, 2):
            if (
                owners[figure.place] != owners[other.place]
                and figure.measure.agrees(other.measure)
                and len(figure.words & other.words) >= MIN_SHARED
                and figure.sentence not in bare[other.place]
                and other.sentence not in bare[figure.place]
            ):
                found |= {passages[figure.place], passages[other.place]}
    return found


def _figures(place: int, text: str) -> Iterator[_Figure]:
    """Yield the figures of a passage that count something."""
    left = MAX_FIGURES
    for span in sentences(text):
        sentence = text[span.start : span.end]
        counted = [measure for measure in measures(sentence) if measure.kind][:left]
        left -= len(counted)
        if counted:
            words = frozenset(word for word in tokens(sentence) if word not in UNIT_WORDS and not word[0].isdigit())
            yield from (_Figure(place, measure, words, _bare(sentence)) for measure in counted)


def _bare(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
