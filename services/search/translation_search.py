"""Searches by words across languages: finds passages with translations of a query's words.

The translations of one word count as one word, as in Pirkola, "The Effects of Query Structure and Dictionary Setups in
Dictionary-Based Cross-Language Information Retrieval" (1998): a word with many translations does not count more, and one
with a common translation counts less.
"""

import math

from services.embedding.dictionary import dictionary
from services.search.index import FolderIndex
from services.text.tokens import has_cjk

COMMON = 0.2
"""Minimum share of passages with a translation of a word for the word to be ignored as too common."""


def translated_hits(index: FolderIndex, query: str, limit: int) -> dict[int, float]:
    """Return passages with translations of a query's words, best first; empty if no dictionary is installed. Blocking.

    Blocking.

    Returns:
        Weighted share of the query's translated words in each passage, by its id.
    """
    if not index.in_another_language(has_cjk(query)):
        return {}
    words = dictionary()
    concepts = words.concepts(query) if words else []
    if not concepts:
        return {}
    count = index.passages()
    most = max(1, int(COMMON * count))
    scores: dict[int, float] = {}
    total = 0.0
    for passages in index.passages_holding(concepts, most + 1):
        if len(passages) > most:
            continue
        weight = max(math.log((count - len(passages) + 0.5) / (len(passages) + 0.5)), 1e-6)
        total += weight
        for passage in passages:
            scores[passage] = scores.get(passage, 0.0) + weight
    best = sorted(scores, key=lambda passage: (-scores[passage], passage))[:limit]
    return {passage: scores[passage] / total for passage in best}
