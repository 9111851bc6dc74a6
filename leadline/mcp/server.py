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
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from copy import copy
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, cast

import anyio
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from leadline.api import aresearch
from leadline.runs.revise import averify
from leadline.runs.store import finished_report, open_home
from schemas.context import RunContext
from schemas.events import Event
from schemas.reporter import Report
from services.run.errors import BadInput, SettingsError, reason_of
from services.run.settings import settings
from services.run.ui_text import told
from services.search.providers import only_open_folders
from services.tools.mcp.sessions import INSTALL

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

OnProgress = Callable[[int, str], Awaitable[None]]
"""Called with the number and title of an event."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Question(_Arguments):
    """Research a question in depth and return a report in which every sentence cites a verbatim quote of a source.

    Takes from half a minute to several minutes, at greater depth up to two hours. The answer is Markdown and ends with the run's id.
    """

    question: str = Field(min_length=1, description="The question, in a full sentence, in any language.")
    after: str = Field(
        default="", description="Run id of the report to follow up, or latest; empty for a new question."
    )


CHOICES: dict[str, str] = {
    "depth": "From an answer in seconds to a report from about 200 sources, which takes long.",
    "documents": "Folders to search, below those of the configuration if it has any; empty: all.",
    "locale": "",
    "max_seconds": "",
    "max_tokens": "",
    "max_cost": "",
    "max_searches": "",
    "max_pages": "",
}
"""Fields of `RunContext` that a client may choose; with a description if the field's own does not fit."""


def _choice(name: str, description: str) -> Any:
    """Return a field without a default of its own: a client that fills in defaults chooses nothing by it."""
    field = copy(RunContext.model_fields[name])
    field.description = description or field.description
    field.json_schema_extra = None  # data for Studio's form
    field.default = None
    annotation: Any = field.annotation
    return (annotation | None, field)


fields: Any = {name: _choice(name, description) for name, description in CHOICES.items()}
Research: type[Question] = create_model("Research", __base__=Question, __doc__=Question.__doc__, **fields)
"""Arguments of the tool `research`."""


_RUN_ID = "As `research` gave it; latest: of the latest finished run."


class ReadReport(_Arguments):
    """Return the report of an earlier run, or JSON with all of its evidence."""

    run_id: str = Field(description=_RUN_ID)
    format: Literal["markdown", "json"] = Field(default="markdown", description="json adds quotes, sources and usage.")


class VerifyReport(_Arguments):
    """Check a report offline: every stored text, quote, claim and citation."""

    run_id: str = Field(description=_RUN_ID)


