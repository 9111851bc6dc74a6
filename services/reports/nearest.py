"""The excerpts that have most in common with a statement: by shared words, and by meaning where the local embedding model is in use."""

import asyncio
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence

from pydantic import BaseModel

from schemas.evidence import Excerpt, Source
from services.embedding.models import embed_locally
from services.evidence.citable_excerpts import TextOf
from services.run.errors import StoreError
from services.run.scope import current_run
from services.text.heads import LONGEST_SECTION
from services.text.passages import split
from services.text.ranking import bm25, fuse
from services.text.tokens import tokens

CANDIDATES = 100
"""Excerpts whose meaning is compared with a statement's, those with most words in common first. Of twelve statements that PEPs do not tell
something which one of them tells in other words, the passage was among the first 12 of 900 for 11 (8 by words alone; 10 with 60, 11 with all)."""
EMBEDDED = 400
"""Excerpts whose meaning is compared at all: ten seconds of one core."""
MAX_SEARCHED = 4_000_000
"""Characters of all sources whose passages are taken."""


class _Nearest(BaseModel):
    places: list[list[int]]
    """Places of the nearest excerpts of each statement, the nearest first."""


def nearest(text: str, excerpts: Iterable[Excerpt], sources: Mapping[str, Source], max_items: int) -> list[Excerpt]:
    """Return the excerpts that share most words with a text, with their sources' titles, the nearest first and each quote once."""
    others = _each_once(excerpts)
    [ranked] = _by_words([text], _words_of(others, sources))
    return [others[place] for place in ranked[:max_items]]


async def nearest_each(
    texts: Sequence[str], excerpts: Iterable[Excerpt], sources: Mapping[str, Source], max_items: int
) -> list[list[Excerpt]]:
    """Return the excerpts nearest to each text by words and meaning; the journal records which, as a replay may lack the model."""
    others = _each_once(excerpts)

    async def work() -> _Nearest:
        return _Nearest(places=await asyncio.to_thread(_ranked, texts, others, sources, max_items))

    quotes = hashlib.sha256("\0".join(excerpt.quote for excerpt in others).encode()).hexdigest()
    request = {"texts": list(texts), "quotes": quotes, "most": max_items}
    recorded = await current_run().journal.once("nearest", f"{len(texts)} statements", request, _Nearest, work)
    return [[others[place] for place in places] for places in recorded.answer.places]


def _each_once(excerpts: Iterable[Excerpt]) -> list[Excerpt]:
    return list({excerpt.quote: excerpt for excerpt in excerpts}.values())


def _words_of(excerpts: Iterable[Excerpt], sources: Mapping[str, Source]) -> list[list[str]]:
    return [tokens(f"{sources[excerpt.content_hash].title} {excerpt.quote}") for excerpt in excerpts]


def _by_words(texts: Iterable[str], held: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the places of the excerpts that share words with each text, those that share most first."""
    scored = (bm25(held, tokens(text)) for text in texts)
    return [
        sorted((place for place, score in enumerate(scores) if score > 0), key=lambda place: -scores[place])
        for scores in scored
    ]


def _ranked(
    texts: Sequence[str], excerpts: Sequence[Excerpt], sources: Mapping[str, Source], max_items: int
) -> list[list[int]]:
    by_words = _by_words(texts, _words_of(excerpts, sources))
    depth = min(CANDIDATES, EMBEDDED // max(1, len(texts)))
    candidates = [[*ranked, *_others(ranked, len(excerpts), depth)][:depth] for ranked in by_words]
    embedded = list(dict.fromkeys(place for places in candidates for place in places))
    passages = [f"{sources[excerpts[place].content_hash].title}. {excerpts[place].quote}" for place in embedded]
    vectors = embed_locally([*texts, *passages]) if embedded else None
    if vectors is None:
        return [ranked[:max_items] for ranked in by_words]
    rows = dict(zip(embedded, vectors[len(texts) :], strict=True))
    rankings: list[list[int]] = []
    for statement, words, places in zip(vectors, by_words, candidates, strict=False):
        cosines = {place: float(rows[place] @ statement) for place in places}
        meant = sorted(places, key=lambda place: -cosines[place])
        rankings.append(list(fuse([words[:depth], meant]))[:max_items])
    return rankings


def _others(ranked: Collection[int], count: int, max_items: int) -> list[int]:
    """Return places of excerpts that share no word with a statement, which may be in another language: evenly from all."""
    left = sorted(set(range(count)).difference(ranked)) if len(ranked) < max_items else []
    return left[:: max(1, len(left) // max_items)]


async def passages_of(
    excerpts: Iterable[Excerpt], sources: Mapping[str, Source], text_of: TextOf
) -> dict[str, Excerpt]:
    """Return all passages of what was read, by ids of their own, those of quoted sources first; of computations none, as their texts are programs."""
    passages: dict[str, Excerpt] = {}
    room = MAX_SEARCHED
    for content_hash in dict.fromkeys([*(excerpt.content_hash for excerpt in excerpts), *sources]):
        source = sources.get(content_hash)
        if source is None or source.kind == "computation" or source.duplicate_of:
            continue
        try:
            text = (await text_of(content_hash))[:room]
        except StoreError:
            continue
        room -= len(text)
        for span in await asyncio.to_thread(split, text):
            key, quote = f"P{len(passages) + 1}", text[span.start : span.end]
            passages[key] = Excerpt(
                id=key,
                content_hash=content_hash,
                quote=quote,
                start=span.start,
                end=span.end,
                section=span.section[:LONGEST_SECTION],
            )
    return passages
