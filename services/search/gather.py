"""Gathering: all queries in all providers at once, their results fused into one ranking of passages.

Results do not depend on which search answered first. Copies of one text count once. `second_hop.py` then follows titles
and names in the best passages into the documents.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from schemas.evidence import Passage, Source
from services.errors import SearchError
from services.evidence.duplicates import fingerprint, is_copy
from services.evidence.passages import split
from services.evidence.ranking import bm25, fuse, take_turns
from services.evidence.store import EvidenceStore, content_hash
from services.search.hit import Found, Hit, SearchProvider
from services.search.providers import Providers
from services.search.second_hop import Key, follow
from services.search.tokens import tokens

HITS_A_QUERY = 10
PASSAGES_A_PAGE = 4
"""Passages of a web page that a query can bring in; documents bring those that the index ranked."""
PER_SOURCE = 4
"""Passages of one source before other sources have had their turn."""
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
    found, failures = await _search_all(wanted, providers.all, hits)
    if named:
        found.append((" ".join(wanted), list(named)))
    if complete is not None:
        completed, unread = await complete([hits for _, hits in found])
        found = [(query, hits) for (query, _), hits in zip(found, completed, strict=True)]
        failures += unread
    rankings = [pool.rank(query, [hit for hit in hits if hit.text]) for query, hits in found]
    direct = list(fuse(rankings))
    hops = await follow(wanted, direct, providers.documents, pool)
    ranked = list(dict.fromkeys([*direct[:KEPT_FIRST], *hops]))
    if len(await _without_copies(pool, ranked)) < min(
        limit, len(ranked)
    ):  # copies took the places of what they are copies of
        more, _ = await _search_all(wanted, providers.documents, 2 * hits)
        ranked = list(dict.fromkeys([*ranked, *fuse([pool.rank(query, found) for query, found in more])]))
    failures = list(dict.fromkeys([*failures, *(one.trouble for one in providers.documents if one.trouble)]))
    originals = await asyncio.to_thread(pool.originals, ranked)
    ranked = await _without_copies(pool, ranked)
    chosen = take_turns(ranked, {key: key[0] for key in ranked}, limit, PER_SOURCE)
    return await pool.collect(chosen, originals, evidence, failures)


async def _without_copies(pool: "Pool", ranked: Sequence[Key]) -> list[Key]:
    """Return passages without those of texts that are copies of another that is ranked higher."""
    originals = await asyncio.to_thread(pool.originals, ranked)
    return [key for key in ranked if originals[key[0]] == key[0]]


async def _search_all(
    queries: Sequence[str], providers: Sequence[SearchProvider], limit: int
) -> tuple[list[tuple[str, list[Hit]]], list[str]]:
    """Return what each query found in each provider, in order, and what went wrong."""

    async def one(query: str, provider: SearchProvider) -> list[Hit] | str:
        try:
            return await provider.search(query, limit)
        except SearchError as error:
            return str(error)

    pairs = [(query, provider) for query in queries for provider in providers]
    answers = await asyncio.gather(*(one(query, provider) for query, provider in pairs))
    failures = list(dict.fromkeys(answer for answer in answers if isinstance(answer, str)))
    found = [(query, answer) for (query, _), answer in zip(pairs, answers, strict=True) if isinstance(answer, list)]
    return found, failures


class Pool:
    """Every hit of one gathering, by content hash."""

    def __init__(self) -> None:
        self._hits: dict[str, Hit] = {}

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
            signature = _fingerprint(self._hits[key].text)
            first = next((one for one, other in signatures.items() if is_copy(signature, other)), key)
            originals[key] = first
            if first == key:
                signatures[key] = signature
        return originals

    async def collect(
        self, chosen: Sequence[Key], originals: dict[str, str], evidence: EvidenceStore, failures: list[str]
    ) -> Gathered:
        """Store the texts of the chosen passages' sources and describe both."""
        used = {key for key, _, _ in chosen}
        sources = {}
        for key, original in originals.items():
            if original in used:
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
