"""What stands beside quotes in their passages, as further excerpts: a writer sees whole passages and cites any part of them."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from schemas.evidence import Excerpt, Source
from services.evidence.citable_excerpts import TextOf, quoted_texts
from services.evidence.references import MOST_QUOTED
from services.reports.section_evidence import of_texts
from services.text.code_blocks import is_fence
from services.text.heads import Heads
from services.text.passages import each_passage
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
        known: all excerpts, with these, whose ids are taken.
        shown: ids of known excerpts that are shown already; what neither these nor the returned known ones hold becomes a new excerpt.
        sources: by content hash.
        text_of: returns the stored texts; a text that is lost has no passages.
    """
    numbers = Counter[str]()
    for excerpt in known:
        step, _, number = excerpt.id.partition("-")
        numbers[step] = max(numbers[step], int(number))
    further: list[Excerpt] = []
    async for text, quoted in quoted_texts(of_texts(quotes, sources), text_of):
        content_hash = quoted[0].content_hash
        ids = {quote.id for quote in quoted}
        others = [each for each in known if each.content_hash == content_hash and each.id not in ids]
        seen = [each for each in others if each.id in shown]
        hidden = [each for each in others if each.id not in shown]
        for first, beside, stretches in await asyncio.to_thread(_passages, text, quoted, seen, hidden):
            further += beside
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
    text: str, quotes: Sequence[Excerpt], seen: Sequence[Excerpt], hidden: Sequence[Excerpt]
) -> list[tuple[Excerpt, list[Excerpt], list[tuple[int, int]]]]:
    """Return of each quoted passage its first quote, the hidden excerpts in it, and the stretches that nothing holds, long ones parted."""
    passages: list[tuple[Excerpt, list[Excerpt], list[tuple[int, int]]]] = []
    heads, last, held = Heads(text), max(quote.end for quote in quotes), [*quotes, *seen]
    for passage in each_passage(text):
        if passage.start >= last:
            break
        first = min(_overlaps(passage, quotes), key=lambda quote: quote.start, default=None)
        if first is None:
            continue
        beside: list[Excerpt] = []
        for excerpt in _overlaps(passage, hidden):
            if not _overlaps(excerpt, held):
                beside.append(excerpt)
                held.append(excerpt)
        stretches: list[tuple[int, int]] = []
        joins = False
        for unit in units(text[passage.start : passage.end], in_code=is_fence(heads.at(passage.start))):
            place = Span(passage.start + unit.start, passage.start + unit.end)
            free = not _overlaps(place, held)
            if free and joins and place.end - stretches[-1][0] <= MOST_QUOTED:
                stretches[-1] = (stretches[-1][0], place.end)
            elif free:
                stretches.append((place.start, place.end))
            joins = free
        kept = [stretch for stretch in stretches if _letters(text[slice(*stretch)]) >= MIN_LETTERS]
        passages.append((first, beside, kept))
    return passages


def _letters(text: str) -> int:
    """Count the letters and digits of a text as it reads, without pictures."""
    return sum(map(str.isalnum, without_markup(text)))
