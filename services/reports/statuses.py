"""How the statements of a report stand, counted by status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from schemas.evidence import Answered, Claim, Standing, Status, standing
from services.reports.checking.checked_report import CheckedReport

SURE: frozenset[Status] = frozenset({"quoted", "supported"})
"""What counts for green and a tick, in a report that answers its question."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The statements of a report by status, and whether it answers its question."""

    statuses: Mapping[Status, int] = field(default_factory=dict)
    answered: Answered = ""
    text: str = ""
    """Both in words, in the report's language; empty where nobody has judged either."""

    @property
    def standing(self) -> Standing:
        """Whether it answers, and how many of its statements are quoted or supported."""
        sure = sum(self.statuses.get(status, 0) for status in SURE)
        return standing(sum(self.statuses.values()), sure, self.answered)

    @property
    def shown(self) -> str:
        """The words, with a tick before them where the report answers and all statements are quoted or supported."""
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
