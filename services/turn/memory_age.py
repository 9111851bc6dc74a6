"""Maximum age of a remembered statement for a question; older statements are checked again in their sources."""

from datetime import date, timedelta

from schemas.options import DAYS, TimeRange
from services.text.dates import wanted_time

MAX_DAYS = 365
"""Maximum age in days of any remembered statement."""


def oldest_allowed(question: str, today: str, time_range: TimeRange | None = None) -> str:
    """Return the earliest ISO date of a proof that the question accepts.

    A question about the present accepts only today; a question about a past time accepts proofs from after that time.

    Args:
        question: the question, in English or Chinese.
        today: ISO date of the question.
        time_range: the run's maximum age of pages, if chosen.
    """
    now = date.fromisoformat(today)
    oldest = [now - timedelta(days=MAX_DAYS)]
    if time_range is not None:
        oldest.append(now - timedelta(days=DAYS[time_range]))
    if (wanted := wanted_time(question, now)) is not None:
        oldest.append(now if wanted.now else date(wanted.last + 1, 1, 1))
    return min(max(oldest), now).isoformat()
