"""Sends all queries to all providers in parallel, and merges their results into one ranking of passages.

Results do not depend on which search answered first. Copies of one text count once. `link_expansion.py` then follows titles
and names in the best passages into the documents.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from pydantic import BaseModel, Field

from schemas.clean_text import clean_line
from schemas.events import Searched
from schemas.evidence import Passage, Source, SourceCategory, StepKind
from services.run.errors import SearchError
from services.run.evidence_store import EvidenceStore
from services.search.filters import Filters
from services.search.hit import Hit, SearchProvider
from services.search.link_expansion import follow
from services.search.pool import Key, Pool
from services.search.providers import Providers
from services.search.source_preference import PER_SITE, Preference, sites
from services.text.questions import EVERYTHING
from services.text.ranking import fuse, take_turns

HITS_A_QUERY = 10
LONGEST_REASON = 160
"""Maximum characters of a failed search's reason, shown beside the other searches' results."""
QUERIES_K = 2
"""Constant k of the reciprocal rank fusion over queries. Each query asks for something else, so a query's first hit
must come before hits in twentieth place of all queries, which the usual 60 would prefer. On half of ScholarQA-CS
(criteria as queries, 30 hits of each) 1 to 3 put 0.76 of the gold into the first 12 passages and 60 put 0.72; on the
other half it was 0.76 and 0.72, too."""
PER_SOURCE, OF_LIMIT = 4, 4
"""Maximum passages of one source before other sources get their turn: so many, or this part of all, if that is more."""
OF_BEST = 0.15
"""Minimum share of the best score of all folders that a folder's best passage must reach for the folder to count."""
MAX_TITLES, LONGEST_TITLE = 30, 120
"""Maximum titles of texts that a search names, and characters of one."""
KEPT_FIRST = 1
"""Number of directly found passages that stay before those found by a hop."""


class Gathered(BaseModel):
    """What a gathering found."""

    passages: list[Passage] = Field(default_factory=list)
    """Best first, numbered `P1`, `P2`, …"""
    sources: dict[str, Source] = Field(default_factory=dict)
    """Sources of the passages and copies of them, by content hash."""
    searched: list[Searched] = Field(default_factory=list)
    """What each search brought; empty in journals of earlier versions."""
    failures: list[str] = Field(default_factory=list)
    """Searches that failed, in words, each once."""
    titles: list[str] = Field(default_factory=list)
    """Titles of the texts that the searches brought, nearest first: more than those of the passages."""


Results = list[tuple[str, list[Hit]]]
"""A query with each search's hits for it, best first; some queries have several searches."""
Complete = Callable[[list[list[Hit]]], Awaitable[tuple[list[list[Hit]], list[str]]]]
"""Replaces snippets by the texts of their pages, and returns errors; may append lists of pages to which links led."""


