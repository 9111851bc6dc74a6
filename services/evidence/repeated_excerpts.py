"""Finds excerpts whose text another excerpt holds, so that a prompt shows each text once."""

from collections.abc import Iterable
from itertools import groupby

from schemas.evidence import Excerpt


def held_by(excerpts: Iterable[Excerpt]) -> dict[str, str]:
    """Map each excerpt whose text another of the same source holds to that excerpt, which no other holds; of equal ones the first stays."""
    holders: dict[str, str] = {}
    widest_first = sorted(excerpts, key=lambda excerpt: (excerpt.content_hash, excerpt.start, -excerpt.end))
    for _, of_source in groupby(widest_first, key=lambda excerpt: excerpt.content_hash):
        widest: Excerpt | None = None
        for excerpt in of_source:
            if widest is not None and excerpt.end <= widest.end:
                holders[excerpt.id] = widest.id
            else:
                widest = excerpt
    return holders
