"""Gathering: all queries in all providers at once, their results fused into one ranking of passages.

Results do not depend on which search answered first. Copies of one text count once. `link_expansion.py` then follows titles
and names in the best passages into the documents.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from schemas.evidence import Passage, Source
from services.run.errors import SearchError
from services.run.evidence_store import EvidenceStore, content_hash
from services.search.hit import Found, Hit, SearchProvider
from services.search.link_expansion import Key, follow
from services.search.providers import Providers
from services.text.copies import is_copy, tells_no_more
from services.text.duplicates import fingerprint, may_be_copy
from services.text.passages import split
from services.text.ranking import bm25, fuse, take_turns
from services.text.tokens import tokens

HITS_A_QUERY = 10
PASSAGES_A_PAGE = 4
"""Passages of a web page that a query can bring in; documents bring those that the index ranked."""
PER_SOURCE = 4
"""Passages of one source before other sources have had their turn."""
SAME_PASSAGE = 0.6
"""Share of the words of two passages that both must hold, for one to be the other's copy."""
OF_BEST = 0.15
"""Share of the best score of all folders that the best of one must reach, for the folder to count."""
KEPT_FIRST = 1
"""Passages that were found directly and keep their places before those that a hop found."""


@dataclass(slots=True)
class Gathered:
    """What a gathering found."""

    passages: list[Passage] = field(default_factory=list)
    """Best first, numbered `P1`, `P2`, …"""
    sources: dict[str, Source] = field(default_factory=dict)
    """Sources of the passages and copies of them, by content hash."""
    failures: list[str] = field(default_factory=list)
    """Searches that failed, in words, each once."""


Complete = Callable[[list[list[Hit]]], Awaitable[tuple[list[list[Hit]], list[str]]]]
"""Replaces snippets by the texts of their pages, and says why some were not read."""


async def gather(
    queries: Sequence[str],
    providers: Providers,
    *,
    evidence: EvidenceStore,
    limit: int,
    complete: Complete | None = None,
    named: Sequence[Hit] = (),
    hits: int = HITS_A_QUERY,
) -> Gathered:
    """Search all queries everywhere, and return the best passages with their sources.

    Args:
        queries: statements or questions; the first counts as much as the last.
        providers: where to search.
        evidence: the texts of the sources of the passages are put here.
        limit: most passages to return.
        complete: reads the pages of web hits; without it snippets stay snippets.
        named: pages that a person named.
        hits: most hits of one search.
    """
    wanted = [query for query in dict.fromkeys(query.strip() for query in queries) if query]
    pool = Pool()
    found, failures = await _search_all(wanted, providers, hits)
    if named:
        found.append((" ".join(wanted), list(named)))
    if complete is not None:
        completed, unread = await complete([hits for _, hits in found])
        found = [(query, hits) for (query, _), hits in zip(found, completed, strict=True)]
        failures += unread
    rankings = await asyncio.to_thread(
        pool.rank_all, [(query, [hit for hit in hits if hit.text]) for query, hits in found]
    )
    direct = list(fuse(rankings))
    hops = await follow(wanted, direct, providers.documents, pool)
    ranked = list(dict.fromkeys([*direct[:KEPT_FIRST], *hops]))
    originals, once = await asyncio.to_thread(pool.without_copies, ranked)
    if len(once) < min(limit, len(ranked)):  # copies took the places of what they are copies of
        more, _ = await _search_all(wanted, Providers(documents=providers.documents), 2 * hits)
        ranked = list(dict.fromkeys([*ranked, *fuse(await asyncio.to_thread(pool.rank_all, more))]))
        originals, once = await asyncio.to_thread(pool.without_copies, ranked)
    once = await asyncio.to_thread(pool.by_turns_of_template, once, wanted)
    failures = list(
        dict.fromkeys([*failures, *(document.trouble for document in providers.documents if document.trouble)])
    )
    ranked = once
    chosen = take_turns(ranked, {key: key[0] for key in ranked}, limit, PER_SOURCE)
    return await pool.collect(chosen, originals, evidence, failures)


async def _search_all(
    queries: Sequence[str], providers: Providers, limit: int
) -> tuple[list[tuple[str, list[Hit]]], list[str]]:
    """Return what each query found on the web, by provider, and in all folders of documents, in order, and what went wrong.

    Folders are ranked as one: the best that a folder has to offer may be worse than all that another has.
    """

    async def one(query: str, provider: SearchProvider) -> list[Hit] | str:
        try:
            return await provider.search(query, limit)
        except SearchError as error:
            return str(error)

    answers = await asyncio.gather(
        *(asyncio.gather(*(one(query, each) for each in providers.all)) for query in queries)
    )
    failures = list(dict.fromkeys(one for of_query in answers for one in of_query if isinstance(one, str)))
    found: list[tuple[str, list[Hit]]] = []
    for query, of_query in zip(queries, answers, strict=True):
        web, local = of_query[: len(providers.web)], of_query[len(providers.web) :]
        found += [(query, hits) for hits in web if isinstance(hits, list)]
        if local:
            found.append((query, _as_one([hits for hits in local if isinstance(hits, list)])))
    return found, failures


def _as_one(folders: Sequence[list[Hit]]) -> list[Hit]:
    """Rank what several folders found as if they were one, without folders whose best is far from the best of all."""
    least = OF_BEST * max((hits[0].score for hits in folders if hits), default=0.0)
    near = [hits for hits in folders if hits and hits[0].score >= least]
    return near[0] if len(near) == 1 else sorted((hit for hits in near for hit in hits), key=lambda hit: -hit.score)


