"""How prompts show evidence: ids and words only, no offsets and no hashes."""

from pydantic import BaseModel, Field, computed_field

from schemas.clean_text import CleanLine


class EvidenceView(BaseModel):
    """One excerpt as a model sees it."""

    id: str
    """The excerpt's id, by which it is cited: `E2-1`."""
    title: CleanLine
    """Of its source."""
    name: CleanLine = ""
    """Short name of its source, such as `PEP 703`, which stands for the title after the source's first excerpt."""
    site: CleanLine = ""
    """Who publishes it, where that is known."""
    published: str = ""
    about: CleanLine = ""
    """What its source's card has besides the title: authors, dates, status, version. Shown at its source's first excerpt."""
    known_from: str = ""
    """ISO date of the earlier research that it is remembered from; empty for what this run has read."""
    kind: str = "document"
    source_kind: str = "general"
    """Who speaks, such as official or news; general sources are not marked."""
    abstract_only: bool = False
    """Whether its source is the abstract of a publication alone."""
    also: list[str] = Field(default_factory=list)
    """Ids of excerpts of other steps whose text it holds, where each text is shown once."""
    relevance: str = "medium"
    confirmed_by: list[str] = Field(default_factory=list)
    """Ids of excerpts in which independent sources give one of its figures, too."""
    section: CleanLine = ""
    """The heading that it stands under in its source, where that is known."""
    columns: CleanLine = ""
    """Line of headings of the table that it holds rows of, or the line that begins its code, where it does not begin with it."""
    content_hash: str = ""
    """Of its source, below which it is shown."""
    start: int = 0
    """Where it begins there."""
    quote: str


class SurroundedView(EvidenceView):
    """An excerpt with what stands around it in its source."""

    before: str = ""
    after: str = ""


class BackgroundPrompt(BaseModel):
    """Variables of a template that shows what the background search found."""

    background: list[EvidenceView] = Field(default_factory=list)
    """Its hits in the web and in the user's documents; for a reflector and a reporter those that no step quotes."""

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorated properties
    @property
    def remembered(self) -> bool:
        """Whether an excerpt is remembered from an earlier report."""
        return any(item.known_from for item in self.background)


class FindingView(BaseModel):
    """One finished step as a model sees it."""

    step_id: str
    title: str
    description: str = ""
    step_type: str = "research"
    status: str
    finding: str = ""
    confidence: float = 0.0
    attempts: int = 1
    missing_aspects: list[str] = Field(default_factory=list)
    error: str = ""
    evidence: list[EvidenceView] = Field(default_factory=list)
    hidden: int = 0
    """Further excerpts for which there is no room."""
