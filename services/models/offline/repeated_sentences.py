"""Detects texts that a report already holds, without comparing each text with all others."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from services.models.offline.ranked_sentences import SAME
from services.text.tokens import tokens


class SaidOnce:
    """Takes texts one by one and tells which of them say only what an earlier text says.

    A text that holds most of another holds at least one of its rarest terms (a fifth of all, plus one), so only texts
    with such a common term are compared (prefix filtering: Chaudhuri, Ganti and Kaushik, "A primitive operator for
    similarity joins in data cleaning", 2006).
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Take all texts that may come, to count how rare each term is."""
        self._terms = {text: frozenset(tokens(text)) for text in texts}
        self._held = Counter(term for terms in self._terms.values() for term in terms)
        self._said: list[frozenset[str]] = []
        self._by_term: defaultdict[str, list[int]] = defaultdict(list)

    def is_new(self, text: str) -> bool:
        """Add a text; tell whether no earlier text holds it. Texts with other figures are different."""
        terms = self._terms[text]
        if not terms:
            return not self._said
        near = {place for term in self._rarest(terms) for place in self._by_term[term]}
        if any(_says(self._said[place], terms) for place in near):
            return False
        for term in terms:
            self._by_term[term].append(len(self._said))
        self._said.append(terms)
        return True

    def _rarest(self, terms: frozenset[str]) -> list[str]:
        ranked = sorted(terms, key=lambda term: (self._held[term], term))
        return ranked[: int((1 - SAME) * len(terms) + 1e-9) + 1]


def _says(said: frozenset[str], terms: frozenset[str]) -> bool:
    figures = [any(term[0].isdigit() for term in each) for each in (terms - said, said - terms)]
    return not all(figures) and len(terms & said) >= SAME * len(terms)
