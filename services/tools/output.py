"""The output of a tool: the full result, which is stored and can be cited, and the part that the model sees.

A tool is LangChain's `BaseTool`: a name, a description, a JSON schema of parameters, an async execute. `as_tool` makes one of
an async function that returns a `ToolOutput`; tools of MCP servers are made by their adapter and return plain text.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from schemas.card import Card
from schemas.clean_text import CleanLine
from schemas.evidence import Passage, Source, SourceCategory, SourceKind

ResponseFormat = Literal["brief", "standard", "full"]
"""Amount of a result that goes back into the model's context."""
SHOWN: dict[ResponseFormat, int] = {"brief": 1_000, "standard": 4_000, "full": 20_000}
"""Maximum characters of a result that the model sees; the full text is stored."""
TOOL_SECONDS = 60.0
"""Maximum seconds of a tool call, unless the tool sets its own limit."""

Parameters = TypeVar("Parameters", bound=BaseModel)


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

    Args:
        name: name, unique in a step's set.
        description: what it does and when to use it, for the model.
        parameters: its fields, with descriptions and bounds, become the JSON schema.
        execute: runs the tool. Its errors go to the model as text: `LeadlineError` and `ValueError` with their message
            alone.
        seconds: maximum seconds of a call.
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


def shown(text: str, response_format: ResponseFormat, result_id: str, start: int = 0) -> str:
    """Return the part of a result that the model sees, with a note on how to read the rest.

    Args:
        text: the whole result.
        response_format: amount to show.
        result_id: id of the result for `read_result`.
        start: index of the first character.
    """
    end = start + SHOWN[response_format]
    part, rest = text[start:end], len(text) - end
    if rest <= 0:
        return part
    return f'{part}\n[{rest} more characters: read_result(id="{result_id}", start={end})]'
