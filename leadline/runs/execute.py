"""Executes a run from its beginning, or from where it stopped, and keeps its record up to date."""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessageChunk, HumanMessage
from langgraph.types import Command
from pydantic import AfterValidator
from pydantic_core import from_json, to_json

from leadline.runs.output import report_folder, write_report
from leadline.runs.store import Home, RunRecord, config_of, hold_run_lock
from schemas.clean_text import clean_text
from schemas.events import DraftPiece, Event
from schemas.reporter import Report
from schemas.revision import Revision
from services.embedding.models import load_ahead
from services.models import clients_open
from services.run.errors import BadInput, ReviewPending, RevisionRefused
from services.run.journal import run_key
from services.run.log import ERROR, WARNING, log
from services.run.private_paths import without_private
from services.run.settings import settings
from services.run.ui_text import say, speaking
from services.sandbox.workfolder import sweep
from services.search.providers import providers_for, searches_documents
from services.text.tokens import message_language
from services.tools.mcp.registry import close_sessions
from services.turn.conversation import CHANGE, carried_context

PAUSE = 0.2
"""Seconds between two events. Faster writing, as by the offline model, is not shown."""
DRAFTED_BY = "reporter"
"""The node whose messages are the report."""


def _is_plain(function: Callable[[Event], None]) -> Callable[[Event], None]:
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        raise ValueError("a plain function is needed, not an async one")
    return function


OnEvent = Annotated[Callable[[Event], None], AfterValidator(_is_plain)]
OnReview = Callable[[dict[str, Any]], object]
"""Gets a request with a plan and returns the answer, or an awaitable of it; None: nobody answers now."""


class Drafting:
    """Joins the reporter's tokens to pieces of text."""

    def __init__(self) -> None:
        self._message: str | None = ""
        """Id of the current message; another id starts anew, as after an answer that broke off."""
        self._begins = True
        """Whether no piece of it has been sent yet."""
        self._held = ""
        self._due = 0.0

    def add(self, message: object, about: dict[str, Any]) -> Iterator[Event]:
        """Add a message of the stream; returns the event of a piece when one is due."""
        if not isinstance(message, AIMessageChunk) or about.get("langgraph_node") != DRAFTED_BY or not message.text:
            return
        if message.id != self._message:
            self._message, self._begins, self._held, self._due = message.id, True, "", time.monotonic() + PAUSE
        self._held += message.text
        if time.monotonic() >= self._due:
            yield self._piece()

    def rest(self) -> Iterator[Event]:
        """Return the event of the unsent rest of a text."""
        if self._held and not self._begins:
            yield self._piece()

    def _piece(self) -> Event:
        piece = DraftPiece(text=clean_text(self._held), begins=self._begins)
        self._held, self._begins, self._due = "", False, time.monotonic() + PAUSE
        return Event(type="draft", node=DRAFTED_BY, title="", data=piece.model_dump(mode="json"))


class ChangeAsked(Exception):
    """The follow-up of a finished run asks to change its report. `after` is that run, and `request` is the change."""

    def __init__(self, after: str | None, request: str) -> None:
        super().__init__(request)
        self.after = after
        self.request = request


async def folder_of(record: RunRecord, report: Report) -> Path | None:
    """Return the folder of a report's files, or None if none are written; only a new run takes that of another run."""
    if record.out is None or report.direct:
        return None
    only_of = record.id if record.has_answer else ""
    return await asyncio.to_thread(
        report_folder,
        report.question,
        Path(record.out),
        record.folder,
        only_of=only_of,
        is_empty=not report.shows_evidence,
    )


async def write_outputs(home: Home, record: RunRecord, report: Report, folder: Path | None) -> Report:
    """Write a report's files into a folder, if there is one."""
    report = report.model_copy(update={"run_id": record.id})
    if folder is None:
        return report
    files = await write_report(report, folder, home.evidence, record.context.output_formats)
    return report.model_copy(update={"folder": str(folder), "files": files})


async def first_input(home: Home, record: RunRecord) -> Any:
    """Return the first input of a run's thread: its question, and the conversation that it continues.

    Raises:
        BadInput: the followed run is gone, or was never finished.
    """
    if record.after is None:
        return {"question": record.question}
    before = await home.record(record.after)
    values = await home.values(before)
    before.check_finished()
    if "triage" not in values:
        raise BadInput(say("run_unfinished", message_language(before.question), run=before.id))
    messages = [*values["messages"], HumanMessage(record.question)]
    update = {"messages": messages, "former": carried_context(values), "report": values.get("report")}  # type: ignore[arg-type]  # the values are the state
    return Command(update=update, goto="coordinator")


def change_input(revision: Revision) -> Any:
    """Return the input that changes the report in a finished run's thread."""
    return Command(
        update={"revision": revision, "messages": [HumanMessage(revision.request, name=CHANGE)]}, goto="reporter"
    )


