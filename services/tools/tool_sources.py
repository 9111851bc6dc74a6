"""Converts tool results to sources and passages, so that they can be quoted."""

import asyncio
from collections.abc import Iterable, Sequence

from schemas.evidence import Passage, Source
from services.run.evidence_store import EvidenceStore
from services.search.source_kinds import site_of
from services.text.normal_form import normalise_text
from services.text.passages import split
from services.text.ranking import bm25
from services.text.tokens import tokens
from services.tools.output import ToolOutput


async def passages_of(
    output: ToolOutput, content_hash: str, evidence: EvidenceStore
) -> tuple[list[Passage], dict[str, Source]]:
    """Return the passages of a result and their sources.

    Args:
        output: output of one call.
        content_hash: hash of its full text in the evidence store.
        evidence: the store.

    Returns:
        Its passages, the whole text below its heading where it has none of its own; their sources by content hash.
    """
    if output.passages or not output.title:
        return output.passages, output.sources
    text = await evidence.get_text(content_hash)
    start = 0
    if output.heading:
        stored = await asyncio.to_thread(normalise_text, output.heading + text)
        start = len(stored) - len(text)
        content_hash = await evidence.put_text(stored)
    source = Source(
        url=output.url,
        title=output.title,
        kind=output.kind,
        content_hash=content_hash,
        site=output.site or site_of(output.url, output.kind),
        source_kind=output.source_kind,
        fetched_at=output.at,
        published=output.published,
        card=output.card,
    )
    whole = Passage(
        id="",
        content_hash=content_hash,
        title=source.title,
        start=start,
        end=start + len(text),
        text=text,
        site=source.site,
        source_kind=source.source_kind,
        published=source.published or "",
        about=source.card.about,
    )
    return [whole], {content_hash: source}


def renumbered(passages: Iterable[Passage]) -> list[Passage]:
    """Return passages renumbered as `P1`, `P2` and so on."""
    return [passage.model_copy(update={"id": f"P{place}"}) for place, passage in enumerate(passages, 1)]


def ranked(passages: Sequence[Passage], query: str) -> list[Passage]:
    """Split long passages, sort them by relevance to a query, and renumber them."""
    parts = [
        passage.model_copy(
            update={
                "start": passage.start + span.start,
                "end": passage.start + span.end,
                "text": passage.text[span.start : span.end],
            }
        )
        for passage in passages
        for span in split(passage.text)
    ]
    scores = bm25([tokens(part.text) for part in parts], tokens(query))
    order = sorted(range(len(parts)), key=lambda place: -scores[place])
    return renumbered(parts[place] for place in order)
