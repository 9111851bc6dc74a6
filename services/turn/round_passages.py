"""The passages that each round shows: by turns what the last one asked to read on and what its own queries found, then what waits.

Last comes what earlier steps have quoted. No passage is shown twice.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from schemas.evidence import Passage, QuotePlace
from schemas.researcher import MOST_READ_ON
from services.models.prompt_fit import evidence_tokens, passages_within
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.pool import what_begins
from services.text.heads import section_names
from services.text.passages import TARGET, split
from services.text.ranking import bm25
from services.text.spans import Span
from services.text.tokens import tokens

STRETCH = 3
"""Passages that one request brings, at most: about a section."""
_REQUEST = re.compile(r"(before)?\W{0,3}\b(P\d{1,3})\b(?::\s*+(.{2,100}))?", re.IGNORECASE)


@dataclass(slots=True)
class RoundPassages:
    """The passages of a step's rounds: those that were shown, and those that wait."""

    run: Run
    evidence: EvidenceStore
    quoted: Sequence[QuotePlace]
    """What earlier steps have quoted."""
    shown: dict[str, Passage] = field(default_factory=dict)
    """Passages that rounds showed, by their ids."""
    waiting: list[Passage] = field(default_factory=list)
    """Found passages that were not shown yet, best first."""
    listed: set[str] = field(default_factory=set)
    """Sources whose sections were named, by their hashes."""
    room: int = 0
    """Tokens available for passages in one prompt."""

    async def portion(self, requested: Sequence[Passage], new: Sequence[Passage]) -> list[Passage]:
        """Return the passages of the next round: as many as fit into one prompt, half as many after the first round; the others wait.

        What the last round asked for takes turns with what this round's queries found, which ask for the missing aspects, best first.
        """
        turns = [passage for pair in zip_longest(requested, new) for passage in pair if passage]
        unseen: list[Passage] = []
        for passage in sorted([*turns, *self.waiting], key=self._is_quoted):
            if not any(map(passage.lies_in, [*self.shown.values(), *unseen])):
                unseen.append(passage)
        self.room = await evidence_tokens(self.run, "researcher", self.run.context.level.passage_tokens)
        fitting = passages_within(unseen, self.room // (2 if self.shown else 1))
        self.waiting = unseen[len(fitting) :]
        fitting.sort(key=lambda passage: passage not in requested)
        first = len(self.shown) + 1
        portion = [passage.model_copy(update={"id": f"P{place}"}) for place, passage in enumerate(fitting, first)]
        self.shown |= {passage.id: passage for passage in portion}
        return portion

    async def read_on(self, requests: Sequence[str], queries: Sequence[str]) -> list[Passage]:
        """Return the passages before or after shown passages, or of a section, the first that each request brings, then the second; unknown ids are ignored.

        A request is `P3` for what follows passage P3, `before P3` for what stands before it, or `P3: Drawbacks` for the section of its
        source whose heading has most words in common, of a long one the passages that answer the queries best.
        """
        brought: list[list[Passage]] = []
        for request in requests[:MOST_READ_ON]:
            named = _REQUEST.search(request)
            passage = self.shown.get(named[2].upper()) if named else None
            if named and passage is not None:
                text = await self.evidence.get_text(passage.content_hash)
                heading, before = named[3] or "", bool(named[1])
                brought.append(await asyncio.to_thread(_beside, text, passage, heading, queries, before=before))
        return [passage for turn in zip_longest(*brought) for passage in turn if passage]

    async def contents(self, portion: Sequence[Passage]) -> dict[str, str]:
        """Return the names of the sections of sources that are shown for the first time, by the id of their first passage; a small window has none."""
        if self.room < self.run.context.level.passage_tokens:
            return {}
        first = {passage.content_hash: passage.id for passage in reversed(portion)}
        new = {content_hash: key for content_hash, key in first.items() if content_hash not in self.listed}
        self.listed.update(new)
        texts = await asyncio.gather(*map(self.evidence.get_text, new))
        listed = await asyncio.to_thread(lambda: list(map(section_names, texts)))
        return {key: names for key, names in zip(new.values(), listed, strict=True) if names}

    def _is_quoted(self, passage: Passage) -> bool:
        lengths = (
            min(passage.end, end) - max(passage.start, start)
            for content_hash, start, end in self.quoted
            if content_hash == passage.content_hash
        )
        return 2 * sum(length for length in lengths if length > 0) >= passage.end - passage.start


def _beside(text: str, passage: Passage, heading: str, queries: Sequence[str], *, before: bool) -> list[Passage]:
    """Return the passages directly before or behind one, nearest first, or those below a heading that answer queries best. Blocking: texts may be long."""
    spans = split(text)
    if heading:
        spans = _section(spans, heading)
        scores = bm25([tokens(text[span.start : span.end]) for span in spans], tokens(" ".join(queries)))
        best = sorted(range(len(spans)), key=lambda place: -scores[place])[:STRETCH]
        spans = [spans[place] for place in sorted(best)]
    elif before:
        spans = [span for span in spans if span.end <= passage.start][: -STRETCH - 1 : -1]
    else:
        spans = [span for span in spans if span.start >= passage.end][:STRETCH]
    return [
        passage.model_copy(
            update={
                "start": span.start,
                "end": span.end,
                "text": text[span.start : span.end],
                **what_begins(text, span.start),
            }
        )
        for span in spans
    ]


def _section(spans: Sequence[Span], heading: str) -> list[Span]:
    """Return the passages of the section whose heading has most words in common with another, short ones joined; none where no heading has any."""
    wanted = set(tokens(heading))
    paths = {
        " > ".join(above[:depth])
        for span in spans
        for above in [span.heading.split(" > ")]
        for depth in range(1, 1 + len(above))
    }
    common = {path: len(wanted.intersection(tokens(path.rpartition(" > ")[2]))) for path in paths}
    best = min(common, key=lambda path: (-common[path], len(path), path), default="")
    if not common.get(best):
        return []
    joined: list[Span] = []
    for span in spans:
        if f"{span.heading} > ".startswith(f"{best} > "):
            if joined and span.end - joined[-1].start <= TARGET:
                joined[-1] = replace(joined[-1], end=span.end)
            else:
                joined.append(span)
    return joined
