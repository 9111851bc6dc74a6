"""The headings of tables for quotes of their rows: they stand far above most rows, and without them a row says nothing."""

import asyncio
from bisect import bisect
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from schemas.evidence import Excerpt
from schemas.state import ResearchState
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.text.tables import row_of, same_table

MAX_HEADS = 2_000
"""Characters of a line of headings."""


async def with_table_heads(state: ResearchState, evidence: EvidenceStore) -> ResearchState:
    """Return the state with its excerpts of rows of tables holding the headings of their columns."""
    results, background = state["results"], state["background"]
    excerpts = [excerpt for result in results.values() for excerpt in result.excerpts]
    excerpts += background.excerpts if background else []
    heads = await _heads(excerpts, evidence)
    if not heads:
        return state

    def headed(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
        return [excerpt.model_copy(update={"heads": heads.get(_place(excerpt), "")}) for excerpt in excerpts]

    return {
        **state,
        "results": {
            key: result.model_copy(update={"excerpts": headed(result.excerpts)}) for key, result in results.items()
        },
        "background": background and background.model_copy(update={"excerpts": headed(background.excerpts)}),
    }


async def _heads(excerpts: Iterable[Excerpt], evidence: EvidenceStore) -> dict[tuple[str, int], str]:
    by_source: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        if row_of(excerpt.quote.partition("\n")[0]) is not None:
            by_source.setdefault(excerpt.content_hash, []).append(excerpt)
    found: dict[tuple[str, int], str] = {}
    for content_hash, rows in by_source.items():
        try:
            text = await evidence.get_text(content_hash)
        except StoreError:
            continue
        tables = await asyncio.to_thread(headed_rows, text)
        found |= {_place(excerpt): heads for excerpt in rows if (heads := heads_at(tables, excerpt.start))}
    return found


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
