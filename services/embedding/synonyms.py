"""English words that mean about the same, by the dictionary."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from services.embedding.dictionary import dictionary
from services.run.settings import settings
from services.text.tokens import has_cjk


def with_synonyms(terms: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return search terms, each with those that mean about the same and itself; alone where no dictionary is installed. Blocking."""
    folder = str(settings().leadline_home / "documents")
    return {term: _synonyms(term, folder) for term in terms}


@lru_cache(maxsize=4096)
def _synonyms(term: str, folder: str) -> frozenset[str]:
    words = None if has_cjk(term) else dictionary(Path(folder))
    return frozenset([term, *(words.synonyms(term) if words else [])])
