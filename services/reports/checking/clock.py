"""Ends a check in time, however much a hostile bundle holds."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

SECONDS = 60.0
"""Seconds after which a check ends. A report of 1,000 statements takes about ten."""
_Item = TypeVar("_Item")


class OutOfTime(Exception):
    """A check took longer than `SECONDS`."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Ends a check in time, however much a hostile bundle holds."""

    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)

    def each(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Yield items while there is time.

        Raises:
            OutOfTime: no time is left.
        """
        for item in items:
            if time.monotonic() > self.until:
                raise OutOfTime
            yield item