async def gather(
    queries: Sequence[str],
    providers: Providers,
    *,
    evidence: EvidenceStore,
    limit: int,
    complete: Complete | None = None,
    named: Sequence[Hit] = (),
    hits: int = HITS_A_QUERY,
    document_hits: int = HITS_A_QUERY,
    question: str = "",
    source_kind: StepKind = "general",
    preferred: Collection[SourceCategory] = (),
    filters: Filters | None = None,
) -> Gathered:
    """Search all queries everywhere, and return the `limit` best passages with their sources, whose texts are stored.

    Without `complete` snippets stay snippets; `named` are pages that the user named. `hits` bounds one search of the
    web, `document_hits` one of the user's documents. The question, by default the queries, tells whether recent sources
    are wanted; sources of `source_kind` and of `preferred` kinds get a bonus.
    """
    queries = list(dict.fromkeys(filter(None, map(str.strip, queries))))
    pool = Pool()
    indexes = [document.index for document in providers.documents]
    results, searched, failures = await _search_all(queries, providers, hits, document_hits)
    if named:
        results.append((" ".join(queries), list(named)))
    if complete is not None:
        completed, unread = await complete([hits for _, hits in results])
        followed = [(" ".join(queries), hits) for hits in completed[len(results) :]]
        results = [*((query, hits) for (query, _), hits in zip(results, completed, strict=False)), *followed]
        failures += unread
    direct = await asyncio.to_thread(_ranked, pool, _permitted(results, filters))
    hops = await asyncio.to_thread(follow, queries, direct, indexes, pool)
    hops = [key for key in hops if filters is None or _permits(filters, pool.hit(key))]
    ranked = list(dict.fromkeys([*direct[:KEPT_FIRST], *hops]))
    originals, passages = await asyncio.to_thread(pool.without_copies, ranked)
    if len(passages) < min(limit, len(ranked)):  # copies took the places of their originals
        more, _, _ = await _search_all(queries, Providers(documents=providers.documents), hits, 2 * document_hits)
        ranked = list(dict.fromkeys([*ranked, *await asyncio.to_thread(_ranked, pool, _permitted(more, filters))]))
        originals, passages = await asyncio.to_thread(pool.without_copies, ranked)
    passages = await asyncio.to_thread(pool.repeats_last, passages, queries)
    failures += [document.trouble for document in providers.documents if document.trouble]
    today = datetime.now(UTC).date()
    wanted_kind = "academic" if source_kind == "medicine" else source_kind
    preference = Preference.of(question or " ".join(queries), today, wanted_kind, preferred)
    passages = preference.ordered(passages, pool.hit)
    sources_of, sites_of = {key: key[0] for key in passages}, sites(passages, pool.hit)
    chosen = take_turns(passages, sources_of, limit, max(PER_SOURCE, limit // OF_LIMIT), sites_of, PER_SITE)
    described, sources = await pool.collect(chosen, originals, evidence)
    titles = list(dict.fromkeys(pool.hit(key).title[:LONGEST_TITLE] for key in passages))[:MAX_TITLES]
    return Gathered(
        passages=described, sources=sources, searched=searched, failures=list(dict.fromkeys(failures)), titles=titles
    )


def _permitted(results: Results, filters: Filters | None) -> Results:
    if filters is None:
        return results
    return [(query, [hit for hit in hits if _permits(filters, hit)]) for query, hits in results]


def _permits(filters: Filters, hit: Hit) -> bool:
    """Tell whether the filters permit a hit, after its page, if read, has stated its kind and date."""
    return filters.in_time(hit.published) and (hit.kind != "web" or filters.permit(hit.url, hit.source_kind))


def _ranked(pool: Pool, results: Results) -> list[Key]:
    return list(fuse([pool.rank(query, [hit for hit in hits if hit.text]) for query, hits in results], QUERIES_K))


async def _search_all(
    queries: Sequence[str], providers: Providers, hits: int, document_hits: int
) -> tuple[Results, list[Searched], list[str]]:
    """Return the results of each query on the web, by provider, and in all folders of documents, in order.

    Also what each search brought, and what went wrong.

    Folders are ranked together: a folder's best passage may be worse than all passages of another folder.
    """

    async def search(query: str, provider: SearchProvider, limit: int) -> list[Hit] | str:
        if query == EVERYTHING and provider in providers.web:
            return []
        try:
            return await provider.search(query, limit)
        except SearchError as error:
            return str(error)

    answers = await asyncio.gather(
        *(
            asyncio.gather(
                *(search(query, provider, hits) for provider in providers.web),
                *(search(query, provider, document_hits) for provider in providers.documents),
            )
            for query in queries
        )
    )
    failures = [answer for of_query in answers for answer in of_query if isinstance(answer, str)]
    results: Results = []
    for query, of_query in zip(queries, answers, strict=True):
        web, local = of_query[: len(providers.web)], of_query[len(providers.web) :]
        results += [(query, hits) for hits in web if isinstance(hits, list)]
        if local:
            results.append((query, _as_one_folder([hits for hits in local if isinstance(hits, list)])))
    return results, _account([provider.name for provider in providers.all], answers), failures


def _account(names: Sequence[str], answers: Sequence[Sequence[list[Hit] | str]]) -> list[Searched]:
    """Return the number of results of each search over all queries, in the order of the searches."""
    brought: dict[str, int] = {}
    failed: dict[str, str] = {}
    for name, answer in ((name, answer) for of_query in answers for name, answer in zip(names, of_query, strict=True)):
        if isinstance(answer, str):
            failed.setdefault(name, answer)
            continue
        for answered in {hit.found_by or name for hit in answer} or {name}:
            hits = sum((hit.found_by or name) == answered for hit in answer)
            brought[answered] = brought.get(answered, 0) + hits
    known = dict.fromkeys([*(name for name in names if name in brought or name in failed), *brought])
    searches = [Searched(name=name, hits=brought.get(name, 0), failed=name not in brought) for name in known]
    return with_failures(searches, failed)


def with_failures(searched: Sequence[Searched], failed: Mapping[str, str]) -> list[Searched]:
    """Return each search's results with errors of failed searches; searches that were replaced by another come first."""
    first = {name: clean_line(error).partition(". ")[0].rstrip(".") for name, error in failed.items()}
    reasons = {name: sentence[:LONGEST_REASON] for name, sentence in first.items()}
    replaced = reasons.keys() - {search.name for search in searched}
    return [
        *(Searched(name=name, failed=True, reason=reason) for name, reason in reasons.items() if name in replaced),
        *(search.model_copy(update={"reason": reasons.get(search.name, search.reason)}) for search in searched),
    ]


def _as_one_folder(folders: Sequence[list[Hit]]) -> list[Hit]:
    """Rank the hits of several folders together, without folders whose best hit is far below the best of all."""
    min_score = OF_BEST * max((hits[0].score for hits in folders if hits), default=0.0)
    comparable = [hits for hits in folders if hits and hits[0].score >= min_score]
    if len(comparable) == 1:
        return comparable[0]
    return sorted((hit for hits in comparable for hit in hits), key=lambda hit: -hit.score)
