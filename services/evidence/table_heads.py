"""What stands above a quote in its source: its section, the headings of its table, without which a row says nothing, and the number of its page."""

import asyncio
from bisect import bisect
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from schemas.evidence import Excerpt
from schemas.state import ResearchState
from services.evidence.citable_excerpts import all_excerpts, with_each
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.text.page_numbers import Pages
from services.text.passages import plain_heading, split
from services.text.quotable import without_markup
from services.text.tables import row_of, same_table

LONGEST_SECTION = 80
"""Characters of a section's heading."""
MAX_HEADS = 2_000
"""Characters of a line of headings."""


async def with_places(state: ResearchState, evidence: EvidenceStore) -> ResearchState:
    """Return the state with its excerpts holding their sections and pages, and those of rows of tables the headings of their columns."""
    found = await _found(all_excerpts(state), evidence)
    return with_each(state, lambda excerpt: excerpt.model_copy(update=found.get(_place(excerpt), {})))


async def _found(excerpts: Iterable[Excerpt], evidence: EvidenceStore) -> dict[tuple[str, int], dict[str, Any]]:
    by_source: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        by_source.setdefault(excerpt.content_hash, []).append(excerpt)
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for content_hash, quoted in by_source.items():
        try:
            text = await evidence.get_text(content_hash)
        except StoreError:
            continue
        found |= await asyncio.to_thread(_above, text, quoted)
    return found


def _above(text: str, quoted: Sequence[Excerpt]) -> dict[tuple[str, int], dict[str, Any]]:
    """Return what stands above quotes of a text, by their places."""
    rows = {_place(excerpt) for excerpt in quoted if row_of(excerpt.quote.partition("\n")[0]) is not None}
    tables = headed_rows(text) if rows else []
    pages, passages = Pages(text), split(text)

    def section_at(start: int) -> str:
        place = bisect(passages, start, key=lambda passage: passage.start) - 1
        return plain_heading(without_markup(passages[place].heading))[:LONGEST_SECTION] if place >= 0 else ""

    return {
        place: {
            "section": section_at(place[1]),
            "heads": heads_at(tables, place[1]) if place in rows else "",
            "page": pages.at(place[1]),
        }
        for place in map(_place, quoted)
    }


def _place(excerpt: Excerpt) -> tuple[str, int]:
    return excerpt.content_hash, excerpt.start


class HeadedRows(NamedTuple):
    """The rows of a table below its headings, by their places in a text."""

    start: int
    end: int
    heads: str


def headed_rows(text: str) -> list[HeadedRows]:
    """Return the rows of the tables of a text, in order."""
    found: list[HeadedRows] = []
    heads, first, before, former, place = "", 0, "", None, 0
    for line in [*text.split("\n"), ""]:
        row = row_of(line)
        if former is not None and (row is None or not same_table(before, line, former, row)):
            if first < place and len(heads) <= MAX_HEADS:
                found.append(HeadedRows(first, place, heads))
            former = None
        if row is not None and former is None:
            heads, first = line, place + len(line) + 1
        before, former = line, row
        place += len(line) + 1
    return found


def heads_at(tables: Sequence[HeadedRows], start: int) -> str:
    """Return the headings of the table that has a row at a place; empty at the headings, and where no table is."""
    place = bisect(tables, start, key=lambda rows: rows.start) - 1
    return tables[place].heads if place >= 0 and start < tables[place].end else ""
