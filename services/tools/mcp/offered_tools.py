"""The tools that a run's servers offer, made fit for any model, and recorded in the journal, so that a resumed or replayed run asks no server again.

Descriptions and schemas of servers are data. They are bounded in length, references are resolved, and what a schema must
not be (without a type, endless, huge) is made plain; the server checks the arguments all the same.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from schemas.clean_text import clean_line
from schemas.mcp import ToolView
from services.run.errors import JournalMiss, SettingsError
from services.run.scope import Run
from services.tools.mcp import registry
from services.tools.mcp.configuration import Server, configured
from services.tools.mcp.sessions import Broken, Failure, ServerFailed

if TYPE_CHECKING:
    from mcp import ClientSession

MAX_TOOLS = 60
"""Maximum number of tools of a server."""
MAX_PAGES = 10
MAX_NAME, MAX_SERVER_NAME = 64, 24
MAX_TOOL_DESCRIPTION, MAX_FIELD = 800, 300
"""Maximum characters of the descriptions of a tool and of an argument."""
MAX_SCHEMA = 6_000
"""Maximum characters of a tool's parameters as JSON."""
MAX_DEPTH = 6
MAX_VALUES = 60
"""Maximum values of an enumeration."""
_KEYWORDS = (
    "type enum const default format minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern "
    "minItems maxItems uniqueItems required"
).split()
_TYPES = frozenset("string number integer boolean object array null".split())

LIST_SECONDS = 10.0
MAX_DESCRIPTION = 240
"""Maximum characters of a server's description."""


class Definition(BaseModel):
    """A tool as it is offered to a model, and what its server calls it."""

    name: str
    """Unique in a run, and of the form that every endpoint takes."""
    remote: str
    """Its name at the server."""
    title: str = ""
    description: str
    parameters: dict[str, Any] = Field(default_factory=dict)


def definitions(server: Server, listed: Iterable[Any]) -> list[Definition]:
    """Convert the tools that a server lists."""
    made: list[Definition] = []
    for tool in listed:
        if not isinstance(tool.name, str) or not tool.name:
            continue
        title = tool.title or (tool.annotations.title if tool.annotations else "") or ""
        made.append(
            Definition(
                name=tool_name(server.name, tool.name, {definition.name for definition in made}),
                remote=tool.name,
                title=_line(server.without_secrets(title), 120),
                description=_line(server.without_secrets(tool.description or title or tool.name), MAX_TOOL_DESCRIPTION),
                parameters=parameters(tool.inputSchema),
            )
        )
    return made


def tool_name(server: str, tool: str, taken: Iterable[str]) -> str:
    """Return `server__tool` in at most 64 letters, digits, `_` and `-`; truncated or taken names end with a hash."""
    plain = f"{_plain(server)[:MAX_SERVER_NAME]}__{_plain(tool)}"
    if len(plain) <= MAX_NAME and plain not in taken:
        return plain
    digest = hashlib.sha256(f"{server}\n{tool}".encode()).hexdigest()[:8]
    return f"{plain[: MAX_NAME - 9]}_{digest}"


