"""Ranking passages: BM25, reciprocal rank fusion, and turns for different sources.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009); fusion after Cormack, Clarke and
Büttcher, "Reciprocal Rank Fusion" (2009).
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

K1, B = 1.2, 0.75
RRF_K = 60


def bm25(documents: Sequence[Sequence[str]], query: Iterable[str], k1: float = K1, b: float = B) -> list[float]:
    """Score tokenised documents against a tokenised query, 0 where no term occurs; `b` tells how much long ones lose by their length."""
    if not documents:
        return []
    counts = [Counter(document) for document in documents]
    average = sum(len(document) for document in documents) / len(documents) or 1.0
    scores = [0.0] * len(documents)
    for term, weight in Counter(query).items():
        holding = sum(term in count for count in counts)
        if not holding:
            continue
        idf = rarity(holding, len(documents))
        for place, count in enumerate(counts):
            if frequency := count[term]:
                length = 1 - b + b * len(documents[place]) / average
                scores[place] += min(weight, 2) * idf * frequency * (k1 + 1) / (frequency + k1 * length)
    return scores


def rarity(holding: int, documents: int) -> float:
    """Return how much a term tells that so many of so many documents hold: BM25's inverse document frequency."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def fuse(rankings: Sequence[Sequence[Key]], k: float = RRF_K) -> dict[Key, float]:
    """Fuse ranked lists: a thing scores `1 / (k + rank)` in each list it stands in. The best come first, ties as they first appeared.

    The larger `k`, the less the first places count beside later ones.
    """
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (k + rank)
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def take_turns(
    ranked: Sequence[Key],
    source_of: Mapping[Key, Hashable],
    limit: int,
    per_source: int,
    site_of: Mapping[Key, Hashable] | None = None,
    per_site: int = 0,
) -> list[Key]:
    """Take the best, at most `per_source` of one source and `per_site` of one site as long as others have any left."""
    site_of = site_of or {}
    taken: list[Key] = []
    spare: list[Key] = []
    used: Counter[Hashable] = Counter()
    used_sites: Counter[Hashable] = Counter()
    for key in ranked:
        if used[source_of[key]] < per_source and (key not in site_of or used_sites[site_of[key]] < per_site):
            used[source_of[key]] += 1
            if key in site_of:
                used_sites[site_of[key]] += 1
            taken.append(key)
        else:
            spare.append(key)
    chosen = set((taken + spare)[:limit])
    return [key for key in ranked if key in chosen]
