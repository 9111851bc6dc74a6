"""Reading on: what stands before or behind passages in their stored texts, as the researcher's model asks for."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from schemas.evidence import Passage
from schemas.researcher import MOST_READ_ON
from services.run.evidence_store import EvidenceStore
from services.text.passages import Span, split

STRETCH = 3
"""Passages that one request brings, at most: about a section."""
_REQUEST = re.compile(r"(before)?\W{0,3}\b(P\d{1,3})\b", re.IGNORECASE)


async def read_on(asked: Sequence[str], shown: Mapping[str, Passage], evidence: EvidenceStore) -> list[Passage]:
    """Return the passages that requests ask for, in the order of the requests; ids of no passage ask for nothing.

    Args:
        asked: `P3` for what follows passage P3, `before P3` for what stands before it.
        shown: the passages by their ids.
        evidence: the stored texts.
    """
    found: list[Passage] = []
    for request in asked[:MOST_READ_ON]:
        named = _REQUEST.search(request)
        passage = shown.get(named[2].upper()) if named else None
        if named and passage is not None:
            text = await evidence.get_text(passage.content_hash)
            spans = await asyncio.to_thread(_beside, text, passage, before=bool(named[1]))
            found += (
                passage.model_copy(update={"start": span.start, "end": span.end, "text": text[span.start : span.end]})
                for span in spans
            )
    return found


def _beside(text: str, passage: Passage, *, before: bool) -> list[Span]:
    """Return the passages directly before or behind one, in the text's order. Blocking: texts may be long."""
    spans = split(text)
    if before:
        return [span for span in spans if span.end <= passage.start][-STRETCH:]
    return [span for span in spans if span.start >= passage.end][:STRETCH]
