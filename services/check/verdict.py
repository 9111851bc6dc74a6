"""The result of a check by code; a fault of the check itself never ends a report: the statement is unproved, and the log says so."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from logging import ERROR
from pathlib import Path
from traceback import extract_tb
from typing import Literal, ParamSpec

from services.run.log import log

Fault = Literal[
    "", "uncited", "numbers", "untraced", "quote", "premises",
    "computed", "typed", "names", "words", "language", "meaning", "period", "subject", "unit", "row", "negation", "opposite", "share", "fault",
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
    computed: tuple[str, ...] = ()
    """Numbers that the cited texts do not give, but let compute: nothing that speaks against the statement, though a verifier is told."""

    @property
    def noted(self) -> "Verdict":
        """The verdict with the numbers that are only computed as its fault, if it has no other."""
        return Verdict("computed", self.computed) if self.computed and not self.fault else self

    @property
    def certain(self) -> bool:
        """Tell whether code decides alone that the statement is unproved.

        Not by numbers in words, which may count what it lists, nor by numbers of several parts, which name something: section 2.5.8.
        """
        softly = self.fault == "numbers" and all(_NO_QUANTITY.fullmatch(what) for what in self.what)
        return self.fault in CERTAIN and not softly


Arguments = ParamSpec("Arguments")


def unproved_on_fault(check: Callable[Arguments, Verdict]) -> Callable[Arguments, Verdict]:
    """Make an exception of a check the verdict `fault` and a line of the log, without text of the report."""

    @wraps(check)
    def guarded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Verdict:
        try:
            return check(*args, **kwargs)
        except Exception as fault:  # noqa: BLE001 - whatever a check trips over, the report goes on
            *_, frame = extract_tb(fault.__traceback__)
            at = f"{Path(frame.filename).name}:{frame.lineno}"
            log("claim_check_failed", ERROR, check=check.__name__, error=type(fault).__name__, at=at)
            return Verdict("fault")

    return guarded
