"""The words of an index's passages: full-text search, and how rare words and names are in the folder. Blocking."""

import json
import math
from collections.abc import Sequence

from services.search.index_file import Connections
from services.text.tokens import tokens

_SEARCH = (
    "SELECT terms.rowid, -bm25(terms, 2.0, 1.0) AS score FROM terms JOIN passages ON passages.id = terms.rowid "
    "WHERE terms MATCH ? ORDER BY score DESC, passages.hash, first LIMIT ?"
)
"""Words of titles and headings count twice."""
_K1 = 1.2
"""Parameter k1 of FTS5's BM25."""
_FEW = 50
"""Minimum number of different words of a language for a folder to be searched in it."""


class PassageWords:
    """Search terms stored in an index's file."""

    def __init__(self, connections: Connections) -> None:
        self._rows = connections.rows

    def lexical(self, query: str, limit: int) -> dict[int, float]:
        """Return passages with words of a query, best first.

        Returns:
            BM25 by passage id, as a share of the score of an average passage with every query word once.
        """
        terms = list(dict.fromkeys(tokens(query)))
        if not terms:
            return {}
        full_score = (_K1 + 1) * sum(self.weights(terms).values())
        rows = self._rows(_SEARCH, " OR ".join(map(_quoted, terms)), limit)
        return {passage: score / full_score for passage, score in rows}

    def weights(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the weight of search terms; rare terms in the folder weigh more."""
        statement = "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))"
        holding: dict[str, int] = dict(self._rows(statement, json.dumps(terms)))
        [(count,)] = self._rows("SELECT count(*) FROM passages")
        return {
            term: max(math.log((count - holding.get(term, 0) + 0.5) / (holding.get(term, 0) + 0.5)), 1e-6)
            for term in terms
        }

    def count_naming(self, name: str) -> int:
        """Count the passages with the words of a name in sequence."""
        words = tokens(name)
        if not words:
            return 0
        match = f"body : {_quoted(' '.join(words))}"
        return int(self._rows("SELECT count(*) FROM terms WHERE terms MATCH ?", match)[0][0])

    def passages_naming(self, name: str, terms: Sequence[str], limit: int) -> dict[int, float]:
        """Return passages with a name's words in sequence and some of the terms, with BM25, best first.

        Without terms, return passages with the name.
        """
        phrase = _quoted(" ".join(tokens(name)))
        match = f"{phrase} AND ({' OR '.join(map(_quoted, terms))})" if terms else phrase
        return dict(self._rows(_SEARCH, match, limit))

    def passages_holding(self, concepts: Sequence[Sequence[str]], limit: int) -> list[list[int]]:
        """Return for each concept the passages with one of its phrases, which are search terms separated by spaces."""
        statement = "SELECT rowid FROM terms WHERE terms MATCH ? LIMIT ?"
        matches = [" OR ".join(map(_quoted, phrases)) for phrases in concepts]
        return [[passage for (passage,) in self._rows(statement, match, limit)] for match in matches]

    def in_another_language(self, chinese: bool) -> bool:
        """Tell whether passages hold English words, for a Chinese query, or Chinese words, for another query."""
        first, last = ("a", "zzzz") if chinese else ("\u3400", "\u9fff\u9fff")
        return len(self._rows("SELECT 1 FROM vocabulary WHERE term BETWEEN ? AND ? LIMIT ?", first, last, _FEW)) == _FEW


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