async def research(arguments: Question, on_progress: OnProgress) -> str:
    """Research a question, and report its progress."""
    events: asyncio.Queue[Event] = asyncio.Queue()

    async def report_events() -> None:
        number = 0
        while True:
            event = await events.get()
            if event.type == "draft":
                continue
            number += 1
            await on_progress(number, event.title)

    choices = arguments.model_dump(include=set(CHOICES), exclude_unset=True)
    reporter = asyncio.create_task(report_events())
    # A separate task, because a cancelled request is cancelled repeatedly, while the run must be stored.
    with only_open_folders() if settings().leadline_docs else contextlib.nullcontext():
        work = asyncio.create_task(
            aresearch(
                arguments.question,
                on_event=events.put_nowait,
                after=arguments.after or None,
                **choices,
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
        reporter.cancel()
    if report.direct:
        return report.markdown
    return f"{report}\n\n---\nRun id: {report.run_id} (for read_report and verify_report)\n"


_under_way: set[asyncio.Task[Report]] = set()


async def read_report(arguments: ReadReport, _: OnProgress) -> str:
    """Return a finished report.

    Raises:
        BadInput: the run does not exist or is not finished.
    """
    async with open_home(settings().leadline_home) as home:
        report = (await finished_report(home, arguments.run_id))[1]
    return report.model_dump_json(indent=1, exclude={"document"}) if arguments.format == "json" else str(report)


async def verify_report(arguments: VerifyReport, _: OnProgress) -> str:
    """Check a report and describe the result.

    Raises:
        BadInput: the run does not exist or is not finished.
    """
    check = (await averify(arguments.run_id))[1]
    if not check.problems:
        return "\n".join(filter(None, [check.result(arguments.run_id), check.head, check.trust]))
    return "\n".join([check.result(arguments.run_id), *check.problems])


TOOLS: dict[str, tuple[type[_Arguments], Callable[[Any, OnProgress], Awaitable[str]]]] = {
    "research": (Research, research),
    "read_report": (ReadReport, read_report),
    "verify_report": (VerifyReport, verify_report),
}


def server() -> "Server[Any, Any]":
    """Return the server with its three tools.

    Raises:
        SettingsError: the MCP library is not installed.
    """
    try:
        from mcp import types
        from mcp.server.lowlevel import Server
    except ImportError:
        raise SettingsError(**told("mcp_library", command=INSTALL)) from None

    made: Server[Any, Any] = Server(
        "leadline",
        version=metadata.version("leadline"),
        instructions="Researches questions in sources and backs every statement of its reports with verbatim quotes.",
    )

    @made.list_tools()  # type: ignore[no-untyped-call,untyped-decorator]  # the SDK's decorators have no types
    async def _list() -> list[types.Tool]:
        return [
            types.Tool(
                name=name, description=" ".join((arguments.__doc__ or "").split()), inputSchema=_schema(arguments)
            )
            for name, (arguments, _) in TOOLS.items()
        ]

    @made.call_tool(validate_input=False)  # type: ignore[untyped-decorator]  # as above; pydantic says it better
    async def _call(name: str, values: dict[str, Any]) -> list[types.TextContent]:
        if name not in TOOLS:
            raise BadInput(f"There is no tool {name!r}. There are: {', '.join(TOOLS)}.")
        arguments, work = TOOLS[name]
        context = made.request_context
        token = context.meta.progressToken if context.meta else None

        async def on_progress(number: int, title: str) -> None:
            if token is not None:
                await context.session.send_progress_notification(
                    token, number, message=title, related_request_id=str(context.request_id)
                )

        return [types.TextContent(type="text", text=await work(_read(name, arguments, values), on_progress))]

    return made


def _schema(arguments: type[_Arguments]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    for known in ("title", "description"):
        schema.pop(known, None)
    for field in schema["properties"].values():
        field.pop("title", None)  # the name again, which a client would pay for
    return schema


def _read(name: str, arguments: type[_Arguments], values: dict[str, Any]) -> _Arguments:
    try:
        return arguments.model_validate({key: value for key, value in values.items() if value is not None})
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        is_value = where in CHOICES and isinstance(problem["input"], str | int | float)
        cannot = f"cannot be {repr(problem['input'])[:80]}" if is_value else "cannot be used"
        raise BadInput(f"{name}: {where} {cannot}: {reason_of(problem)}.") from None


async def serve() -> None:
    """Serve over stdin and stdout until the client disconnects.

    Raises:
        SettingsError: the MCP library is not installed.
    """
    made = server()
    from mcp.server.stdio import stdio_server

    protocol = anyio.wrap_file(io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8"))
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    serving: Any = asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    try:
        async with stdio_server(cast("Any", _lines_of_stdin()), protocol) as (incoming, outgoing):
            await made.run(incoming, outgoing, made.create_initialization_options())
    except asyncio.CancelledError:
        pass  # by a signal, with which clients end a server
    for work in _under_way:
        if not work.cancelling():  # once: a second interrupt would prevent the run from being stored
            work.cancel()
    await asyncio.gather(*_under_way, return_exceptions=True)


async def _lines_of_stdin() -> AsyncIterator[str]:
    """Yield the lines of stdin, read in a daemon thread.

    The SDK would read them in a thread that the process waits for at its end, and that nothing wakes before the next line.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str]()

    def read() -> None:
        with os.fdopen(os.dup(0), encoding="utf-8", errors="replace") as stdin, contextlib.suppress(RuntimeError):
            for line in stdin:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, "")

    threading.Thread(target=read, name="leadline-mcp-stdin", daemon=True).start()
    while line := await lines.get():
        yield line
