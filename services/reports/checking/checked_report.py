"""The result of a report's check, of this one and of the one that it changes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from schemas.document import Block, Heading
from schemas.evidence import Claim
from schemas.reporter import Report
from services.reports.rendering import to_markdown
from services.reports.statuses import sure_claims

Statement = tuple[str, tuple[str, ...]]
"""A sentence or row with its cited excerpt ids."""


@dataclass(slots=True)
class Doubt:
    """Why a statement goes to a verifier, and how it is shown to it."""

    suspicion: str = ""
    """What makes code suspect it, in words; empty if nothing does."""
    inferred: bool = False
    """Whether it is marked as a conclusion."""
    paragraph: str = ""
    """Its paragraph, in words, if that has other sentences."""
    uncited: bool = False
    """Whether it heads, leads or ends a paragraph without a citation of its own, and those of its paragraph stand for it."""
    heads: bool = False
    """Whether it is a title, or heads a paragraph: it goes to a verifier with other statements, and never alone."""
    sums_up: bool = False
    """Whether it is the title, or a sentence of the opening, that sums up the report: it is judged by the report's other statements."""
    row: str = ""
    """The row of a table with the headings of its columns, which give the cells a meaning; empty for sentences."""


@dataclass(slots=True)
class CheckedReport:
    """A report after the check; citations are still excerpt ids."""

    blocks: tuple[Block, ...] = ()
    claims: list[Claim] = field(default_factory=list)
    """Claims of the report, in order."""
    left_out: list[Claim] = field(default_factory=list)
    """Removed claims: refuted by their citations (`contradicted`), or dropped as unsupported."""
    failed: list[Claim] = field(default_factory=list)
    """Unsupported sentences, marked or removed."""
    of_opening: list[Claim] = field(default_factory=list)
    """Those among both that stand in an opening which sums up the report."""
    undecided: dict[Statement, Doubt] = field(default_factory=dict)
    """Statements that a model may judge, in order: neither verbatim in their citations nor certainly unproved."""
    connecting: list[str] = field(default_factory=list)
    """Sentences that a verifier found to state no fact, or that say what the evidence does not tell; titles, leads and code to which it does not object."""
    opening: int = 0
    """Number of claims in the opening: before the first section, or in the first section if the report begins with it."""
    declined: int | None = None
    """Number of claims before the opening's first sentence that says that the sources lack information; None without such a sentence."""

    def above(self, below: "CheckedReport") -> "CheckedReport":
        """Return the check of a report of which this is the opening, and `below` the rest."""
        return replace(
            self,
            blocks=self.blocks + below.blocks,
            claims=self.claims + below.claims,
            left_out=self.left_out + below.left_out,
            failed=self.failed + below.failed,
            of_opening=[*self.failed, *self.left_out],
            connecting=self.connecting + below.connecting,
        )

    @property
    def markdown(self) -> str:
        """The blocks as Markdown with excerpt ids in brackets: `[E2-1][E3-2]`."""
        return to_markdown(self.blocks)

    @property
    def contradicted(self) -> int:
        """Number of statements that were removed because their citations refute them."""
        return sum(claim.status == "contradicted" for claim in self.left_out)

    @property
    def proves_nothing(self) -> bool:
        """Whether it has no quoted or supported statement; a report that only names missing information does not count."""
        silent = all(isinstance(block, Heading) for block in self.blocks)
        return not sure_claims(self.claims) and (bool(self.claims or self.left_out) or silent)

    @property
    def proves_little(self) -> bool:
        """Whether at most half of its statements are quoted or supported; a report without statements does not count."""
        return bool(self.claims) and 2 * sure_claims(self.claims) <= len(self.claims)


@dataclass(frozen=True, slots=True)
class FormerClaims:
    """What the check said of the statements of a report that is changed, by their words: those that stay as they are keep it."""

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
