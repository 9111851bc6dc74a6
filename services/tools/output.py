"""The output of a tool: the full result, which is stored and can be cited, and the part that the model sees.

A tool is LangChain's `BaseTool`: a name, a description, a JSON schema of parameters, an async execute. `as_tool` makes one of
an async function that returns a `ToolOutput`; tools of MCP servers are made by their adapter and return plain text.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from schemas.card import Card
from schemas.clean_text import CleanLine
from schemas.evidence import Passage, Source, SourceCategory, SourceKind
from schemas.researcher import NumberedPassage

ResponseFormat = Literal["brief", "standard", "full"]
"""Amount of a result that goes back into the model's context."""
SHOWN: dict[ResponseFormat, int] = {"brief": 1_000, "standard": 4_000, "full": 20_000}
"""Maximum characters of a result that the model sees; the full text is stored."""
TOOL_SECONDS = 60.0
"""Maximum seconds of a tool call, unless the tool sets its own limit."""

Parameters = TypeVar("Parameters", bound=BaseModel)

_NOTHING = "(nothing)"


class ToolOutput(BaseModel):
    """The whole result of one call."""

    text: str
    """The whole result. Where there are no passages, this text is stored as a source that can be quoted."""
    heading: str = ""
    """What is stored before the text, such as the query that it answers: it can be read, and nothing is quoted from it."""
    response_format: ResponseFormat = "standard"
    kind: SourceKind = "tool"
    title: CleanLine = ""
    """Title of the source; empty for a result that proves nothing, such as an acknowledgement."""
    url: CleanLine = ""
    """Where it comes from: an address, a path as the user named it, `database:NAME`, `computation:ID`, `tool:SERVER/NAME`."""
    at: str = ""
    """When it was read or made, ISO 8601 in UTC."""
    site: CleanLine = ""
    """Name of who publishes it; where it is empty, what the address tells."""
    source_kind: SourceCategory = "general"
    published: CleanLine | None = None
    """ISO date."""
    card: Card = Card()
    """What the source says about itself."""
    passages: list[Passage] = Field(default_factory=list)
    """Passages of other sources that the text shows, where the tool searched or read some."""
    sources: dict[str, Source] = Field(default_factory=dict)
    """Sources of the passages, by content hash."""
    artifacts: dict[str, str] = Field(default_factory=dict)
    """Files that were made: name, and hash in the evidence store."""
    kept: dict[str, str] = Field(default_factory=dict)
    """Long arguments, such as code, by the id under which the model can read them again."""


def as_tool(
    name: str,
    description: str,
    parameters: type[Parameters],
    execute: Callable[[Parameters], Awaitable[ToolOutput]],
    *,
    seconds: float = TOOL_SECONDS,
) -> BaseTool:
    """Build a LangChain tool from an async function.

    The fields of `parameters`, with descriptions and bounds, become the JSON schema. Errors of `execute` go to the
    model as text: `LeadlineError` and `ValueError` with their message alone.
    """

    async def run(**arguments: Any) -> tuple[str, ToolOutput]:
        output = await execute(parameters(**arguments))
        return output.text, output

    return StructuredTool(
        name=name,
        description=description,
        args_schema=parameters,
        coroutine=run,
        response_format="content_and_artifact",
        metadata={"seconds": seconds},
    )


def bounded(text: str, longest: int) -> str:
    """Return a result in at most so many characters, with a note where it is cut off."""
    return text if len(text) <= longest else f"{text[:longest]}\n[cut off: the result has {len(text):,} characters]"


def shown(text: str, response_format: ResponseFormat, result_id: str, start: int = 0) -> str:
    """Return the part of a result that the model sees, with a note on how to read the rest."""
    end = start + SHOWN[response_format]
    part, rest = text[start:end], len(text) - end
    if rest <= 0:
        return part
    return f'{part}\n[{rest} more characters: read_result(id="{result_id}", start={end})]'


class ShownPassages(NamedTuple):
    """The part of the passages that the model sees."""

    text: str
    whole: list[str]
    """Ids of the passages that are shown completely."""


def show_passages(
    passages: Sequence[NumberedPassage],
    sources: Mapping[str, Source],
    response_format: ResponseFormat,
    seen: Collection[str] = (),
    first: int = 1,
) -> ShownPassages:
    """Render passages with one line for each sentence, from the `first` on, and a note on how to read the rest; those `seen` are named.

    Every line begins with a number or the sign of a heading, so none can pass for the head of a passage or for another number.
    """
    lines: list[str] = []
    whole: list[str] = []
    room = SHOWN[response_format]
    for place, passage in enumerate(passages):
        head = _head(passage, sources.get(passage.content_hash))
        if passage.id in seen:
            lines.append(f'{head}: seen above, or read_result(id="{passage.id}")')
            continue
        sentences = passage.lines[first - 1 :]
        taken = _fitting([head, *(sentences or [_NOTHING])], room)
        if lines and taken < 2:
            unseen = [later.id for later in passages[place:] if later.id not in seen]
            lines.append(f'[no room for {", ".join(unseen)}: read_result(id="{unseen[0]}")]')
            break
        taken = max(taken, 2)
        lines += [head, *(sentences or [_NOTHING])][:taken]
        room -= sum(len(line) + 1 for line in lines[-taken:])
        if taken > len(sentences):
            whole += [passage.id] if first == 1 else []
            continue
        left, following = len(sentences) - taken + 1, first + taken - 1
        lines.append(f'[{left} more sentences of {passage.id}: read_result(id="{passage.id}", start={following})]')
        room = 0
    return ShownPassages("\n".join(lines), whole)


def _head(passage: NumberedPassage, source: Source | None) -> str:
    about = f"({passage.about})" if passage.about else ""
    parts = f"[{passage.id}] {passage.title} {source.url if source else ''} {passage.published} {about}"
    return " ".join(parts.split())


def _fitting(lines: Sequence[str], room: int) -> int:
    for place, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return place
    return len(lines)
