"""The pause that a service asks for between requests, kept for the whole process: all runs, threads and event loops."""

import threading
import time
from collections.abc import Callable
from functools import lru_cache

from services.run.errors import SearchError

LONGEST_WAIT = 60.0
"""Seconds that a search waits for its turn; one that would wait longer fails."""


class Pace:
    """Turns at one host. A turn that was taken and not used passes unused."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next = 0.0

    def take(self, pause: float, title: str) -> float:
        """Take the next turn, and return the seconds until it comes.

        Args:
            pause: seconds until the turn after it.
            title: of the service, for the message.

        Raises:
            SearchError: too many wait already.
        """
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            if start - now > LONGEST_WAIT:
                raise SearchError(
                    f"{title} takes one search every {pause:g} seconds, and too many are waiting. Try again later."
                )
            self._next = start + pause
            return start - now


@lru_cache(maxsize=256)
def pace_of(host: str) -> Pace:
    """Return the turns at a host, with its port."""
    return Pace()
