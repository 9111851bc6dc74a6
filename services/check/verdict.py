"""The result of a check by code."""

from dataclasses import dataclass
from typing import Literal

Fault = Literal[
    "", "uncited", "numbers", "untraced", "quote", "premises",
    "names", "words", "language", "meaning", "period", "subject", "unit", "row", "negation", "opposite", "share", "fault",
]  # fmt: skip
CERTAIN: frozenset[Fault] = frozenset({"uncited", "numbers", "untraced", "quote", "premises", "share"})
"""Faults that code decides alone. The others are suspicions: a verifier decides, and without a verifier the statement is marked."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What code found; without a fault, nothing speaks against the statement."""

    fault: Fault = ""
    what: tuple[str, ...] = ()
    """The numbers, names or words at fault, as the statement writes them."""
    instead: str = ""
    """What the cited texts give in their place, where they do."""
    likeness: float | None = None
    """Cosine with the cited texts, where these are in another language and only meaning was compared."""

    @property
    def certain(self) -> bool:
        """Tell whether code decides alone that the statement is unproved: not by numbers in words, which may count what it lists."""
        in_words = self.fault == "numbers" and not any(char.isdigit() for what in self.what for char in what)
        return self.fault in CERTAIN and not in_words
