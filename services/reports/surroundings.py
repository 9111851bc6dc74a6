"""The surroundings of a quote in its source: about two sentences on each side, for the reporter."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from schemas.evidence import Excerpt, Source
from services.run.errors import StoreError
from services.text.passages import sentences

SENTENCES = 2
"""Sentences on each side."""
LONGEST = 400
"""Maximum characters on each side; a sentence that does not fit is left out."""
_READ = {"web", "document", "tool"}
"""Kinds of source with a text; the text around a computation's output explains nothing."""

TextOf = Callable[[str], Awaitable[str]]
"""Returns the text of a source by its content hash, or raises `StoreError`."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A part of a source around a quote: `text == stored[start:]` as far as it goes."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """End of the part in the source."""
        return self.start + len(self.text)


async def surroundings_of(
    excerpts: Iterable[Excerpt], sources: Mapping[str, Source], text_of: TextOf
) -> dict[str, Surroundings]:
    """Return the surroundings of quotes by excerpt id; each source is read once.

    Args:
        excerpts: excerpts with offsets.
        sources: sources by content hash.
        text_of: returns the stored texts.
    """
    by_source: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        source = sources.get(excerpt.content_hash)
        if source is not None and source.kind in _READ:
            by_source.setdefault(excerpt.content_hash, []).append(excerpt)
    found: dict[str, Surroundings] = {}
    for key, quoted in by_source.items():
        try:
            text = await text_of(key)
        except StoreError:
            continue
        for excerpt in quoted:
            found[excerpt.id] = await asyncio.to_thread(_around, text, excerpt.start, excerpt.end)
    return found


def _around(text: str, start: int, end: int) -> Surroundings:
    first, last = max(0, start - 2 * LONGEST), min(len(text), end + 2 * LONGEST)
    before = [first + span.start for span in sentences(text[first:start])]
    if first > 0:
        before = before[1:]  # it may begin within a sentence
    before = [place for place in before[-SENTENCES:] if start - place <= LONGEST]
    after = [end + span.end for span in sentences(text[end:last])]
    if last < len(text):
        after = after[:-1]
    after = [place for place in after[:SENTENCES] if place - end <= LONGEST]
    left, right = before[0] if before else start, after[-1] if after else end
    return Surroundings(left, text[left:right])


def beside_each_other(excerpts: Iterable[Excerpt], around: Mapping[str, Surroundings]) -> dict[str, tuple[str, str]]:
    """Return the text before and after each excerpt, without parts that another excerpt quotes or shows.

    Args:
        excerpts: excerpts that are shown together.
        around: surroundings by excerpt id.
    """
    shown: dict[str, tuple[str, str]] = {}
    by_source: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        if excerpt.id in around:
            by_source.setdefault(excerpt.content_hash, []).append(excerpt)
    for quoted in by_source.values():
        quoted.sort(key=lambda excerpt: (excerpt.start, excerpt.end))
        told = 0
        for place, excerpt in enumerate(quoted):
            stretch = around[excerpt.id]
            left = min(max(stretch.start, told), excerpt.start)
            right = min([stretch.end, *(other.start for other in quoted[place + 1 : place + 2])])
            right = max(right, excerpt.end)
            before = stretch.text[left - stretch.start : excerpt.start - stretch.start]
            after = stretch.text[max(told, excerpt.end) - stretch.start : right - stretch.start]
            shown[excerpt.id] = (before.strip(), after.strip())
            told = max(told, right)
    return shown
