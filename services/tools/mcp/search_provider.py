"""Search tools of MCP servers as search providers of the run: `"search": "name of the tool"` in a server's entry."""

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from schemas.context import RunContext
from services.run.errors import LeadlineError, SearchError
from services.run.scope import current_run
from services.search.hit import Hit, SearchProvider
from services.text.normal_form import normalise_text
from services.tools.mcp import registry
from services.tools.mcp.configuration import Server, configured
from services.tools.mcp.offered_tools import offered_once
from services.tools.mcp.results import text_of
from services.tools.mcp.tools import call_tool

SEARCH_SECONDS = 30.0
_QUERY = ("query", "q", "search_query", "search", "text", "keywords", "question")
_COUNT = ("num_results", "max_results", "limit", "count", "top_k", "k", "n")
_LISTS = ("results", "items", "hits", "data", "documents", "pages", "value", "result")
_URL = ("url", "link", "href", "uri")
_TITLE = ("title", "name", "heading")
_TEXT = ("content", "text", "snippet", "description", "summary", "body", "excerpt", "highlights")
_DATE = ("published", "published_date", "publishedDate", "date", "page_age")
_LINE = re.compile(
    r"^[^\w\n]*(?:url|link|uri|链接|网址)[^\w\n]*+(?:\n[^\w\n]*+)?(https?://\S+)", re.IGNORECASE | re.MULTILINE
)
_HEADING = re.compile(r"^[^\w\n]*(?:title|标题)[^\w\n]*(?:\n[^\w\n]*)?(.+)$", re.IGNORECASE | re.MULTILINE)


async def mcp_searches(context: RunContext) -> list[SearchProvider]:
    """Return a provider for each server of a run with a search tool.

    Raises:
        SettingsError: the operator's file cannot be used.
    """
    servers = await configured(context)
    return [McpSearch(server) for server in servers.values() if server.search]


class McpSearch:
    """Search tool of one server."""

    def __init__(self, server: Server) -> None:
        self.name = server.name
        self._server = server

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Search, over the run's session with the server.

        Raises:
            SearchError: the server or its tool failed, or the tool does not exist.
        """
        server, run = self._server, current_run()
        offered = await offered_once(run, server, server.name)
        tool = next((tool for tool in offered.tools if tool.remote == server.search), None) if offered else None
        if tool is None:
            problem = "; ".join(failure.message("en-US") for failure in offered.failures) if offered else ""
            raise SearchError(problem or f"The server {server.name} has no tool {server.search!r}. Correct its entry.")
        arguments = _arguments(tool.parameters, query, limit)
        try:
            result = await registry.call(
                run.journal.key, server, lambda session: call_tool(session, server.search, arguments), SEARCH_SECONDS
            )
            text = text_of(server, server.search, result)
        except LeadlineError as error:
            raise SearchError(str(error)) from None
        return await asyncio.to_thread(hits_in, text, server, limit)


def _arguments(schema: Mapping[str, Any], query: str, limit: int) -> dict[str, Any]:
    """Fill in the tool's parameters for the query and the number of results."""
    fields: Mapping[str, Any] = schema.get("properties", {})
    required = [name for name in schema.get("required", []) if fields.get(name, {}).get("type") == "string"]
    name = next((field for field in _QUERY if field in fields), required[0] if required else "query")
    count = next((field for field in _COUNT if fields.get(field, {}).get("type") in {"integer", "number"}), None)
    return {name: query, **({count: limit} if count else {})}


def hits_in(text: str, server: Server, limit: int) -> list[Hit]:
    """Parse a search tool's result: JSON with a list of results, blocks with addresses, or one text.

    A result with an address is a web page, which is read like the pages of other searches.
    """
    source = f"tool:{server.name}/{server.search}"
    try:
        results = _listed(json.loads(text))
    except ValueError:
        results = list(_blocks(text))
    hits = [hit for place, result in enumerate(results, 1) if (hit := _hit(result, f"{source}#{place}")) is not None]
    if hits:
        return hits[:limit]
    text = normalise_text(text)
    return [Hit(url=source, title=server.name, kind="tool", text=text)] if text else []


def _listed(value: Any) -> list[Any]:
    if isinstance(value, dict):
        inner = next((value[name] for name in _LISTS if isinstance(value.get(name), list | dict)), None)
        return _listed(inner) if inner is not None else [value]
    return value if isinstance(value, list) else []


def _blocks(text: str) -> Iterable[dict[str, str]]:
    """Split a text that lists results with their addresses."""
    places = [match.start() for match in _LINE.finditer(text)]
    starts = [max(text.rfind("\n\n", 0, place), 0) for place in places]
    for start, end in zip(starts, [*starts[1:], len(text)][: len(starts)], strict=True):
        block = text[start:end].strip()
        address, heading = _LINE.search(block), _HEADING.search(block)
        if address is not None:
            content = _LINE.sub("", block).strip()
            yield {"url": address.group(1), "title": heading.group(1).strip() if heading else "", "content": content}


def _hit(result: Any, otherwise: str) -> Hit | None:
    if not isinstance(result, dict):
        return None
    text = normalise_text(_field(result, _TEXT))
    url = _field(result, _URL).strip()
    if not text:
        return None
    web = url.startswith(("https://", "http://"))
    title = _field(result, _TITLE).strip() or url or otherwise
    return Hit(
        url=url if web else otherwise,
        title=title,
        kind="web" if web else "tool",
        text=text,
        snippet_only=web,
        published=_field(result, _DATE) or None,
    )


def _field(result: Mapping[str, Any], names: Iterable[str]) -> str:
    value = next((result[name] for name in names if result.get(name)), "")
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
