"""The editor's call: the whole draft of a report with what the check said of it, or a finished report with what its reader asks for."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, computed_field

from schemas.answer_schema import AtMost, Id, Reason
from schemas.answer_schema import Form as TextForm
from schemas.cited_text import CitedTextPrompt
from schemas.evidence_view import EvidenceView
from schemas.wishes import Form

MAX_EDITS = 40
"""Changes of a draft in one answer."""
MAX_REVISED = 400
"""Changes of a finished report, all blocks of which may be translated."""
MAX_LACKS = 5
MAX_TEXT = 1_900
"""Characters of a block's new text."""


class Objection(BaseModel):
    """A statement of a block that the check did not find proved."""

    text: str
    reason: str
    """Why, in words."""


class Omitted(BaseModel):
    """Words of the passages that narrow a statement of a block, and that it does not have."""

    statement: str
    words: str
    sentence: str
    """What stands around the words in their source."""


class BlockView(BaseModel):
    """A paragraph, heading, item of a list or row of a table of the draft."""

    id: str
    """`B1`, `B2`, … in the order of the draft."""
    text: str
    """In Markdown, with its citations."""
    objections: list[Objection] = Field(default_factory=list)
    omitted: list[Omitted] = Field(default_factory=list)


class ReporterEditingPrompt(CitedTextPrompt):
    """Variables of `prompts/reporter_editing.md`."""

    question: str
    tone: str
    blocks: list[BlockView]
    evidence: list[EvidenceView]
    """What the blocks with objections cite; of a finished report, what it cites."""
    unused: list[EvidenceView] = Field(default_factory=list)
    """Excerpts of high relevance that the draft does not cite; of a finished report, all others."""
    missing_aspects: list[str] = Field(default_factory=list)
    wishes: Form = Form()
    """Form and readers that are asked for."""
    unmet: list[str] = Field(default_factory=list)
    """What the draft as a whole lacks of what is asked for, in words."""
    only_mend: bool = False
    """Whether only blocks with objections are to change, besides what `unmet` asks for."""
    found: list[str] = Field(default_factory=list)
    """Ids of excerpts that the check has found and no writer has seen."""
    instruction: str = ""
    """What the reader of a finished report wants changed; empty for a draft."""
    searched: list[str] = Field(default_factory=list)
    """What has been searched for the instruction."""

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorated properties
    @property
    def found_line(self) -> str:
        """`found` in one line."""
        return ", ".join(self.found)

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorated properties
    @property
    def searched_line(self) -> str:
        """`searched` in one line."""
        return "; ".join(self.searched)


BlockId = Annotated[Id, TextForm("^B[0-9]{1,4}$")]
NoOrBlockId = Annotated[Id, TextForm("^(B[0-9]{1,4})?$")]


class Edit(BaseModel):
    """A change of one block."""

    block: BlockId
    """The block that it changes, or behind which it adds or to which it moves."""
    until: NoOrBlockId = ""
    """The last block of a range that it replaces, drops or moves; empty for one block."""
    action: Literal["replace", "drop", "add_after", "move_after"]
    text: Annotated[str, AtMost(MAX_TEXT)] = ""
    """New Markdown of `replace` and `add_after`, with citations."""
    moved: NoOrBlockId = ""
    """The block, or the first of the range, that `move_after` moves behind `block`."""


class Editing(BaseModel):
    """The editor's answer; without edits the draft stands."""

    edits: Annotated[list[Edit], AtMost(MAX_EDITS)] = Field(default_factory=list)


class Revising(BaseModel):
    """The editor's answer to a reader's instruction; without edits the report stands."""

    lacks: Annotated[list[Reason], AtMost(MAX_LACKS)] = Field(default_factory=list)
    """What the instruction asks for and no excerpt holds, each as an affirmative statement that a source would make."""
    locale: Annotated[str, AtMost(20)] = ""
    """BCP 47 tag of the language that the report has from now on; empty where it stays."""
    edits: Annotated[list[Edit], AtMost(MAX_REVISED)] = Field(default_factory=list)
