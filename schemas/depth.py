"""Depth: one choice, from which follows how far a run goes, unless it chooses a part of that by itself."""

from dataclasses import dataclass
from typing import Literal, get_args

Depth = Literal["quick", "standard", "deep", "exhaustive"]


@dataclass(frozen=True, slots=True, kw_only=True)
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
    "quick": Level(
        plans=1,
        steps=3,
        rounds=1,
        sources=6,
        hits=10,
        pages=6,
        passage_tokens=1_300,
        background=6,
        words=(0, 0),
        reworked=0,
        prompt_tokens=3_000,
        answer_tokens=500,
        seconds=180,
    ),
    "standard": Level(
        plans=3,
        steps=3,
        rounds=2,
        sources=25,
        hits=30,
        pages=6,
        passage_tokens=4_000,
        background=6,
        words=(800, 2_000),
        reworked=0,
        prompt_tokens=40_000,
        answer_tokens=6_000,
        seconds=900,
    ),
    "deep": Level(
        plans=5,
        steps=6,
        rounds=4,
        sources=80,
        hits=60,
        pages=8,
        passage_tokens=12_000,
        background=12,
        words=(3_000, 6_000),
        reworked=1,
        prompt_tokens=250_000,
        answer_tokens=25_000,
        seconds=2_400,
        links=5,
    ),
    "exhaustive": Level(
        plans=8,
        steps=12,
        rounds=6,
        sources=200,
        hits=200,
        pages=10,
        passage_tokens=24_000,
        background=12,
        words=(6_000, 0),
        reworked=2,
        prompt_tokens=800_000,
        answer_tokens=60_000,
        seconds=7_200,
        links=5,
    ),
}
DEPTHS: tuple[Depth, ...] = get_args(Depth)
