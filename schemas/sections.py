"""The sections of a report: what each is to tell, and the excerpts that it is written from."""

from pydantic import BaseModel, Field


class SectionPart(BaseModel):
    """A stretch of a section below a heading of its own: a node of the outline that is not at the top."""

    title: str
    wanted: str = ""
    """What it has to tell."""
    excerpt_ids: list[str] = Field(default_factory=list)


class Section(SectionPart):
    """A section: a topmost node of the outline, with its own excerpts and the nodes below it."""

    node: str = ""
    """Id of the node; empty for the section of a step."""
    parts: list[SectionPart] = Field(default_factory=list)
    figures: bool = False
    """Whether it compares or gives figures, so that it may use all excerpts that hold one."""
    shared_ids: list[str] = Field(default_factory=list)
    """Excerpts of other sections that it may use, as it has few of its own."""

    @property
    def all_ids(self) -> list[str]:
        """Ids of its own excerpts, then of those of its parts."""
        return [*self.excerpt_ids, *(key for part in self.parts for key in part.excerpt_ids)]
