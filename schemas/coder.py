"""The coder's call: code whose printed output is the finding, so that every number comes from a run."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, computed_field, create_model
from pydantic.json_schema import SkipJsonSchema

from schemas.answer_schema import LONGEST, AtMost, Reason, Thought
from schemas.clean_text import CleanLine, CleanText
from schemas.evidence_view import FindingView

MOST_LINES = 30
"""Lines of a program's output that are quoted separately; the rest is stored with them."""

COPIED = "QUOTE "
"""How a line of a program's output begins that copies words of a text: `QUOTE path: words`."""
MOST_COPIES = 30
"""Such lines that become quotes of these texts."""

LOOKED = 5_000
"""Tokens of what a look at the data shows at least, where a window has room; as many as passages have where these are more."""
REMEMBERED = 120
"""Characters of a kept quote by which a later look remembers it."""


class DatabaseView(BaseModel):
    """A database that can be asked, in brief. Names in it are data: they come from whoever made the tables."""

    name: str
    """What `query_database` calls it."""
    dialect: str
    """`SQLite` or `PostgreSQL`."""
    tables: list[str] = Field(default_factory=list)
    """`name (rows): column TYPE, …` for each table or view."""
    problem: str = ""
    """Why it cannot be asked; empty when it can."""


class TableView(BaseModel):
    """A table the code can read, as a profile instead of raw rows."""

    file: CleanLine
    """File name in the working folder."""
    title: CleanLine
    rows: int
    columns: list[CleanLine]
    """`name: type, examples` for each column."""
    sheet: CleanLine = ""
    sample: CleanText = ""
    """Its rows as CSV, all of them where they are few, else the first."""
    also: list[CleanLine] = Field(default_factory=list)
    """Names of further files in the working folder that have the same columns, or most of them."""
    also_rows: int = 0
    """Rows of these together."""
    unlike: list[CleanLine] = Field(default_factory=list)
    """Which of these have other columns, and which they are."""

    @property
    def also_line(self) -> str:
        """The further files in one line."""
        same = "mostly the same columns" if self.unlike else "the same columns"
        files = "1 further file" if len(self.also) == 1 else f"{len(self.also)} further files"
        return "; ".join([f"{same} in {files} with {self.also_rows} rows: {', '.join(self.also)}", *self.unlike])

    @property
    def shown(self) -> str:
        """Its columns, and its rows as far as a model sees them."""
        return "\n".join(filter(None, [self.file, *self.columns, self.sample]))

    @property
    def holds_texts(self) -> bool:
        """Whether it has a JSON object a line: all texts of a folder."""
        return ".jsonl" in self.file


class TextView(BaseModel):
    """A text that describes tables, whole or in parts."""

    path: CleanLine
    text: CleanText


class CodeAttempt(BaseModel):
    """An earlier attempt of this step and how it ended."""

    code: str
    output: str
    error: str


class Look(CodeAttempt):
    """A program that looked at the data; its code is kept only where it failed."""

    thought: str
    """What was known when it was written."""
    quotes: list[str]
    """How each quote begins that it found and that is kept."""
    missed: list[str] = Field(default_factory=list)
    """How each begins that stands in no text."""


class ProgramView(BaseModel):
    """A program that computed the finding of an earlier step, or of an earlier attempt of this step."""

    step_id: str
    code: str
    output: str = ""
    """The beginning of what it printed; empty where findings show it."""


class CoderPrompt(BaseModel):
    """Variables of `prompts/coder.md`."""

    question: str
    locale: str
    title: str
    description: str
    feedback: str
    findings: list[FindingView]
    tables: list[TableView]
    about_tables: list[TextView] = Field(default_factory=list)
    """Texts that name the columns or files of these tables, such as a codebook."""
    files: list[str] = Field(default_factory=list)
    """Names of further files in the working folder: what earlier steps found and made."""
    programs: list[ProgramView] = Field(default_factory=list)
    """Programs of the steps whose findings this step works on, and of its earlier attempt."""
    draft: str = ""
    """The draft of a report that is to be held against the texts, its citations named by the paths of their documents; empty in steps of a plan."""
    attempts: list[CodeAttempt]
    most_lines: int = MOST_LINES
    """Lines of a program's output that become excerpts."""
    most_copies: int = MOST_COPIES
    most_looked: int = 0
    """Characters of what a look shows."""
    looks: list[Look] = Field(default_factory=list)
    """Earlier looks at the data, in their order; of all but the last one without code and output."""
    looks_left: int = 0
    """Programs that may look at the data before the one that computes."""
    databases: list[DatabaseView] = Field(default_factory=list)
    """What the tool `query_database` can ask."""
    with_tools: bool = False
    """Whether the step is a loop of tool calls instead of one program."""

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorated properties
    @property
    def has_jsonl(self) -> bool:
        """Whether a table has a JSON object a line."""
        return any(table.holds_texts for table in self.tables)


MAX_CODE_LINES = 400


def _joined(value: Any) -> Any:
    return "\n".join(value) if isinstance(value, list) and all(isinstance(line, str) for line in value) else value


CodeLines = Annotated[
    str,
    BeforeValidator(_joined),
    WithJsonSchema({"type": "array", "items": {"type": "string", "maxLength": LONGEST}, "maxItems": MAX_CODE_LINES}),
]
"""A program. A model gives its lines: programs are longer than a bounded string may be, and one that is cut is none."""


class Code(BaseModel):
    """The coder's answer."""

    thought: Thought = ""
    """How the step is read."""
    description: Reason = Field(default="", description="What the code computes, in a few words.")
    code: CodeLines = Field(
        description="The lines of a complete Python program that prints its result as sentences in the user's language."
    )
    look: SkipJsonSchema[bool] = False
    """Whether the program only looks at the data."""
    finding: SkipJsonSchema[str] = ""
    """What the step comes to, where texts were read."""


MAX_PARAGRAPHS = 6
_Paragraphs = Annotated[
    str,
    BeforeValidator(_joined),
    WithJsonSchema({"type": "array", "items": {"type": "string", "maxLength": LONGEST}, "maxItems": MAX_PARAGRAPHS}),
]
_THOUGHT: Any = (
    Annotated[str, AtMost(1_900)],
    Field("", description="Notes of what the last look told, and what to see next."),
)
_LOOK: Any = (bool, Field(False, description="True where the program only looks at the data."))
_FINDING: Any = (
    _Paragraphs,
    Field("", description="Paragraphs that say what the step comes to; none where the program only looks."),
)


def code_schema(prompt: CoderPrompt) -> type[Code]:
    """Return what a prompt asks for: a program; where it may look at the data, whether it does; of texts also what they tell."""
    fields: dict[str, Any] = {"thought": _THOUGHT} if prompt.has_jsonl or prompt.looks_left else {}
    fields |= {"look": _LOOK} if prompt.looks_left else {}
    fields |= {"finding": _FINDING} if prompt.has_jsonl else {}
    return create_model("Code", __base__=Code, **fields) if fields else Code
