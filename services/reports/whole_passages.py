"""What stands beside quotes in their passages, as further excerpts: a writer sees whole passages and cites any part of them."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from schemas.evidence import Excerpt, Source
from services.evidence.references import MOST_QUOTED
from services.reports.section_evidence import READ_KINDS, TextOf
from services.run.errors import StoreError
from services.text.heads import Heads
from services.text.passages import each_passage, is_fence
from services.text.quotable import without_markup
from services.text.spans import Span
from services.text.units import units

MIN_LETTERS = 12
"""Letters and digits of the shortest further excerpt."""


async def beside_quotes(
    quotes: Iterable[Excerpt],
    known: Sequence[Excerpt],
    shown: Collection[str],
    sources: Mapping[str, Source],
    text_of: TextOf,
) -> list[Excerpt]:
    """Return excerpts of what the passages of quotes hold besides: known ones, and new ones of the step that quoted the passage first.

    Args:
        quotes: excerpts of steps.
        known: all excerpts, with these; what none of them holds becomes a new one.
        shown: ids of known excerpts that are shown elsewhere.
        sources: by content hash.
        text_of: returns the stored texts; a text that is lost has no passages.
    """
    numbers = Counter[str]()
    for excerpt in known:
        step, _, number = excerpt.id.partition("-")
        numbers[step] = max(numbers[step], int(number))
    by_source: dict[str, list[Excerpt]] = {}
    for excerpt in quotes:
        source = sources.get(excerpt.content_hash)
        if source is not None and source.kind in READ_KINDS:
            by_source.setdefault(excerpt.content_hash, []).append(excerpt)
    further: list[Excerpt] = []
    for content_hash, quoted in by_source.items():
        others = [*quoted]
        for other in known:
            if other.content_hash == content_hash and not _overlaps(other, others):
                others.append(other)
        try:
            text = await text_of(content_hash)
        except StoreError:
            continue
        passages = await asyncio.to_thread(lambda *given: list(_passages(*given)), text, quoted, others)
        for first, beside, stretches in passages:
            further += [excerpt for excerpt in beside if excerpt.id not in shown]
            step = first.id.partition("-")[0]
            for start, end in stretches:
                numbers[step] += 1
                key, quote = f"{step}-{numbers[step]}", text[start:end]
                further.append(Excerpt(id=key, content_hash=content_hash, quote=quote, start=start, end=end))
    return further


def _overlaps(stretch: Excerpt | Span, excerpts: Iterable[Excerpt]) -> list[Excerpt]:
    """Return the excerpts of the same text that overlap a stretch of it."""
    return [excerpt for excerpt in excerpts if excerpt.start < stretch.end and stretch.start < excerpt.end]


def _passages(
    text: str, quotes: Sequence[Excerpt], known: Sequence[Excerpt]
) -> Iterator[tuple[Excerpt, list[Excerpt], list[tuple[int, int]]]]:
    """Yield of each quoted passage its first quote, the other excerpts in it, and the stretches that none holds, long ones parted."""
    heads, last = Heads(text), max(quote.end for quote in quotes)
    left = [other for other in known if other not in quotes]
    for passage in each_passage(text):
        if passage.start >= last:
            return
        first = min(_overlaps(passage, quotes), key=lambda quote: quote.start, default=None)
        if first is None:
            continue
        beside = _overlaps(passage, left)
        left = [other for other in left if other not in beside]
        stretches: list[tuple[int, int]] = []
        joins = False
        for unit in units(text[passage.start : passage.end], in_code=is_fence(heads.at(passage.start))):
            place = Span(passage.start + unit.start, passage.start + unit.end)
            free = not _overlaps(place, known)
            if free and joins and place.end - stretches[-1][0] <= MOST_QUOTED:
                stretches[-1] = (stretches[-1][0], place.end)
            elif free:
                stretches.append((place.start, place.end))
            joins = free
        yield first, beside, [stretch for stretch in stretches if _letters(text[slice(*stretch)]) >= MIN_LETTERS]


def _letters(text: str) -> int:
    """Count the letters and digits of a text as it reads, without pictures."""
    return sum(map(str.isalnum, without_markup(text)))
