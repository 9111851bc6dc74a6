"""Depth: one choice, from which follows how far a run goes, unless it chooses a part of that by itself."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

Depth = Literal["quick", "standard", "deep", "exhaustive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The limits of a depth. The model's context window and the remaining budget make portions smaller, never larger."""

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
    evidence_tokens: int
    """Tokens of evidence that a prompt shows beside the findings of steps: the most relevant excerpts."""
    written_tokens: int
    """Tokens of evidence that a report written in one call is written from, as far as it does not answer a step; 0: all."""
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
    looks: int
    """Programs of one step that may look at the texts of a folder before the one that computes."""
    links: int
    """Links of one page that a step follows at most."""

    @property
    def wide(self) -> bool:
        """Whether breadth matters more than cost: tools of our own for steps, viewpoints, sections written anew."""
        return self.reworked > 0

    @property
    def nodes(self) -> int:
        """Nodes that the outline of a first plan may have; 0: it has no outline."""
        return 2 * self.steps if self.plans > 1 else 0


DEPTHS: tuple[Depth, ...] = get_args(Depth)
_FIGURES: dict[str, tuple[Any, ...]] = {
    "plans": (1, 3, 5, 8),
    "steps": (3, 3, 6, 12),
    "rounds": (1, 2, 4, 6),
    "sources": (6, 25, 80, 200),
    "hits": (10, 30, 60, 200),
    "pages": (6, 6, 8, 10),
    "passage_tokens": (1_300, 4_000, 12_000, 24_000),
    "evidence_tokens": (2_000, 6_000, 18_000, 36_000),
    "written_tokens": (4_000, 20_000, 0, 0),
    "background": (6, 6, 12, 12),
    "words": ((0, 0), (800, 2_000), (3_000, 6_000), (6_000, 0)),
    "reworked": (0, 0, 1, 2),
    "prompt_tokens": (3_000, 400_000, 1_000_000, 3_000_000),
    "answer_tokens": (500, 50_000, 100_000, 300_000),
    "seconds": (180, 900, 2_400, 7_200),
    "looks": (1, 6, 10, 14),
    "links": (0, 0, 5, 5),
}
"""Each field of a level at every depth, in the order of the depths."""
LEVELS: dict[Depth, Level] = {
    depth: Level(**{name: figures[place] for name, figures in _FIGURES.items()}) for place, depth in enumerate(DEPTHS)
}
