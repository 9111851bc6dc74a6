"""What stands beside quotes in their passages, as further excerpts: a writer sees whole passages and cites any part of them."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemas.evidence import Excerpt, Source
from services.evidence.references import MOST_QUOTED
from services.reports.section_evidence import READ_KINDS, TextOf
from services.run.errors import StoreError
from services.text.heads import Heads
from services.text.passages import each_passage, is_fence
from services.text.units import units

MIN_LETTERS = 12
"""Letters and digits of the shortest further excerpt."""


async def beside_quotes(
    quotes: Iterable[Excerpt], known: Sequence[Excerpt], sources: Mapping[str, Source], text_of: TextOf
) -> list[Excerpt]:
    """Return excerpts of what the passages of quotes hold besides; each belongs to the step of the first quote of its passage.

    Args:
        quotes: excerpts of steps.
        known: all excerpts, of which none is given again, and whose ids are taken.
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
        held = [(excerpt.start, excerpt.end) for excerpt in known if excerpt.content_hash == content_hash]
        try:
            text = await text_of(content_hash)
        except StoreError:
            continue
        for first, start, end in await asyncio.to_thread(lambda *given: list(_unquoted(*given)), text, quoted, held):
            step = first.id.partition("-")[0]
            numbers[step] += 1
            key, quote = f"{step}-{numbers[step]}", text[start:end]
            further.append(Excerpt(id=key, content_hash=content_hash, quote=quote, start=start, end=end))
    return further


def _unquoted(
    text: str, quotes: Sequence[Excerpt], held: Sequence[tuple[int, int]]
) -> Iterator[tuple[Excerpt, int, int]]:
    """Yield the first quote of each passage with each stretch of it that is not held, by start and end; long ones are parted."""
    heads, last = Heads(text), max(quote.end for quote in quotes)
    for passage in each_passage(text):
        if passage.start >= last:
            return
        first = min(
            (quote for quote in quotes if quote.start < passage.end and passage.start < quote.end),
            key=lambda quote: quote.start,
            default=None,
        )
        if first is None:
            continue
        stretches: list[tuple[int, int]] = []
        joins = False
        for unit in units(text[passage.start : passage.end], in_code=is_fence(heads.at(passage.start))):
            start, end = passage.start + unit.start, passage.start + unit.end
            free = not any(begin < end and start < ended for begin, ended in held)
            if free and joins and end - stretches[-1][0] <= MOST_QUOTED:
                stretches[-1] = (stretches[-1][0], end)
            elif free:
                stretches.append((start, end))
            joins = free
        for start, end in stretches:
            if sum(map(str.isalnum, text[start:end])) >= MIN_LETTERS:
                yield first, start, end
