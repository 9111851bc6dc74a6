"""How old a remembered statement may be for a question; an older one is checked again in its source."""

from datetime import date, timedelta

from schemas.options import DAYS, TimeRange
from services.text.dates import wanted_time

MAX_DAYS = 365
"""Days that any remembered statement may be old."""


def oldest_allowed(question: str, today: str, time_range: TimeRange | None = None) -> str:
    """Return the ISO date from which on a statement must have been proven.

    A question for the present state allows today alone; for a past time, what was proven after that time was over.

    Args:
        question: in English or Chinese.
        today: ISO date of the day on which it is asked.
        time_range: how recent a page must be, where the run chose that.
    """
    now = date.fromisoformat(today)
    oldest = [now - timedelta(days=MAX_DAYS)]
    if time_range is not None:
        oldest.append(now - timedelta(days=DAYS[time_range]))
    if (wanted := wanted_time(question, now)) is not None:
        oldest.append(now if wanted.now else date(wanted.last + 1, 1, 1))
    return min(max(oldest), now).isoformat()
