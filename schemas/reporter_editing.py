"""The editor's call: the whole draft of a report with what the check said of it, and changes of whole blocks."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from schemas.answer_schema import AtMost, Id
from schemas.evidence_view import EvidenceView

MAX_EDITS = 40
"""Changes of one answer."""
MAX_TEXT = 1_900
"""Characters of a block's new text."""


class Objection(BaseModel):
    """A statement of a block that the check did not find proved."""

    text: str
    reason: str
    """Why, in words."""


class BlockView(BaseModel):
    """A paragraph, heading, item of a list or row of a table of the draft."""

    id: str
    """`B1`, `B2`, … in the order of the draft."""
    text: str
    """In Markdown, with its citations."""
    objections: list[Objection] = Field(default_factory=list)


class ReporterEditingPrompt(BaseModel):
    """Variables of `prompts/reporter_editing.md`."""

    question: str
    locale: str
    tone: str
    blocks: list[BlockView]
    evidence: list[EvidenceView]
    """What the blocks with objections cite."""
    unused: list[EvidenceView] = Field(default_factory=list)
    """Excerpts of high relevance that the draft does not cite."""
    missing_aspects: list[str] = Field(default_factory=list)


class Edit(BaseModel):
    """A change of one block."""

    block: Id
    """The block that it changes, or behind which it adds or to which it moves."""
    action: Literal["replace", "drop", "add_after", "move_after"]
    text: Annotated[str, AtMost(MAX_TEXT)] = ""
    """New Markdown of `replace` and `add_after`, with citations."""
    moved: Id = ""
    """The block that `move_after` moves behind `block`."""


class Editing(BaseModel):
    """The editor's answer; without edits the draft stands."""

    edits: Annotated[list[Edit], AtMost(MAX_EDITS)] = Field(default_factory=list)