class Pool:
    """Every hit of one gathering, by content hash."""

    def __init__(self) -> None:
        self._hits: dict[str, Hit] = {}

    def rank_all(self, found: Sequence[tuple[str, Sequence[Hit]]]) -> list[list[Key]]:
        """Take the hits of several queries in, and return the ranking of each; texts may be long, so beside the event loop."""
        return [self.rank(query, hits) for query, hits in found]

    def rank(self, query: str, hits: Sequence[Hit]) -> list[Key]:
        """Take hits in and return their passages in order of rank."""
        ranking: list[Key] = []
        for hit in hits:
            key = _hash(hit.text)
            self._hits.setdefault(key, hit)
            ranking.extend((key, place.start, place.end) for place in hit.passages or _best_passages(query, hit.text))
        return ranking

    def text(self, key: Key) -> str:
        """Return a passage's text."""
        return self._hits[key[0]].text[key[1] : key[2]]

    def title(self, key: Key) -> str:
        """Return the title of a passage's source."""
        return self._hits[key[0]].title

    def originals(self, ranked: Sequence[Key]) -> dict[str, str]:
        """Map each source to the best-ranked one of its copies. Blocking."""
        originals: dict[str, str] = {}
        signatures: dict[str, str] = {}
        for key, _, _ in ranked:
            if key in originals:
                continue
            text = self._hits[key].text
            signature = _fingerprint(text)
            alike = (one for one, other in signatures.items() if may_be_copy(signature, other))
            first = next((one for one in alike if is_copy(text, self._hits[one].text)), key)
            originals[key] = first
            if first == key:
                signatures[key] = signature
        return originals

    def without_copies(self, ranked: Sequence[Key]) -> tuple[dict[str, str], list[Key]]:
        """Take each text once, that of its best-ranked copy, with the passages that were found of any of them. Blocking.

        A passage of a copy that tells what the original does not stays the copy's own.

        Returns:
            What `originals` does, and the passages, best first.
        """
        originals = self.originals(ranked)
        once: list[Key] = []
        for key in ranked:
            place = key if originals[key[0]] == key[0] else self._same(key, originals[key[0]])
            if not any(_overlap(place, other) for other in once):
                once.append(place)
        return originals, once

    def _same(self, key: Key, original: str) -> Key:
        """Return where an original has a passage of its copy, word for word or with no fact less; else the copy's own place."""
        text, whole = self.text(key), self._hits[original].text
        start = whole.find(text)
        if start >= 0:
            return original, start, start + len(text)
        wanted = set(tokens(text))
        shares = {place: len(wanted & held) / len(wanted | held) for place, held in _words_of(whole).items() if held}
        best = max(shares, key=lambda place: shares[place], default=None)
        if best is None or shares[best] < SAME_PASSAGE or not tells_no_more(text, whole[best[0] : best[1]]):
            return key
        return original, *best

    def by_turns_of_template(self, ranked: Sequence[Key], queries: Sequence[str]) -> list[Key]:
        """Put passages last that hold no more of what is asked than a better one of a page of the same template. Blocking."""
        asked = set(tokens(" ".join(queries)))
        seen: list[tuple[str, str, set[str]]] = []
        first: list[Key] = []
        later: list[Key] = []
        for key in ranked:
            signature = _fingerprint(self._hits[key[0]].text)
            held = asked & set(tokens(f"{self.title(key)} {self.text(key)}"))
            repeats = any(
                held <= terms and other != key[0] and may_be_copy(signature, alike) for other, alike, terms in seen
            )
            (later if held and repeats else first).append(key)
            seen.append((key[0], signature, held))
        return [*first, *later]

    async def collect(
        self, chosen: Sequence[Key], originals: dict[str, str], evidence: EvidenceStore, failures: list[str]
    ) -> Gathered:
        """Store the texts of the chosen passages' sources and describe both."""
        used = {key for key, _, _ in chosen}
        sources = {}
        for key, original in originals.items():
            if original in used or key in used:
                await evidence.put_text(self._hits[key].text)
                sources[key] = self._source(key, original)
        passages = [
            Passage(
                id=f"P{place}",
                content_hash=key,
                title=self._hits[key].title,
                start=start,
                end=end,
                text=self._hits[key].text[start:end],
            )
            for place, (key, start, end) in enumerate(chosen, 1)
        ]
        return Gathered(passages, sources, failures)

    def _source(self, key: str, original: str) -> Source:
        hit = self._hits[key]
        return Source(
            url=hit.url,
            title=hit.title,
            kind=hit.kind,
            content_hash=key,
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            published=hit.published,
            duplicate_of=None if original == key else original,
            snippet_only=hit.snippet_only,
            fingerprint=_fingerprint(hit.text),
        )


@lru_cache(maxsize=16)
def _words_of(text: str) -> dict[tuple[int, int], frozenset[str]]:
    """Return the words of each passage of a text, by its start and end."""
    return {(span.start, span.end): frozenset(tokens(text[span.start : span.end])) for span in split(text)}


def _overlap(one: Key, other: Key) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def _best_passages(query: str, text: str) -> list[Found]:
    spans = split(text)
    scores = bm25([tokens(text[span.start : span.end]) for span in spans], tokens(query))
    best = sorted(range(len(spans)), key=lambda place: (-scores[place], place))[:PASSAGES_A_PAGE]
    return [Found(start=spans[place].start, end=spans[place].end) for place in best if scores[place] > 0 or place == 0]


@lru_cache(maxsize=4_096)
def _hash(text: str) -> str:
    return content_hash(text)


@lru_cache(maxsize=4_096)
def _fingerprint(text: str) -> str:
    return fingerprint(text)
