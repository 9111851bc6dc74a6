"""Enforces the pause between requests that a service asks for, in the whole process: all runs, threads and loops."""

import threading
import time
from collections.abc import Callable
from functools import lru_cache

from services.run.errors import SearchError

LONGEST_WAIT = 60.0
"""Maximum seconds that a search waits for its turn; it fails if it would wait longer."""


class Pace:
    """Turns at one host. An unused turn expires."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next = 0.0

    def take(self, pause: float, title: str) -> float:
        """Take the next turn, and return the seconds until it comes.

        Args:
            pause: seconds until the following turn.
            title: title of the service, for the message.

        Raises:
            SearchError: too many searches are waiting.
        """
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            if start - now > LONGEST_WAIT:
                raise SearchError(
                    f"{title} accepts one search every {pause:g} seconds, and too many are waiting. Try again later."
                )
            self._next = start + pause
            return start - now


@lru_cache(maxsize=256)
def pace_of(host: str) -> Pace:
    """Return the turns at a host and port."""
    return Pace()
