"""Notes on the sides of a contradiction: the date of each source, the newer one, and the primary source."""

import re
from collections.abc import Mapping, Sequence

from schemas.evidence import Excerpt, Source
from services.evidence.primary import primary
from services.reports.labels import Labels

_ISO = re.compile(r"[12]\d{3}(?:-\d{2}(?:-\d{2})?)?")


def side_notes(sides: Sequence[Excerpt], sources: Mapping[str, Source], labels: Labels) -> list[str]:
    """Return the note of each side; empty if there is none.

    Args:
        sides: the contradicting excerpts.
        sources: sources by content hash; a copy counts as the source that it is cited as.
        labels: labels in the report's language.
    """
    cited = [_cited_as(sources[side.content_hash], sources) for side in sides]
    dates = [source.published or "" for source in cited]
    quotes, titles, addresses = zip(
        *((side.quote, source.title, source.url) for side, source in zip(sides, cited, strict=True)), strict=True
    )
    notes: list[str] = []
    for place, date in enumerate(dates):
        published = labels.newer if _newest(date, dates) else labels.published
        said = [published.format(date=date)] if date else []
        if primary(place, quotes, titles, addresses):
            said.append(labels.primary)
        notes.append(" · ".join(said))
    return notes


def _cited_as(source: Source, sources: Mapping[str, Source]) -> Source:
    return sources.get(source.duplicate_of or "", source)


def _newest(date: str, dates: Sequence[str]) -> bool:
    """Tell whether a date is later than one of the others and earlier than none; all must be known precisely enough."""
    if not all(_ISO.match(date) for date in dates):
        return False
    order = [_order(date, other) for other in dates]
    return 1 in order and -1 not in order


def _order(date: str, other: str) -> int:
    """Return 1 if a date is later than another, -1 if it is earlier, 0 if unknown: March may be before 3 March."""
    left, right = (found.group() if (found := _ISO.match(day)) else "" for day in (date, other))
    size = min(len(left), len(right))
    return (left[:size] > right[:size]) - (left[:size] < right[:size])
