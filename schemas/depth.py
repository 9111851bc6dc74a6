"""Depth: one choice, from which follows how far a run goes, unless it chooses a part of that by itself."""

from dataclasses import dataclass
from typing import Literal, get_args

Depth = Literal["quick", "standard", "deep", "exhaustive"]


@dataclass(frozen=True, slots=True)
class Level:
    """What a depth comes to. The model's window and what is left of the budget make portions smaller, never larger."""

    plans: int
    """Plans that a run may make: the first one and its replans."""
    steps: int
    """Steps that one plan may have."""
    rounds: int
    """Rounds of search in one step."""
    sources: int
    """Sources that a run reads, about."""
    hits: int
    """Hits that one search in the user's documents gives."""
    pages: int
    """Pages that one round reads at most."""
    passage_tokens: int
    """Tokens that the passages of one prompt have together."""
    background: int
    """Passages that the background search keeps."""
    words: tuple[int, int]
    """Fewest and most words of a report where the evidence allows; zero: as few, or as many, as it takes."""
    reworked: int
    """How often the weakest section is researched again and written anew."""
    prompt_tokens: int
    """Tokens that models read in the course of a run, about."""
    answer_tokens: int
    """Tokens that models write in the course of a run, about."""
    seconds: int
    """Seconds that a run may take."""
    links: int = 0
    """Links of one page that a step follows at most."""

    @property
    def wide(self) -> bool:
        """Whether breadth matters more than cost: tools of our own for steps, viewpoints, sections written anew."""
        return self.reworked > 0

    @property
    def nodes(self) -> int:
        """Nodes that the outline of a first plan may have; 0: it has no outline."""
        return 2 * self.steps if self.plans > 1 else 0


LEVELS: dict[Depth, Level] = {
    "quick": Level(1, 3, 1, 6, 10, 6, 1_300, 6, (0, 0), 0, 3_000, 500, 180),
    "standard": Level(3, 3, 2, 25, 30, 6, 4_000, 6, (800, 2_000), 0, 40_000, 6_000, 900),
    "deep": Level(5, 6, 4, 80, 60, 8, 12_000, 12, (3_000, 6_000), 1, 250_000, 25_000, 2_400, 5),
    "exhaustive": Level(8, 12, 6, 200, 200, 10, 24_000, 12, (6_000, 0), 2, 800_000, 60_000, 7_200, 5),
}
DEPTHS: tuple[Depth, ...] = get_args(Depth)
