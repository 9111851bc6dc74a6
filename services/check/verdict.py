"""The result of a check by code."""

import re
from dataclasses import dataclass
from typing import Literal

Fault = Literal[
    "", "uncited", "numbers", "untraced", "quote", "premises",
    "names", "words", "language", "meaning", "period", "subject", "unit", "row", "negation", "opposite", "share", "fault",
]  # fmt: skip
CERTAIN: frozenset[Fault] = frozenset({"uncited", "numbers", "untraced", "quote", "premises", "share"})
"""Faults that code decides alone. The others are suspicions: a verifier decides, and without a verifier the statement is marked."""

_NO_QUANTITY = re.compile(r"\D+|v?\d+(?:\.\d+){2,}", re.IGNORECASE)
"""A number in words, or one of three parts and more: of a section, a criterion, a version."""


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
        """Tell whether code decides alone that the statement is unproved.

        Not by numbers in words, which may count what it lists, nor by numbers of several parts, which name something: section 2.5.8.
        """
        softly = self.fault == "numbers" and all(_NO_QUANTITY.fullmatch(what) for what in self.what)
        return self.fault in CERTAIN and not softly
