"""Synonyms of English words, from the dictionary."""

from collections.abc import Iterable
from functools import lru_cache

from services.embedding.dictionary import Dictionary, dictionary
from services.text.tokens import has_cjk


def with_synonyms(terms: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return each search term with its synonyms and itself; alone if no dictionary is installed. Blocking."""
    wanted = list(terms)
    words = None if all(map(has_cjk, wanted)) else dictionary()
    return {term: _synonyms(term, words) for term in wanted}


@lru_cache(maxsize=4096)
def _synonyms(term: str, words: Dictionary | None) -> frozenset[str]:
    return frozenset([term, *(words.synonyms(term) if words and not has_cjk(term) else [])])