def _plain(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_") or hashlib.sha256(name.encode()).hexdigest()[:8]


def parameters(schema: object) -> dict[str, Any]:
    """Return a tool's parameters as a plain JSON schema of an object, whatever form the server's schema has."""
    if not isinstance(schema, dict):
        return {"type": "object", "properties": {}}
    for described in (True, False):
        plain = _Plain(schema, described=described).root()
        if len(json.dumps(plain, ensure_ascii=False)) <= MAX_SCHEMA:
            return plain
    return _object({name: {} for name in list(plain["properties"])[:MAX_VALUES]}, plain.get("required", []))


def _object(properties: Mapping[str, Any], required: Iterable[str]) -> dict[str, Any]:
    names = [name for name in required if name in properties]
    return {"type": "object", "properties": properties, **({"required": names} if names else {})}


class _Plain:
    def __init__(self, schema: dict[str, Any], *, described: bool) -> None:
        self._schema = schema
        self._described = described
        self._left = 400
        """Number of subschemas that may follow; references can make a small schema endless."""

    def root(self) -> dict[str, Any]:
        """Return the schema of the arguments, which is an object schema."""
        plain = self._of(self._schema, 0)
        properties = plain.get("properties")
        return _object(properties if isinstance(properties, dict) else {}, plain.get("required", []))

    def _of(self, node: object, depth: int) -> dict[str, Any]:
        self._left -= 1
        if not isinstance(node, dict) or depth > MAX_DEPTH or self._left < 0:
            return {}
        if isinstance(node.get("$ref"), str):
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return {**self._of(self._target(node["$ref"]), depth + 1), **self._of(rest, depth)}
        values = {key: _value(key, node[key]) for key in _KEYWORDS if key in node}
        plain: dict[str, Any] = {key: value for key, value in values.items() if value is not None}
        if self._described and isinstance(node.get("description"), str):
            plain["description"] = _line(node["description"], MAX_FIELD)
        if isinstance(node.get("properties"), dict):
            plain["type"] = "object"
            plain["properties"] = {str(key): self._of(value, depth + 1) for key, value in node["properties"].items()}
        if "items" in node or plain.get("type") == "array":
            plain["items"] = self._of(node.get("items"), depth + 1)
        for key in ("anyOf", "oneOf"):
            if isinstance(node.get(key), list) and node[key]:
                plain["anyOf"] = [self._of(option, depth + 1) for option in node[key][:10]]
        for part in node["allOf"][:10] if isinstance(node.get("allOf"), list) else []:
            plain = _merged(plain, self._of(part, depth + 1))
        return plain

    def _target(self, reference: str) -> object:
        """Resolve a reference within the schema; references to other places resolve to nothing."""
        node: object = self._schema
        if not reference.startswith("#"):
            return None
        for part in reference.removeprefix("#").strip("/").split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            node = node.get(key) if isinstance(node, dict) and key else node
        return node if node is not self._schema else None


def _value(key: str, value: object) -> object:
    if key == "type":
        if isinstance(value, list):
            return [kind for kind in value if kind in _TYPES] or None
        return value if value in _TYPES else None
    if key == "required":
        return [name for name in value if isinstance(name, str)] if isinstance(value, list) else None
    if key == "enum":
        return value[:MAX_VALUES] if isinstance(value, list) and value else None
    return value if len(json.dumps(value, default=str)) <= MAX_FIELD else None


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    both = {**first, **second}
    if "properties" in first and "properties" in second:
        both["properties"] = {**first["properties"], **second["properties"]}
    if "required" in first and "required" in second:
        both["required"] = [*first["required"], *second["required"]]
    return both


def _line(text: str, max_length: int) -> str:
    shown = "".join(char for char in text if char.isprintable() or char in "\n\t")
    shown = re.sub(r"\n{3,}", "\n\n", shown).strip()
    return shown if len(shown) <= max_length else f"{shown[: max_length - 1]}…"


class Servers(BaseModel):
    """The servers of a run: those that can be used, and what is wrong with the others."""

    views: list[ToolView] = Field(default_factory=list)
    failures: list[Failure] = Field(default_factory=list)

    def messages(self, locale: str) -> list[str]:
        """Return the failures in the language of the run."""
        return [failure.message(locale) for failure in self.failures]


class Offered(BaseModel):
    """The tools of one server, or the reason why it offers none."""

    tools: list[Definition] = Field(default_factory=list)
    failures: list[Failure] = Field(default_factory=list)


async def servers_once(run: Run) -> Servers:
    """Connect to all servers of a run in parallel and return their tools, or the recorded ones.

    Raises:
        SettingsError: the operator's file cannot be used, or the library is not installed.
        BadInput: the run names a forbidden server.
    """

    async def work() -> Servers:
        offered = await asyncio.gather(*(offer(run, server) for server in servers.values()))
        views = [
            ToolView(name=server.name, description=_described(server, answer))
            for server, answer in zip(servers.values(), offered, strict=True)
            if answer.tools
        ]
        return Servers(views=views, failures=[failure for answer in offered for failure in answer.failures])

    servers = {} if run.journal.replays else await configured(run.context)
    if not servers and not run.journal.replays:
        return Servers()
    try:
        return (await run.journal.once("tool", "mcp servers", {"mcp": "servers"}, Servers, work)).answer
    except JournalMiss:
        return Servers()


async def offered_once(run: Run, server: Server | None, name: str) -> Offered | None:
    """Return the tools of one server, or the recorded ones; None if a replay's journal does not hold the server."""

    async def work() -> Offered:
        return Offered() if server is None else await offer(run, server)

    try:
        request = {"mcp": "tools", "server": name}
        return (await run.journal.once("tool", f"mcp tools of {name}", request, Offered, work)).answer
    except JournalMiss:
        return None


async def failures_once(run: Run) -> list[Failure]:
    """Return the servers that were excluded so far in this run."""

    async def work() -> Servers:
        return Servers(failures=registry.failures(run.journal.key))

    if not run.journal.replays and not registry.failures(run.journal.key):
        return []
    try:
        known = await run.journal.once("tool", "mcp failures", {"mcp": "failures"}, Servers, work)
    except JournalMiss:
        return []
    return known.answer.failures


async def offer(run: Run, server: Server) -> Offered:
    """Ask a server for its tools."""
    try:
        listed = await registry.call(run.journal.key, server, _listed, LIST_SECONDS)
    except ServerFailed as failed:
        return Offered(failures=[failed.failure])
    except SettingsError:
        raise
    except Exception:  # noqa: BLE001 - whatever a server answers, only that server is left out
        return Offered(failures=[registry.fail(run.journal.key, server, Broken("garbage"))])
    tools = definitions(server, listed[:MAX_TOOLS])
    if not tools:
        return Offered(failures=[registry.fail(run.journal.key, server, Broken("empty"))])
    cut = Failure(server=server.name, address=server.address, reason="cut", detail=str(MAX_TOOLS))
    return Offered(tools=tools, failures=[cut] if len(listed) > MAX_TOOLS else [])


async def _listed(session: "ClientSession") -> list[Any]:
    from mcp.types import PaginatedRequestParams

    capabilities = session.get_server_capabilities()
    if capabilities is not None and capabilities.tools is None:
        return []
    tools: list[Any] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        tools += page.tools
        cursor = page.nextCursor
        if not cursor or len(tools) > MAX_TOOLS:
            break
    return tools


def _described(server: Server, offered: Offered) -> str:
    text = server.description or f"tools {', '.join(tool.remote for tool in offered.tools)}"
    return _line(" ".join(clean_line(server.without_secrets(text)).split()), MAX_DESCRIPTION)
