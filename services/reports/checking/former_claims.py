"""What the check said of the statements of a report that is changed: those that stay as they are keep it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.evidence import Claim
from schemas.reporter import Report


@dataclass(frozen=True, slots=True)
class FormerClaims:
    """The statements of a report by their words."""

    claims: Mapping[str, Sequence[Claim]] = field(default_factory=dict)
    connecting: Collection[str] = ()
    """Sentences that state no fact, as a verifier found."""

    @classmethod
    def of(cls, report: Report | None) -> "FormerClaims":
        """Return the statements of a report; none without one."""
        if report is None:
            return cls()
        claims: dict[str, list[Claim]] = {}
        for claim in report.citations:
            claims.setdefault(claim.text, []).append(claim)
        return cls(claims, frozenset(report.connecting))

    def find(self, words: str, cited: Sequence[str]) -> Claim | None:
        """Return the claim with these words and citations; one without citations of its own may be covered by others."""
        claims = self.claims.get(words, ())
        return next((claim for claim in claims if not cited or set(cited) == set(claim.citations)), None)
