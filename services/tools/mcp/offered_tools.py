"""The tools that a run's servers offer, recorded in the journal, so that a resumed or replayed run asks no server again."""

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from schemas.clean_text import clean_line
from schemas.mcp import ToolView
from services.run.errors import JournalMiss, SettingsError
from services.run.scope import Run
from services.tools.mcp import registry
from services.tools.mcp.configuration import Server, configured
from services.tools.mcp.definitions import MAX_PAGES, MAX_TOOLS, Definition, definitions
from services.tools.mcp.failures import Broken, Failure, ServerFailed

if TYPE_CHECKING:
    from mcp import ClientSession

LIST_SECONDS = 10.0
MAX_DESCRIPTION = 240
"""Maximum characters of a server's description."""


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
    """Return a line that describes a server: the operator's description, else the names of its tools."""
    text = server.description or f"tools {', '.join(tool.remote for tool in offered.tools)}"
    line = " ".join(clean_line(server.without_secrets(text)).split())
    return line if len(line) <= MAX_DESCRIPTION else f"{line[: MAX_DESCRIPTION - 1]}…"
