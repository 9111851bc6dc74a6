"""Copies across the steps of a run, settled by their texts: each step may have met another copy of a text first."""

import asyncio
from collections.abc import Mapping, Sequence

from schemas.evidence import Excerpt, Source, root_of
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.text.copies import is_copy, may_overlap
from services.text.quote_location import locate


async def settled_copies(
    sources: Mapping[str, Source], excerpts: Sequence[Excerpt], evidence: EvidenceStore
) -> dict[str, Source]:
    """Confirm copies among sources: a copy's text must agree with the original's, which must contain the copy's quotes.

    A source that is quoted is the original of those that are not. What cannot be compared, as its text is not in this store,
    is no copy.
    """
    quotes: dict[str, list[str]] = {}
    for excerpt in excerpts:
        quotes.setdefault(excerpt.content_hash, []).append(excerpt.quote)
    settled: dict[str, Source] = {}
    originals: list[str] = []
    texts: dict[str, str | None] = {}
    for key in sorted(sources, key=lambda source: (source not in quotes, sources[source].duplicate_of is not None)):
        source, original = sources[key], None
        for candidate in originals:
            if not _alike(key, candidate, sources):
                continue
            text, other = await _text(key, texts, evidence), await _text(candidate, texts, evidence)
            if text is None or other is None:
                continue
            if await asyncio.to_thread(_holds, text, other, quotes.get(key, [])):
                original = candidate
                break
        if original is None:
            originals.append(key)
        settled[key] = source.model_copy(update={"duplicate_of": original})
    return {key: settled[key] for key in sources}


def _alike(key: str, candidate: str, sources: Mapping[str, Source]) -> bool:
    """Tell whether two sources may be copies: by what a search said of them, or by their signatures."""
    same = root_of(key, sources) == root_of(candidate, sources)
    return same or may_overlap(sources[key].fingerprint, sources[candidate].fingerprint)


def _holds(text: str, original: str, quotes: Sequence[str]) -> bool:
    return is_copy(text, original) and all(locate(quote, original) for quote in quotes)


async def _text(key: str, texts: dict[str, str | None], evidence: EvidenceStore) -> str | None:
    if key not in texts:
        try:
            texts[key] = await evidence.get_text(key)
        except StoreError:
            texts[key] = None
    return texts[key]
