"""Second hop: follows titles and names in the best passages to further passages, without a model call.

Questions that need several documents are answered by passages that share few words with them: the first document names
the second. A document whose title is named in the question, or in one of the best passages, takes over a share of that
passage's score; the rarer the title is named in the folder and the more of the question's remaining words the document
holds, the more. The other way round, a passage that holds a name or the title of one of the best passages, together with
words of the question that are still open, takes over less. Where the question names a document itself ("the wife of the
director of Jump for Glory"), what that document names is a step on the way, and a rare name leads to passages that hold no
word of the question. Two rounds follow chains of three documents.
"""

import math
import re
from collections.abc import Iterable, Sequence

from services.search.hit import Hit
from services.search.index import FolderIndex
from services.search.links import bare_title
from services.search.pool import Key, Pool
from services.text.ranking import bm25
from services.text.tokens import tokens

SEEDS = 5
"""Number of best passages from which links are followed in each round."""
ROUNDS = 2
STEEPNESS = 0.5
"""A directly found passage at rank r starts with a score of 1 / (1 + STEEPNESS * (r - 1))."""
LINK = 1.6
"""Share of its score that a passage passes on to a document that only this passage names in the folder."""
REST = 2.0
"""Weight of the share of the question's words that the passage lacks and the named document holds."""
ASKED = 1.0
"""Score of a document that the question names."""
UNFOUND = 0.8
"""Factor on a link's score for a document that the direct search did not find."""
SAME_TITLE = 3
"""Maximum documents of one title that a link leads to."""
MOST_NAMED = 40
"""Maximum titles that are followed from one passage."""
NAMES = 8
"""Names of a passage, its title first, by which further passages are searched."""
ONE_WORD = 0.6
"""Factor on a link by a name of one word, which is more ambiguous than a longer name."""
ONE_WORD_NAMES = 4
"""Maximum names of one word by which further passages are searched, besides the others."""
HOLDING = 3
"""Maximum passages that one name brings in."""
OPEN = 0.3
"""Minimum share of the question's open words, by weight, that such a passage must hold."""
COMMON = 40
"""Number of passages with a name from which the name is too common to follow."""
RARE = 5
"""Maximum number of passages with a name, in a document named by the question, for the name alone to lead to them."""
LINK_ALONE = 2.0
"""As `LINK`, for passages reached by a name alone; higher, since they hold no word of the question."""

_NAME = re.compile(
    r"\b[A-Z][\w'’.-]+(?:\s+(?:of|the|de|von|van|and|[A-Z0-9][\w'’.-]*))*\s+[A-Z0-9][\w'’.-]+|《[^》]{2,30}》|“[^”。！？，；]{2,30}”"
)
_ONE_WORD = re.compile(r"(?<=[\w,;] )[A-Z][^\W\d_]{3,}(?![\w'’-])(?!\s+[A-Z])")
"""A capitalised word within a sentence, which is a name."""


def follow(queries: Sequence[str], direct: Sequence[Key], indexes: Sequence[FolderIndex], pool: Pool) -> list[Key]:
    """Rank directly found passages together with those that they lead to. Blocking."""
    if not direct or not indexes:
        return list(direct)
    hops = [_Hop(queries, index, pool, direct) for index in indexes]
    start = {key: 1 / (1 + STEEPNESS * rank) for rank, key in enumerate(direct)}
    scores = dict(start)
    for hop in hops:
        for key, score in hop.from_question(start).items():
            scores[key] = scores.get(key, 0.0) + score
    for _ in range(ROUNDS):
        seeds = _best(scores)[:SEEDS]
        top = scores[seeds[0]]
        for hop in hops:
            links = hop.from_passages([(key, scores[key] / top) for key in seeds], start)
            for key, score in links.items():
                known = start.get(key, 0.0)
                share = UNFOUND + (1 - UNFOUND) * min(1.0, 2 * known)
                scores[key] = max(scores.get(key, 0.0), known + score * share)
    return _best(scores)


def _best(scores: dict[Key, float]) -> list[Key]:
    places = {key: place for place, key in enumerate(scores)}
    return sorted(scores, key=lambda key: (-scores[key], places[key]))


