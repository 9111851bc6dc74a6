"""Counts the statements of a report by status."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.evidence import Answered, Claim, Standing, Status, standing

SURE: frozenset[Status] = frozenset({"quoted", "supported"})
"""Statuses that are shown in green with a tick, in a report that answers its question."""
MAX_INFERRED = 3
"""Divisor of a report's statements for the maximum of inferred ones that no model judged."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of statements by status, and whether the report answers its question."""

    statuses: Mapping[Status, int] = field(default_factory=dict)
    answered: Answered = ""
    text: str = ""
    """Both in words, in the report's language; empty for reports without judgements."""

    @property
    def standing(self) -> Standing:
        """Whether the report answers, and how many of its statements are quoted or supported."""
        sure = sum(self.statuses.get(status, 0) for status in SURE)
        return standing(sum(self.statuses.values()), sure, self.answered)

    @property
    def shown(self) -> str:
        """The words, with a tick if the report answers and all statements are quoted or supported."""
        return f"✓ {self.text}" if self.standing == "all" else self.text


def status_of(claim: Claim) -> Status:
    """Return a claim's status; in bundles without statuses, derived from its verification."""
    return claim.status or ("supported" if claim.verified else "unverified")


def sure_claims(claims: Iterable[Claim]) -> int:
    """Return how many claims are quoted or supported."""
    return sum(status_of(claim) in SURE for claim in claims)


def too_many_inferred(claims: Sequence[Claim]) -> bool:
    """Tell whether more than a third of a report are conclusions that no model judged: a writer may call anything inferred."""
    unjudged = sum(claim.status == "inferred" and claim.judgement is None for claim in claims)
    return unjudged * MAX_INFERRED > len(claims)
