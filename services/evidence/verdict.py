"""What the check of a sentence came to: which part of it fails, and what its quotes give instead."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from traceback import extract_tb
from typing import Literal, ParamSpec

from services.run.log import ERROR, log

Failing = Literal[
    "", "uncited", "numbers", "untraced", "names", "words", "language", "meaning", "negation", "denied", "opposite",
    "period", "subject", "unit", "other", "reversed", "table", "hedge", "scope", "cause", "superlative", "roles",
    "quote", "premises", "unrelated", "plain", "share", "fault",
]  # fmt: skip
SEEN_BEFORE = frozenset({"uncited", "numbers", "untraced", "names", "language", "meaning"})
"""Failings that the check of versions before 0.2 saw as well, so that their bundles can be held to them."""
_OTHER_VALUE = frozenset({"period", "subject", "other"})
"""Failings with which quotes refute a sentence if they give another value in place of its own."""
_OTHERWISE = frozenset({"negation", "opposite", "reversed", "superlative"})
"""Failings with which quotes say the opposite. `table`, `unit` and `roles` are not among either: rules read those less surely, and with
`scope`, `hedge` and `cause` quotes say less, not otherwise."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check came to; without a failing part, the sentence is supported."""

    failing: Failing = ""
    what: tuple[str, ...] = ()
    """The numbers, names or words that fail, as the sentence writes them; of a denial or a role, those of the quotes."""
    instead: str = ""
    """What the quotes give in place of it, where they do."""
    likeness: float | None = None
    """By which the sentence was judged, where it was judged by meaning."""
    sure: bool = True
    """Whether what fails is said otherwise by the quotes, where that can be told from what they say nothing of."""

    @property
    def refutes(self) -> bool:
        """Tell whether the quotes say something else than the sentence, rather than nothing of it.

        Of the claims of `benchmarks/` that may be looked at (November 2026) this holds for 4 of 977 right ones and 167 of 888 wrong ones, of the
        others for 9 of 760 and 110 of 690.
        """
        return (self.failing in _OTHERWISE and self.sure) or (self.failing in _OTHER_VALUE and bool(self.instead))


Arguments = ParamSpec("Arguments")


def unproved_on_fault(check: Callable[Arguments, Verdict]) -> Callable[Arguments, Verdict]:
    """Make an exception of a check the verdict `fault` and a line of the log: it never ends the report."""

    @wraps(check)
    def guarded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Verdict:
        try:
            return check(*args, **kwargs)
        except Exception as fault:  # noqa: BLE001 - a fault of a rule is no fault of the report
            *_, frame = extract_tb(fault.__traceback__)
            at = f"{Path(frame.filename).name}:{frame.lineno}"
            log("claim_check_failed", ERROR, check=check.__name__, error=type(fault).__name__, at=at)
            return Verdict("fault")

    return guarded
