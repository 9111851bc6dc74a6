"""What tools returned, as sources and passages that can be quoted."""

from collections.abc import Iterable, Sequence

from schemas.evidence import Passage, Source
from services.evidence.passages import split
from services.evidence.ranking import bm25
from services.evidence.store import EvidenceStore
from services.search.tokens import tokens
from services.tools.calls import CallMade


async def returned(calls: Sequence[CallMade], evidence: EvidenceStore) -> tuple[list[Passage], dict[str, Source]]:
    """Return the passages of all calls that succeeded, numbered in the order of the calls, and their sources.

    Returns:
        Passages, a whole result where a tool returned no passages of its own; sources by content hash.
    """
    passages: dict[tuple[str, int, int], Passage] = {}
    sources: dict[str, Source] = {}
    for made in calls:
        output = made.result.output
        if made.result.failed or output is None:
            continue
        found = output.passages
        sources |= {one: source for one, source in output.sources.items() if one not in sources}
        if not found and output.title:
            text = await evidence.get_text(made.result.hash)
            source = Source(
                url=output.url,
                title=output.title,
                kind=output.kind,
                content_hash=made.result.hash,
                fetched_at=output.at,
            )
            sources.setdefault(source.content_hash, source)
            found = [
                Passage(id="", content_hash=source.content_hash, title=source.title, start=0, end=len(text), text=text)
            ]
        for passage in found:
            passages.setdefault((passage.content_hash, passage.start, passage.end), passage)
    return renumbered(passages.values()), sources


def renumbered(passages: Iterable[Passage]) -> list[Passage]:
    """Return passages as `P1`, `P2` and so on."""
    return [one.model_copy(update={"id": f"P{place}"}) for place, one in enumerate(passages, 1)]


def ranked(passages: Sequence[Passage], query: str) -> list[Passage]:
    """Split long passages and put those first that say most about a query, numbered anew."""
    parts = [
        one.model_copy(
            update={
                "start": one.start + span.start,
                "end": one.start + span.end,
                "text": one.text[span.start : span.end],
            }
        )
        for one in passages
        for span in split(one.text)
    ]
    scores = bm25([tokens(part.text) for part in parts], tokens(query))
    order = sorted(range(len(parts)), key=lambda place: -scores[place])
    return renumbered(parts[place] for place in order)