async def carry_out(
    home: Home, record: RunRecord, run_input: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    """Run to the end, and keep the record up to date in every case.

    Raises:
        BadInput: another process works on this run, or its choices are refused today.
    """
    record.check_usable()
    with speaking(message_language(record.question)), hold_run_lock(settings().leadline_home, record.id):
        async with clients_open():
            return await _execute(home, record, run_input, on_event, on_review)


async def _execute(
    home: Home, record: RunRecord, run_input: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    record = record.model_copy(update={"status": "running", "error": ""})
    await home.save(record)
    if run_input is None:
        log("run_resumed", run=record.id)
    try:
        try:
            report = await _stream(home, record, run_input, on_event, on_review)
        finally:
            await _close_tools(home, record)
        folder = await folder_of(record, report)
        if folder is not None:  # stored before the folder is written: a resumed run finds it again
            record = record.model_copy(update={"folder": str(folder)})
            await home.save(record)
        report = await write_outputs(home, record, report, folder)
    except (asyncio.CancelledError, BrokenPipeError):  # the latter: the reader of the progress is gone
        log("run_interrupted", WARNING, run=record.id)
        await home.save(record.model_copy(update={"status": "interrupted"}))
        raise
    except ChangeAsked:
        await home.forget(record)
        raise
    except ReviewPending:
        await home.save(record.model_copy(update={"status": "waiting"}))
        raise
    except RevisionRefused as refused:
        tried = record.revisions[-1].model_copy(update={"refused": str(refused)})
        revisions = [*record.revisions[:-1], tried]
        await home.save(record.model_copy(update={"status": "done", "revisions": revisions}))
        raise
    except Exception as error:
        log("run_failed", ERROR, run=record.id, error=type(error).__name__)
        await home.save(record.model_copy(update={"status": "failed", "error": without_private(str(error))}))
        raise
    nothing_found = not (report.direct or report.shows_evidence)
    ended = {"status": "done", "folder": report.folder, "nothing_found": nothing_found}
    await home.save(record.model_copy(update=ended))
    return report


async def _close_tools(home: Home, record: RunRecord) -> None:
    """Close connections to tool servers that a cancelled run has left open."""
    values = (await home.graph.aget_state(config_of(record))).values
    if "turn" in values:
        await close_sessions(run_key(record.id, values["turn"]))


async def _load_model(record: RunRecord) -> None:
    """Load the embedding model in advance, which takes longest of all that a search needs."""
    if await asyncio.to_thread(searches_documents, record.context):
        await load_ahead()


async def _open_search(record: RunRecord, on_event: OnEvent | None) -> None:
    """Open the run's documents and searches in advance, and report what is not searched."""
    providers = await providers_for(record.context)
    if on_event is not None:
        for notice in providers.notices(message_language(record.question)):
            on_event(Event(type="notice", node="", title=notice))


@asynccontextmanager
async def _prepared(*work: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """Prepare the first search during the first call. An error is left to the node that needs the result."""
    tasks = [asyncio.create_task(coroutine) for coroutine in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _stream(
    home: Home, record: RunRecord, run_input: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    config, answer, edits = config_of(record), None, 0
    async with _prepared(_load_model(record), _open_search(record, on_event), asyncio.to_thread(sweep)):
        while True:
            await _watched(home, record, run_input, on_event)
            state = await home.graph.aget_state(config)
            if not state.interrupts:
                revision: Revision | None = state.values.get("revision")
                if revision is not None and state.values.get("triage") is None:  # no question was asked
                    raise ChangeAsked(record.after, revision.request)
                return report_of(state.values)
            request, former = state.interrupts[0].value, answer
            answer = None if on_review is None else on_review(request)
            if inspect.isawaitable(answer):
                answer = await answer
            if answer is None:
                raise ReviewPending(record.id)
            try:
                answer = from_json(to_json(answer))  # as the record keeps it, and as a replay gets it
            except ValueError:
                raise BadInput(request["answers"]) from None
            edits, edited = len(state.values["feedback"]), len(state.values["feedback"]) > edits
            if answer == former and ("problem" in request or edited):  # it would be asked for ever
                problem = request.get("problem") or say("review_repeated", state.values["locale"])
                raise BadInput(f"{problem}\n{request['answers']}")
            record.reviews.append(answer)
            await home.save(record)
            run_input = Command(resume=answer)


async def _watched(home: Home, record: RunRecord, run_input: Any, on_event: OnEvent | None) -> None:
    """Run to the end or to an interrupt; the watcher gets the run's events, and the report while it is written."""
    config, drafting = config_of(record), Drafting()
    if on_event is None:
        await home.graph.ainvoke(run_input, config, context=record.context, durability="sync")
        return
    async for mode, part in home.graph.astream(
        run_input, config, context=record.context, stream_mode=["custom", "messages"], durability="sync"
    ):
        for event in drafting.add(*part) if mode == "messages" else drafting.rest():
            on_event(event)
        if mode == "custom":
            on_event(Event.model_validate(part))


def report_of(values: dict[str, Any]) -> Report:
    """Return the report, or the direct answer if no research was needed.

    Raises:
        RevisionRefused: the requested change was refused; the report is unchanged.
    """
    report: Report | None = values.get("report")
    revision: Revision | None = values.get("revision")
    if revision is not None and revision.refused:
        raise RevisionRefused(revision.refused)
    if report is not None:
        return report
    triage = values["triage"]
    return Report(
        title="",
        question=values["question"],
        markdown=triage.reply,
        usage=values["usage"],
        direct=True,
        asks_back=triage.intent == "unclear",
    )
