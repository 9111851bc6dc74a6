"""What stands above a quote in its source: its section, what begins its table or code, and the number of its page."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from schemas.evidence import Excerpt
from schemas.state import ResearchState
from services.evidence.citable_excerpts import all_excerpts, with_each
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.text.heads import Heads, Sections
from services.text.page_numbers import Pages


async def with_places(state: ResearchState, evidence: EvidenceStore) -> ResearchState:
    """Return the state with its excerpts placed."""
    locations = await _locations(all_excerpts(state), evidence)
    return with_each(state, lambda excerpt: excerpt.model_copy(update=locations.get(_place(excerpt), {})))


async def placed(excerpts: Sequence[Excerpt], evidence: EvidenceStore) -> list[Excerpt]:
    """Return excerpts with their sections and pages, and the headings of their tables or the beginning of their code."""
    locations = await _locations(excerpts, evidence)
    return [excerpt.model_copy(update=locations.get(_place(excerpt), {})) for excerpt in excerpts]


async def _locations(excerpts: Iterable[Excerpt], evidence: EvidenceStore) -> dict[tuple[str, int], dict[str, Any]]:
    by_source: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        by_source.setdefault(excerpt.content_hash, []).append(excerpt)
    locations: dict[tuple[str, int], dict[str, Any]] = {}
    for content_hash, quoted in by_source.items():
        try:
            text = await evidence.get_text(content_hash)
        except StoreError:
            continue
        locations |= await asyncio.to_thread(_above, text, quoted)
    return locations


def _above(text: str, quoted: Sequence[Excerpt]) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the section, page and table or code headings above quotes of a text, by their places."""
    heads, pages, sections = Heads(text), Pages(text), Sections(text)
    return {
        place: {
            "section": sections.at(place[1]),
            "heads": heads.at(place[1]),
            "page": pages.at(place[1]),
        }
        for place in map(_place, quoted)
    }


def _place(excerpt: Excerpt) -> tuple[str, int]:
    return excerpt.content_hash, excerpt.start
