"""The result of a report's check."""

from dataclasses import dataclass, field

from schemas.document import Block, Heading
from schemas.evidence import Claim
from services.reports.rendering import to_markdown
from services.reports.statuses import sure_claims


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
    undecided: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Statements with their cited ids that a model may judge."""
    conclusions: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    """Those of the undecided statements that are conclusions from their citations."""
    suspicions: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    """What makes code suspect an undecided statement, in words."""
    paragraphs: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    """The paragraph of an undecided statement, in words, where it has other sentences."""
    with_heads: dict[str, str] = field(default_factory=dict)
    """Table rows with the headings of their columns, which give the cells a meaning."""
    connecting: list[str] = field(default_factory=list)
    """Sentences that a verifier found to state no fact, or that say what the evidence does not tell."""
    marked: int = 0
    opening: int = 0
    """Number of claims in the opening: before the first section, or in the first section if the report begins with it."""
    declined: int | None = None
    """Number of claims before the opening's first sentence on missing information; None without such a sentence."""
    hedged: bool = False
    """Whether the opening says, in a part or as a whole, that the sources lack information."""

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
