"""Converts results of a server's tools to text."""

import json
from typing import Any

from services.run.errors import ToolError
from services.tools.mcp.configuration import Server

MAX_RESULT = 400_000
"""Maximum characters stored of a result."""


def text_of(server: Server, tool: str, result: Any) -> str:
    """Return a result as text: texts and resources in full, images and sounds by their type.

    Args:
        server: the server whose secrets are removed.
        tool: name of the tool, for the error.
        result: the SDK's `CallToolResult`.

    Raises:
        ToolError: the tool reports a failure.
    """
    parts = [part for part in map(_part, result.content) if part]
    structured = None if result.isError else result.structuredContent
    if structured is not None and not _repeats(parts, structured):
        parts.append(json.dumps(structured, ensure_ascii=False))
    text = server.without_secrets("\n\n".join(parts))
    if len(text) > MAX_RESULT:
        text = f"{text[:MAX_RESULT]}\n[cut off: the result has {len(text):,} characters]"
    if result.isError:
        raise ToolError(text[:4_000] or f"The tool {tool} failed and does not say why.")
    return text or "(The tool returned nothing.)"


def _repeats(parts: list[str], structured: dict[str, Any]) -> bool:
    """Tell whether the text of a result repeats its structured content, as the protocol recommends."""
    wrapped = structured.get("result")
    values = [_read(part) for part in parts]
    return structured in values or any(texts in (wrapped, [wrapped]) for texts in (values, parts))


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _part(content: Any) -> str:
    """Return one piece of content as text."""
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
