"""Finds quotes that are too old for a dated question: published long before its time, or superseded by a newer quote."""

from collections.abc import Iterable, Set
from datetime import date
from typing import NamedTuple

from services.text.copies import tells_no_more
from services.text.dates import WantedTime, latest_day, wanted_time
from services.text.terms import terms

MAX_AGE_YEARS = 2
"""Years before the time that a question asks about from which on what was published is old."""
NEWER_DAYS = 365
"""Days by which a source must be newer to overtake another."""
MIN_SHARED, SHARED = 5, 0.45
"""Terms that two quotes must share, and their share of the shorter one, to be on one thing."""
MAX_COMPARED = 300
"""Quotes, the newest first, that are compared with each other; comparing takes time with their square."""


class DatedQuote(NamedTuple):
    """A quote with the date of its source."""

    id: str
    quote: str
    published: str | None
    """ISO date; empty or None where it is not known, and then nothing is said of the quote."""


def outdated_quotes(question: str, today: str, quotes: Iterable[DatedQuote]) -> list[str]:
    """Return the ids of old quotes, in the order given; none where the question is not dated.

    A question for today's state also makes a quote old that a source newer by a year overtakes: it speaks of the same thing
    and does not repeat all numbers and names of the older one.

    Args:
        question: the user's, in English or Chinese.
        today: ISO date of the day on which it was asked.
        quotes: what was found.
    """
    try:
        wanted = wanted_time(question, date.fromisoformat(today))
    except ValueError:
        return []
    if wanted is None:
        return []
    quotes = list(quotes)
    dated = [(day, quote) for quote in quotes if (day := latest_day(quote.published)) is not None]
    limit = _oldest_day(wanted, date.fromisoformat(today))
    old = {quote.id for day, quote in dated if day < limit}
    if wanted.now:
        old |= _overtaken(dated)
    return [quote.id for quote in quotes if quote.id in old]


def _oldest_day(wanted: WantedTime, today: date) -> date:
    """Return the day from which on a source is not old."""
    if wanted.first == today.year:
        return date(today.year - MAX_AGE_YEARS, today.month, min(today.day, 28))
    return date(wanted.first - MAX_AGE_YEARS, 1, 1)


def _overtaken(dated: list[tuple[date, DatedQuote]]) -> set[str]:
    newest = sorted(dated, key=lambda pair: pair[0], reverse=True)[:MAX_COMPARED]
    held = [frozenset(terms(quote.quote)) for _, quote in newest]
    return {
        quote.id
        for place, (day, quote) in enumerate(newest)
        if any(
            (newer_day - day).days >= NEWER_DAYS
            and on_one_thing(held[place], held[other])
            and not tells_no_more(quote.quote, newer.quote)
            for other, (newer_day, newer) in enumerate(newest[:place])
        )
    }


def on_one_thing(terms_of_one: Set[str], terms_of_other: Set[str]) -> bool:
    """Tell by their terms whether two quotes speak of one thing."""
    shared = len(terms_of_one & terms_of_other)
    return shared >= max(MIN_SHARED, SHARED * min(len(terms_of_one), len(terms_of_other)))
