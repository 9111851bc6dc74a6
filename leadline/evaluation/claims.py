"""Claims that differ between reports: no other report has a similar claim."""

from collections.abc import Mapping, Sequence

from schemas.evidence import Claim
from schemas.reporter import Report
from services.text.tokens import tokens

ALIKE = 0.6
"""Minimum share of the shorter claim's terms in the other; it only decides what readers see."""
MAX_CLAIMS = 300
"""Maximum claims of a report to compare."""


def differing_claims(reports: Mapping[str, Report]) -> dict[str, list[Claim]]:
    """Return, by setting, the claims that no other setting's report makes. Blocking."""
    terms = {name: [(_terms(claim.text), claim) for claim in _claims(report)] for name, report in reports.items()}
    return {
        name: [
            claim
            for own, claim in listed
            if own and not any(_alike(own, other) for rest in terms if rest != name for other, _ in terms[rest])
        ]
        for name, listed in terms.items()
    }


def _claims(report: Report) -> Sequence[Claim]:
    return report.citations[:MAX_CLAIMS]


def _terms(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


def _alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Tell whether two claims are similar: most terms of the shorter one, and its numbers."""
    shorter, longer = sorted((first, second), key=len)
    numbers = {term for term in shorter if term[0].isdigit()}
    return bool(shorter) and numbers <= longer and len(shorter & longer) >= ALIKE * len(shorter)
