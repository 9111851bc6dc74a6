"""The outline of a report: a tree of nodes that grows with the evidence. The report's sections are its topmost nodes."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from schemas.answer_schema import Id, Reason, Title
from schemas.clean_text import CleanLine

MOST_NODES = 40
"""Nodes of one outline; more are left out."""


class OutlineNode(BaseModel):
    """One topic of the report, with the evidence on it."""

    id: str
    """`1`, `2`, … at the top, `2.1` below `2`. Code gives it, and an id never means two nodes of a run."""
    title: CleanLine
    wanted: CleanLine = ""
    """What the report has to tell here, figures and kinds of source included."""
    figures: bool = False
    """Whether the topic compares or gives figures."""
    parent: str = ""
    """Id of the node above; empty at the top."""
    excerpt_ids: list[str] = Field(default_factory=list)
    """Of the evidence on it, in the order of the excerpts' steps. Each excerpt stands at exactly one node."""
    also_ids: list[str] = Field(default_factory=list)
    """Of evidence that stands at another node and serves this one, too, as the model said that judged it."""


def as_text(value: Any) -> Any:
    """Take a number for the id that it is."""
    return str(value) if isinstance(value, int | float) else value


class NodeDraft(BaseModel):
    """A node as it is written."""

    id: SkipJsonSchema[Annotated[str, BeforeValidator(as_text)]] = ""
    """In a first outline its number is its place; an id that is written all the same may be referred to."""
    title: Title = ""
    wanted: Reason = ""
    """The exact data to tell there."""
    figures: bool = False
    """Whether the topic compares or gives figures."""
    under: Annotated[Id, BeforeValidator(as_text)] = ""
    """Number or id of the node above; empty at the top."""


class ThinNode(BaseModel):
    """A node with too little evidence."""

    node: Annotated[Id, BeforeValidator(as_text)]
    query: Reason = ""
    """What to search for it: an affirmative statement, phrased as a source would phrase it."""


class NodeView(BaseModel):
    """A node with what has been found for it, as prompts and events show it. Counts include the nodes below."""

    id: str
    title: CleanLine
    wanted: CleanLine = ""
    excerpts: int = 0
    sources: int = 0
    """Independent ones: copies count once."""
    figures: int | None = None
    """Excerpts that hold a figure; None where none are wanted."""
    thin: bool = False
    query: CleanLine = ""
    """What the reflector would search for it."""


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