class _Hop:
    """Links in one folder, for one call of `follow`."""

    def __init__(self, queries: Sequence[str], index: FolderIndex, pool: Pool, direct: Sequence[Key]) -> None:
        self._index, self._pool = index, pool
        self._query = " ".join(queries)
        self._terms = list(dict.fromkeys(tokens(self._query)))
        self._weights = index.words.weights(self._terms)
        self._titles = index.titles()
        self._counts: dict[str, int] = {}
        self._passages: dict[str, Key | None] = {}
        for key in direct:
            self._passages.setdefault(key[0], key)
        self._named_sources: set[str] = set()

    def from_question(self, start: dict[Key, float]) -> dict[Key, float]:
        """Return scores of documents that the question names."""
        numbered, named = self._titles.numbered(self._query), self._titles.named(self._query)
        self._named_sources = {source for sources in (*numbered.values(), *named.values()) for source in sources}
        scores: dict[Key, float] = {}
        for title, sources in [*numbered.items(), *named.items()][:MOST_NAMED]:
            rarity = 1.0 if title in numbered else 1 / (1 + 0.5 * math.log(max(1, self._count(title))))
            for place, key in enumerate(self._targets(sources, start)):
                scores[key] = max(scores.get(key, 0.0), ASKED * rarity / (1 + place))
        return scores

    def from_passages(self, seeds: Sequence[tuple[Key, float]], start: dict[Key, float]) -> dict[Key, float]:
        """Return scores of documents that seeds name; each seed has its own score, the best seed 1."""
        scores: dict[Key, float] = {}
        for seed, score in seeds:
            held = set(tokens(self._pool.text(seed)))
            left = [term for term in self._terms if term not in held]
            for title, sources in list(self._titles.named(self._pool.text(seed)).items())[:MOST_NAMED]:
                if seed[0] in sources:
                    continue
                rarity = 1 / (1 + math.log(max(1, self._count(title))))
                for place, key in enumerate(self._targets(sources, start)):
                    link = score * (LINK * rarity / (1 + 0.5 * place) + REST * self._share(left, key))
                    scores[key] = max(scores.get(key, 0.0), link)
            held_by = [self._holding(seed, left)]
            if seed[0] in self._named_sources:
                held_by.append(self._holding_alone(seed, left))
            for key, link in (pair for links in held_by for pair in links.items()):
                scores[key] = max(scores.get(key, 0.0), score * link)
        return scores

    def _holding(self, seed: Key, left: Sequence[str]) -> dict[Key, float]:
        """Return shares of a seed's score for passages with one of its names and with words of the question that it lacks."""
        scores: dict[Key, float] = {}
        total = sum(self._weights.values())
        wanted = sum(self._weights[term] for term in left) / total if total else 0.0
        if not left:
            return scores
        for name, weight in self._names(seed).items():
            count = self._count(name)
            if not 1 < count <= COMMON:  # the seed itself is among them
                continue
            rarity = weight / (1 + math.log(count))
            for key in self._rank(name, left, HOLDING):
                if key[0] != seed[0] and self._share(left, key) >= OPEN * wanted:
                    link = LINK / 2 * rarity + REST * self._share(left, key)
                    scores[key] = max(scores.get(key, 0.0), link)
        return scores

    def _holding_alone(self, seed: Key, left: Sequence[str]) -> dict[Key, float]:
        """Return shares of a seed's score for passages with one of its rare names of several words, except its title."""
        scores: dict[Key, float] = {}
        title = self._title(seed).lower()
        for name in self._names(seed):
            count = self._count(name)
            if not 1 < count <= RARE or name.lower() == title or len(tokens(name)) < 2:
                continue
            rarity = 1 / (1 + math.log(count))
            keys = self._rank(name, [], RARE)
            others = sorted((key for key in keys if key[0] != seed[0]), key=lambda key: -self._share(left, key))
            for place, key in enumerate(others[:HOLDING]):
                link = LINK_ALONE * rarity / (1 + 0.5 * place) + REST * self._share(left, key)
                scores[key] = max(scores.get(key, 0.0), link)
        return scores

    def _title(self, seed: Key) -> str:
        return bare_title(self._pool.hit(seed).title)

    def _names(self, seed: Key) -> dict[str, float]:
        """Return the names in a passage that the question lacks, its title first, with the weight of a link by each."""
        text = self._pool.text(seed)
        several = [self._title(seed), *_NAME.findall(text)]
        inside = {word for name in several for word in name.split()}
        single = [name for name in _ONE_WORD.findall(text) if name not in inside]
        names = dict.fromkeys(self._without_query_names(several)[:NAMES], 1.0)
        return names | dict.fromkeys(self._without_query_names(single)[:ONE_WORD_NAMES], ONE_WORD)

    def _without_query_names(self, names: Iterable[str]) -> list[str]:
        query = self._query.lower()
        return [name for name in dict.fromkeys(names) if name and name.lower() not in query]

    def _count(self, title: str) -> int:
        if title not in self._counts:
            self._counts[title] = self._index.words.count_naming(title)
        return self._counts[title]

    def _rank(self, name: str, terms: Sequence[str], limit: int) -> list[Key]:
        return self._pool.rank("", self._index.hits(self._index.words.passages_naming(name, terms, limit)))

    def _targets(self, sources: Iterable[str], start: dict[Key, float]) -> list[Key]:
        """Return the best passage of each source; directly found passages come first."""
        keys = [key for key in [self._best_passage(source) for source in list(sources)[:20]] if key is not None]
        return sorted(keys, key=lambda key: -start.get(key, 0.0))[:SAME_TITLE]

    def _best_passage(self, source: str) -> Key | None:
        if source not in self._passages:
            hit = self._index.hit(source)
            self._passages[source] = None if hit is None else self._fittest(hit)
        return self._passages[source]

    def _fittest(self, hit: Hit) -> Key:
        """Return the passage of a source with the most terms of the question; the first of equal ones."""
        keys = self._pool.rank("", [hit])
        scores = bm25([tokens(self._pool.text(key)) for key in keys], self._terms)
        return keys[max(range(len(keys)), key=lambda place: (scores[place], -place))]

    def _share(self, terms: Sequence[str], key: Key) -> float:
        total = sum(self._weights.values())
        held = set(tokens(self._pool.text(key)))
        return sum(self._weights[term] for term in terms if term in held) / total if total else 0.0
