"""One section of a long report, written from its own evidence."""

from pydantic import Field, computed_field

from schemas.cited_text import CitedTextPrompt
from schemas.evidence import Contradiction
from schemas.evidence_view import EvidenceView, SurroundedView
from schemas.outline import Section
from schemas.wishes import Form


class SectionExcerpt(SurroundedView):
    """An excerpt with what stands around it in its source, which helps to understand it and is not cited."""

    part: str = ""
    """Title of the section's part that it belongs to; empty where it belongs to the section as a whole."""


class ReporterSectionPrompt(CitedTextPrompt):
    """Variables of `prompts/reporter_section.md`. What all sections share comes first, so that a cache of prefixes serves them."""

    question: str
    today: str
    tone: str
    outline: list[Section]
    """All sections, in order."""
    number: int
    """Of this section, from 1."""
    words: int
    """That are to be written now."""
    portion: int = 1
    """Of a section with more evidence than one prompt holds: which of its portions this is, from 1."""
    portions: int = 1
    written: str = ""
    """What the section has already, where it is to go on with excerpts that were not used."""
    wishes: Form = Form()
    """Form and readers that are asked for."""
    passages: list[SectionExcerpt] = Field(default_factory=list)
    """The excerpts that are written from."""
    shared: list[EvidenceView] = Field(default_factory=list)
    """Excerpts of other sections that may be used."""
    contradictions: list[Contradiction] = Field(default_factory=list)
    outdated: list[str] = Field(default_factory=list)
    """Ids of excerpts among these that are out of date for a dated question."""

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorated properties
    @property
    def remembered(self) -> bool:
        """Whether an excerpt is remembered from an earlier report."""
        return any(item.known_from for item in [*self.passages, *self.shared])
