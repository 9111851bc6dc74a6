"""The moments at which a run is killed: at far ends, at files of the report, and by lot."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

from tests.crash.watching import Happening
from tests.crash.world import AFTER, Phase

Moment = tuple[str, str]
"""A call and its phase; a file of the report and what happens to it; `checkpoint`, `store` or `time` and a number."""


@dataclass(slots=True)
class Moments:
    """When to kill: at each of some named moments once, and at some that are drawn by lot."""

    named: set[Moment] = field(default_factory=set)
    lots: int = 0
    """How many lives more are ended by lot."""
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - for repeating
    longest: float = 6.0
    """Seconds within which a life that ends at any time does so."""

    def seconds(self) -> float | None:
        """Return after how many seconds the next life ends, if it is one of those that end at any time."""
        if self.lots > 0 and self.chance.random() < 0.5:
            return self.chance.uniform(0.0, self.longest)
        return None

    def writes(self) -> int:
        """Return after how many writes to the databases the next life ends by lot; 0 for not at all."""
        return self.chance.randint(1, 40) if self.lots > 0 else 0


def phases(*wanted: Phase) -> set[Moment]:
    """Return moments of all calls; programs and tools are only seen to begin."""
    begun = {(label, "asked") for label in ("tool", "code")}
    return {(label, phase) for label in AFTER for phase in wanted if label not in {"tool", "code"}} | begun


def file_moments(names: Iterable[str], *wanted: Happening) -> set[Moment]:
    """Return moments of files of a report; while one is `made` and `written`, it has a name that says so."""
    return {(PurePath(name).name, what) for name in names for what in wanted}
