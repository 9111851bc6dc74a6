"""Leadline as an MCP server over stdio: `research`, `read_report` and `verify_report` for any client that speaks MCP.

Only the protocol goes to stdout: what this process or a library would print there goes to stderr. A run that a client cancels,
or leaves behind, is interrupted as Ctrl-C does it, and can be resumed.
"""

import asyncio
import contextlib
import io
import os
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leadline.api import aresearch
from leadline.runs.report_sections import section_of
from leadline.runs.store import Home, open_home
from schemas.events import Event
from schemas.reporter import Report
from services.reports.checking.bundle import verify_bundle, write_bundle
from services.run.errors import BadInput, SettingsError
from services.run.settings import settings
from services.tools.mcp.sessions import INSTALL

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

Tell = Callable[[int, str], Awaitable[None]]
"""Takes the number of an event and its title."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Research(_Arguments):
    """Research a question in depth and return a report in which every sentence cites a verbatim quote of a source.

    Takes from half a minute to several minutes. The answer is Markdown and ends with the run's id.
    """

    question: str = Field(min_length=1, description="The question, in a full sentence, in any language.")
    documents: list[str] = Field(default=[], description="Folders of documents to search; empty: as configured.")
    locale: str = Field(default="auto", description="Language of the report: auto, en-US, zh-CN, …")
    after: str = Field(default="", description="Run id of a report that this question follows up; empty: a new one.")
    quick: bool = Field(default=False, description="Answer from one quick search, without a plan.")
    max_seconds: int | None = Field(default=None, description="Seconds that the run may take; 900 by default.")
    max_tokens: int | None = Field(default=None, description="Tokens, in and out, that it may use.")
    max_cost: float | None = Field(default=None, description="US dollars that its model calls may cost.")
    max_searches: int | None = Field(default=None, description="Searches that it may make.")
    max_pages: int | None = Field(default=None, description="Pages that it may read.")


class ReadReport(_Arguments):
    """Return the report of an earlier run: whole, one section of it, or as JSON with all of its evidence."""

    run_id: str = Field(description="As `research` gave it.")
    format: Literal["markdown", "json"] = Field(default="markdown", description="json adds quotes, sources and usage.")
    section: str = Field(default="", description="Heading of the one section to return; empty: everything.")


class VerifyReport(_Arguments):
    """Check a report offline: every stored text, quote, claim and citation. Give a run's id or a report's folder."""

    run_id: str = Field(default="", description="As `research` gave it.")
    folder: str = Field(default="", description="Folder that holds report.md and evidence.json.")


async def research(given: Research, tell: Tell) -> str:
    """Research a question; progress is told as it happens."""
    events: asyncio.Queue[Event] = asyncio.Queue()

    async def telling() -> None:
        number = 0
        while True:
            event = await events.get()
            number += 1
            await tell(number, event.title)

    limits = ("max_seconds", "max_tokens", "max_cost", "max_searches", "max_pages")
    chosen: dict[str, Any] = {name: getattr(given, name) for name in limits if getattr(given, name) is not None}
    if given.locale != "auto" or not given.after:
        chosen["locale"] = given.locale
    teller = asyncio.create_task(telling())
    # A task of its own, because what cancels the request cancels again and again, and the run has to be written down.
    work = asyncio.create_task(
        aresearch(
            given.question,
            docs=given.documents,
            on_event=events.put_nowait,
            after=given.after or None,
            deep_research=not given.quick,
            **chosen,
        )
    )
    _under_way.add(work)
    work.add_done_callback(_under_way.discard)
    try:
        report: Report = await asyncio.shield(work)
    except asyncio.CancelledError:
        work.cancel()
        raise
    finally:
        teller.cancel()
    if report.direct:
        return report.markdown
    return f"{report.markdown}\n\n---\nRun id: {report.run_id} (for read_report and verify_report)\n"


_under_way: "set[asyncio.Task[Report]]" = set()


async def read_report(given: ReadReport, _: Tell) -> str:
    """Return a finished report or a part of it.

    Raises:
        BadInput: there is no such run, it is not finished, or it has no such section.
    """
    async with _home() as home:
        report = await _finished(home, given.run_id)
    if given.format == "json":
        return report.model_dump_json(indent=1)
    return section_of(report.markdown, given.section) if given.section.strip() else report.markdown


async def verify_report(given: VerifyReport, _: Tell) -> str:
    """Check a report and say what holds and what does not.

    Raises:
        BadInput: neither or both of run and folder are named, or there is no such run.
        BundleError: the folder holds no report.
    """
    if bool(given.run_id) == bool(given.folder):
        raise BadInput("Name either the run_id or the folder of a report.")
    if given.folder:
        check = await asyncio.to_thread(verify_bundle, Path(given.folder))
    else:
        async with _home() as home:
            report = await _finished(home, given.run_id)
            with tempfile.TemporaryDirectory() as folder:
                await write_bundle(report, Path(folder) / "report", home.evidence)
                check = await asyncio.to_thread(verify_bundle, Path(folder) / "report")
    counts = ", ".join(f"{count} {name}" for name, count in check.checked.items())
    if not check.problems:
        return f"Everything holds ({counts})."
    return "\n".join([f"{len(check.problems)} of the checks failed ({counts}).", *check.problems])


@contextlib.asynccontextmanager
async def _home() -> Any:
    async with open_home(settings().leadline_home) as opened:
        yield opened


async def _finished(home: "Home", run_id: str) -> "Report":
    record = await home.record(run_id)
    if record.status != "done":
        raise BadInput(f"Run {run_id} is not finished ({record.status}). Go on with: leadline resume {run_id}")
    values = (await home.graph.aget_state({"configurable": {"thread_id": run_id}})).values
    report: Report | None = values.get("report")
    if report is None:
        raise BadInput(f"Run {run_id} has no report: it was answered without research.")
    return report.model_copy(update={"run_id": run_id})


TOOLS: dict[str, tuple[type[_Arguments], Callable[[Any, Tell], Awaitable[str]]]] = {
    "research": (Research, research),
    "read_report": (ReadReport, read_report),
    "verify_report": (VerifyReport, verify_report),
}


def server() -> "Server[Any, Any]":
    """Return the server with its three tools.

    Raises:
        SettingsError: the library is not installed.
    """
    try:
        from mcp import types
        from mcp.server.lowlevel import Server
    except ImportError:
        raise SettingsError(f"Serving MCP needs a library that is not installed. Run: {INSTALL}") from None

    made: Server[Any, Any] = Server(
        "leadline",
        version=metadata.version("leadline"),
        instructions="Researches questions in sources and proves every sentence of its reports with verbatim quotes.",
    )

    @made.list_tools()  # type: ignore[no-untyped-call,untyped-decorator]  # the SDK's decorators have no types
    async def _list() -> list[types.Tool]:
        return [
            types.Tool(name=name, description=_description(arguments), inputSchema=_schema(arguments))
            for name, (arguments, _) in TOOLS.items()
        ]

    @made.call_tool(validate_input=False)  # type: ignore[untyped-decorator]  # as above; pydantic says it better
    async def _call(name: str, given: dict[str, Any]) -> list[types.TextContent]:
        if name not in TOOLS:
            raise BadInput(f"There is no tool {name!r}. There are: {', '.join(TOOLS)}.")
        arguments, work = TOOLS[name]
        context = made.request_context
        token = context.meta.progressToken if context.meta else None

        async def tell(number: int, title: str) -> None:
            if token is not None:
                await context.session.send_progress_notification(
                    token, number, message=title, related_request_id=str(context.request_id)
                )

        return [types.TextContent(type="text", text=await work(_read(name, arguments, given), tell))]

    return made


def _description(arguments: type[_Arguments]) -> str:
    return " ".join((arguments.__doc__ or "").split())


def _schema(arguments: type[_Arguments]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    schema.pop("description", None)
    return schema


def _read(name: str, arguments: type[_Arguments], given: dict[str, Any]) -> _Arguments:
    try:
        return arguments.model_validate(given)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise BadInput(f"{name}: {where} cannot be used: {problem['msg']}.") from None


async def serve() -> None:
    """Serve over stdin and stdout until the client hangs up.

    Raises:
        SettingsError: the library is not installed.
    """
    made = server()
    from mcp.server.stdio import stdio_server

    protocol = anyio.wrap_file(io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8"))
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _stop)
    async with stdio_server(stdout=protocol) as (incoming, outgoing):
        await made.run(incoming, outgoing, made.create_initialization_options())
    await _interrupted()


async def _interrupted() -> None:
    """Interrupt the runs that are under way, and wait until they are written down."""
    for work in list(_under_way):
        work.cancel()
    await asyncio.gather(*_under_way, return_exceptions=True)


def _stop() -> None:
    """End on a signal: the thread that waits for stdin cannot be woken, so the process does not wait for it."""
    ending = asyncio.ensure_future(_interrupted())
    ending.add_done_callback(lambda _: os._exit(0))
