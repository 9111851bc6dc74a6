"""Finds excerpts that are too old for a dated question, by the dates of their sources."""

from collections.abc import Iterable, Mapping

from schemas.evidence import Excerpt, Source
from services.text.outdated_quotes import DatedQuote, outdated_quotes


def outdated(question: str, today: str, excerpts: Iterable[Excerpt], sources: Mapping[str, Source]) -> list[str]:
    """Return the ids of excerpts that are old for a question, in the order given; none where it is not dated.

    Args:
        question: the user's, in English or Chinese.
        today: ISO date of the day on which it was asked.
        excerpts: what was found; of a source without a date, or without a source, nothing is said.
        sources: by content hash.
    """
    return outdated_quotes(
        question,
        today,
        (
            DatedQuote(excerpt.id, excerpt.quote, source.published)
            for excerpt in excerpts
            if (source := sources.get(excerpt.content_hash)) is not None
        ),
    )
