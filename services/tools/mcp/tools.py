"""The tools of a step's servers: built from the journal, and connected at the first actual call."""

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from services.run.errors import LeadlineError, ToolError
from services.run.scope import Run
from services.tools.mcp import registry
from services.tools.mcp.configuration import Server, configured
from services.tools.mcp.offered_tools import Definition, offered_once
from services.tools.output import ToolOutput, bounded

if TYPE_CHECKING:
    from mcp import ClientSession

CALL_SECONDS = 60.0
"""Maximum seconds of a call; a server that takes longer is excluded."""
SPARE_SECONDS = CALL_SECONDS + 30.0
"""Maximum seconds of waiting for a call, including a new connection."""

MAX_RESULT = 400_000
"""Maximum characters stored of a result."""


class McpTool(BaseTool):
    """A tool of a server. Its arguments are checked by the server, and may have any names."""

    response_format: str = "content_and_artifact"  # type: ignore[assignment]  # the base class lists its values
    _definition: Definition = PrivateAttr()
    _server: Server | None = PrivateAttr(default=None)
    _run_key: str = PrivateAttr(default="")

    @classmethod
    def of(cls, definition: Definition, server: Server | None, run_key: str) -> "McpTool":
        """Build the tool; a replay, which makes no calls, has no server."""
        tool = cls(
            name=definition.name,
            description=definition.description,
            args_schema=definition.parameters,
            metadata={"seconds": SPARE_SECONDS},
        )
        tool._definition, tool._server, tool._run_key = definition, server, run_key
        return tool

    def _run(self, /, **arguments: Any) -> tuple[str, ToolOutput]:
        raise NotImplementedError("Tools of servers are called with ainvoke.")

    async def _arun(self, /, **arguments: Any) -> tuple[str, ToolOutput]:
        server, remote = self._server, self._definition.remote
        if server is None:
            raise ToolError(f"The server of {self.name} is no longer there.")
        try:
            result = await registry.call(
                self._run_key, server, lambda session: call_tool(session, remote, arguments), CALL_SECONDS
            )
        except LeadlineError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a server does, its call has failed and nothing else
            raise ToolError(server.without_secrets(f"{remote}: {error}")[:2_000]) from None
        output = ToolOutput(
            text=text_of(server, remote, result),
            kind="tool",
            title=f"{self._definition.title or remote} ({server.name})",
            url=f"tool:{server.name}/{remote}",
            at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        return output.text, output


async def call_tool(session: "ClientSession", name: str, arguments: dict[str, Any]) -> Any:
    """Call a tool. The SDK's own `call_tool` also checks results against schemas of the server's, which proves nothing."""
    from mcp import types

    request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
    return await session.send_request(types.ClientRequest(request), types.CallToolResult)


async def mcp_tools(run: Run, names: Sequence[str], locale: str = "en-US") -> tuple[list[BaseTool], list[str]]:
    """Return the tools of some servers, other names are ignored, and messages about servers without tools.

    Raises:
        SettingsError: the operator's file cannot be used, or the library is not installed.
        BadInput: the run names a forbidden server.
    """
    if not names:
        return [], []
    replays = run.journal.replays
    servers = {} if replays else await configured(run.context)
    named = [name for name in dict.fromkeys(names) if replays or name in servers]
    offered = await asyncio.gather(*(offered_once(run, servers.get(name), name) for name in named))
    tools: dict[str, BaseTool] = {}
    failures: list[str] = []
    for name, answer in zip(named, offered, strict=True):
        if answer is None:
            continue
        for definition in answer.tools:
            tools.setdefault(definition.name, McpTool.of(definition, servers.get(name), run.journal.key))
        failures += [failure.message(locale) for failure in answer.failures]
    return list(tools.values()), failures


def text_of(server: Server, tool: str, result: Any) -> str:
    """Return a result as text: texts and resources in full, images and sounds by their type; structured content where there is none.

    Raises:
        ToolError: the tool reports a failure.
    """
    parts = [part for part in map(_part, result.content) if part]
    if not parts and result.structuredContent is not None:
        parts.append(json.dumps(result.structuredContent, ensure_ascii=False))
    text = bounded(server.without_secrets("\n\n".join(parts)), MAX_RESULT)
    if result.isError:
        raise ToolError(text[:4_000] or f"The tool {tool} failed and does not say why.")
    return text or "(The tool returned nothing.)"


def _part(content: Any) -> str:
    match content.type:
        case "text":
            return str(content.text)
        case "image" | "audio":
            return f"[{content.type}: {content.mimeType}, {len(content.data) * 3 // 4:,} bytes]"
        case "resource_link":
            described = f": {content.description}" if content.description else ""
            return f"[{content.name}, {content.uri}{described}]"
        case "resource":
            resource = content.resource
            if hasattr(resource, "text"):
                return f"{resource.uri}\n{resource.text}"
            return f"[{resource.uri}: {resource.mimeType or 'binary'}, {len(resource.blob) * 3 // 4:,} bytes]"
        case other:
            return f"[{other}]"
