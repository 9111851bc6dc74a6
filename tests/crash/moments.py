"""The moments at which a run is killed: at far ends, at files, and by lot."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

from tests.crash.watching import Happening
from tests.crash.world import AFTER, Phase

Moment = tuple[str, str]
"""A call and its phase; a file and what happens to it."""

MOST_HAPPENINGS = 200
"""Of these a life that is ended by lot sees at most. Of writes to databases, calls and files a whole run has some 600."""
TIMED = 0.3
"""Share of the lives ended by lot that end after some time, whatever happens then; start and imports are most of it."""


@dataclass(frozen=True, slots=True)
class Lot:
    """How a life ends that is not ended at a named moment."""

    seconds: float | None = None
    count: int = 0
    """Number of the happening at which it ends; 0 for never."""
    of: frozenset[Moment] = frozenset()
    """Happenings that are counted; all, if none are named."""


@dataclass(slots=True)
class Moments:
    """When to kill: at each of some named moments once, or at some that are drawn by lot, or at every one of a kind."""

    named: set[Moment] = field(default_factory=set)
    lots: int = 0
    """How many lives more are ended by lot."""
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - for repeating
    longest: float = 6.0
    """Seconds within which a life that ends at any time does so."""
    every: Moment | None = None
    """Happenings of a kind: the first life ends at the first of them, the second at its second, and so on."""
    _lives: int = 0

    def lot(self) -> Lot:
        """Draw how the next life ends."""
        if self.every is not None:
            self._lives += 1
            return Lot(count=self._lives, of=frozenset({self.every}))
        if self.lots <= 0:
            return Lot()
        if self.chance.random() < TIMED:
            return Lot(self.chance.uniform(0.0, self.longest))
        return Lot(count=self.chance.randint(1, MOST_HAPPENINGS))


BEFORE_CODE, AFTER_CODE = ("main.py", "made"), ("main.py", "gone")


def phases(*wanted: Phase) -> set[Moment]:
    """Return moments of all calls. Of tools it is seen that they begin; of programs, when their folder is made and is gone, too."""
    far = {(label, phase) for label in AFTER for phase in wanted if label not in {"tool", "code"}}
    return far.union(
        *(
            {"asked": {BEFORE_CODE}, "half": {("tool", "asked"), ("code", "asked")}, "answered": {AFTER_CODE}}[one]
            for one in wanted
        )
    )


def file_moments(names: Iterable[str], *wanted: Happening) -> set[Moment]:
    """Return moments of files of a report; while one is `made` and `written`, it has a name that says so."""
    return {(PurePath(name).name, what) for name in names for what in wanted}
