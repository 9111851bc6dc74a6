"""How the statements of a report stand, counted by status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from schemas.evidence import Claim, Standing, Status, standing
from services.reports.checking.checked_report import CheckedReport

SURE: frozenset[Status] = frozenset({"quoted", "supported"})
"""What counts for green and a tick."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The statements of a report by status."""

    statuses: Mapping[Status, int] = field(default_factory=dict)
    text: str = ""
    """In words, in the report's language; empty where it makes no statement."""

    @property
    def standing(self) -> Standing:
        """How many of them are quoted or supported."""
        return standing(sum(self.statuses.values()), sum(self.statuses.get(status, 0) for status in SURE))

    @property
    def shown(self) -> str:
        """The words, with a tick before them where all statements are quoted or supported."""
        return f"✓ {self.text}" if self.standing == "all" else self.text


def status_of(claim: Claim) -> Status:
    """Return a claim's status; in bundles without it, whether it was verified tells."""
    return claim.status or ("supported" if claim.verified else "unverified")


def proves_nothing(checked: CheckedReport) -> bool:
    """Tell whether a report states something, or nothing at all, and no statement of it is quoted or supported.

    A report that only says what the evidence lacks is not meant.
    """
    silent = not any(line.strip() and not line.startswith("#") for line in checked.markdown.split("\n"))
    return not sure_claims(checked.claims) and (bool(checked.claims or checked.left_out) or silent)


def sure_claims(claims: Iterable[Claim]) -> int:
    """Return how many claims are quoted or supported."""
    return sum(status_of(claim) in SURE for claim in claims)
