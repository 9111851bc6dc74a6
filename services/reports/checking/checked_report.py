"""The result of the check of a report."""

from dataclasses import dataclass, field

from schemas.evidence import Claim


@dataclass(slots=True)
class CheckedReport:
    """A report's Markdown after the check; citations are still excerpt ids, each in brackets: `[E2-1][E3-2]`."""

    markdown: str
    claims: list[Claim] = field(default_factory=list)
    """What the report says, in its order."""
    left_out: list[Claim] = field(default_factory=list)
    """What it does not say, as what is cited refutes it (`contradicted`) or as unsupported sentences are dropped."""
    failed: list[Claim] = field(default_factory=list)
    """Sentences among these that are not supported and may be written anew."""
    undecided: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Statements, with the ids that they cite, of which a model may say what they are."""
    conclusions: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    """Those of these that are inferred from what they cite."""
    with_heads: dict[str, str] = field(default_factory=dict)
    """Rows of tables, each with the heads of its columns, without which nobody can tell what a cell says."""
    marked: int = 0
    opening: int = 0
    """How many of the claims stand in the opening: before the first section, or in it where the report begins with one."""
    declined: int | None = None
    """How many of these stand before the first sentence of the opening that says what the sources lack; None without one."""
    hedged: bool = False
    """Whether the opening says that the sources lack something, be it only one sentence that says all."""

    @property
    def contradicted(self) -> int:
        """How many statements were left out because what they cite refutes them."""
        return sum(claim.status == "contradicted" for claim in self.left_out)
