"""Research from Python: `research(question)` and, inside an event loop, `await aresearch(question)`."""

import asyncio
import secrets
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from leadline.alone import alone
from leadline.home import Home, RunRecord, open_home
from leadline.output import check_writable, write_formats, write_report
from leadline.review import ReviewPending
from leadline.timeline import Timeline
from leadline.warmup import getting_ready
from schemas.context import OutputFormat
from schemas.events import Event
from schemas.reporter import Report
from services.errors import BadInput
from services.journal import Recording, replaying, run_key
from services.models import clients_open
from services.reports.formats import check_formats
from services.runs import checked_choices
from services.search.providers import allow_folders, check_search, providers_for
from services.search.tokens import has_cjk
from services.settings import settings
from services.tools.mcp.registry import close

if TYPE_CHECKING:
    from leadline.refresh import Refreshed

OnEvent = Callable[[Event], None]
OnReview = Callable[[dict[str, Any]], Awaitable[object]]


async def aresearch(
    question: str,
    *,
    docs: Iterable[str | PathLike[str]] = (),
    out: str | PathLike[str] | None = None,
    on_event: OnEvent | None = None,
    on_review: OnReview | None = None,
    run_id: str | None = None,
    **choices: Any,
) -> Report:
    """Research a question and return the report.

    Args:
        question: in any language; English and Chinese are first-class.
        docs: folders of documents to search.
        out: folder below which `<slug>/report.md` and `evidence.json` are written; None writes no files.
        on_event: called with each progress event.
        on_review: with `review_plan=True`, called with the plan; it returns the person's answer.
        run_id: name of the run, to find it again; by default made of the time.
        choices: fields of `schemas.context.RunContext`, such as `max_step_num=5` or `locale="zh-CN"`.

    Raises:
        LeadlineError: with a message that says what to do. The run stays resumable with `resume`.
    """
    folders = [str(folder) for folder in docs]
    context = checked_choices({**choices, **({"documents": folders} if folders else {})})
    if not question.strip():
        raise BadInput("The question is empty. Ask something, for example: Who invented the sounding machine?")
    if out is not None:
        check_formats(context.output_formats)
        await asyncio.to_thread(check_writable, Path(out))
    allow_folders(context.documents)
    await asyncio.to_thread(check_search, context)
    record = RunRecord(
        id=run_id or new_run_id(),
        question=question,
        out=None if out is None else str(out),
        context=context,
    )
    async with open_home(settings().leadline_home) as home:
        return await _carry_out(home, record, {"question": question}, on_event, on_review)


def new_run_id() -> str:
    """Return a name for a run; later ones sort behind earlier ones."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}{secrets.token_hex(1)}"


def research(question: str, **options: Any) -> Report:
    """Research a question and return the report; takes what `aresearch` takes.

    It works in a notebook too, where an event loop runs already: the run then has a thread and a loop of its own.
    """
    return _run(aresearch(question, **options))


async def aresume(
    run_id: str | None = None,
    *,
    out: str | PathLike[str] | None = None,
    on_event: OnEvent | None = None,
    on_review: OnReview | None = None,
) -> Report:
    """Go on with a run that was interrupted; by default the latest unfinished one.

    Raises:
        BadInput: there is no such run.
    """
    async with open_home(settings().leadline_home) as home:
        record = await home.record(run_id)
        if out is not None:
            await asyncio.to_thread(check_writable, Path(out))
            record = record.model_copy(update={"out": str(out)})
        allow_folders(record.context.documents)
        state = await home.graph.aget_state(_config(record))
        started: Any = {"question": record.question} if state.created_at is None else None
        return await _carry_out(home, record, started, on_event, on_review)


async def areplay(run_id: str, *, out: str | PathLike[str] | None = None) -> Report:
    """Run a finished run again from its journal alone: no model, no search, no program is asked.

    Args:
        run_id: as `leadline runs` lists it.
        out: folder below which the report is written; by default the one it was written to.

    Raises:
        BadInput: there is no such run, or it is not finished.
        JournalMiss: the journal does not hold something that was asked; prompts or code have changed since.
    """
    async with open_home(settings().leadline_home) as home:
        record = await home.record(run_id)
        if record.status != "done":
            raise BadInput(
                f"Run {run_id} is not finished, so it cannot be replayed. Go on with: leadline resume {run_id}"
            )
        if out is not None:
            await asyncio.to_thread(check_writable, Path(out))
            record = record.model_copy(update={"out": str(out)})
        finished = await home.graph.aget_state(_config(record))
        recording = await Recording.load(home.store, run_key(record.id, finished.values["turn"]), record.id)
        with replaying(recording):
            report = await _replayed(home, record)
        return await _written(home, record, report)


async def _replayed(home: Home, record: RunRecord) -> Report:
    """Carry a run out anew in memory, with the answers that were given to its reviews."""
    graph = home.graph_in_memory()
    answers = iter(record.reviews)
    given: Any = {"question": record.question}
    while True:
        values = await graph.ainvoke(given, _config(record), context=record.context)
        if "__interrupt__" not in values:
            return _report_of(values)
        given = Command(resume=next(answers))


async def _written(home: Home, record: RunRecord, report: Report) -> Report:
    """Write a report's files, where the run has a folder for them."""
    report = report.model_copy(update={"run_id": record.id})
    if record.out is None or report.direct:
        return report
    folder, files = await write_report(report, Path(record.out), home.evidence, record.context.output_formats)
    return report.model_copy(update={"folder": str(folder), "files": files})


async def _finished(home: Home, run_id: str) -> tuple[RunRecord, Report]:
    """Return a finished run and its report.

    Raises:
        BadInput: there is no such run, it is not finished, or it has no report.
    """
    record = await home.record(run_id)
    report: Report | None = (await home.graph.aget_state(_config(record))).values.get("report")
    if record.status != "done":
        raise BadInput(f"Run {run_id} is not finished. Go on with: leadline resume {run_id}")
    if report is None:
        raise BadInput(f"Run {run_id} was answered without research, so it has no report.")
    return record, report.model_copy(update={"run_id": record.id})


async def arefresh(run_id: str) -> "tuple[Refreshed, str | None]":
    """Read the sources of a finished run's report again, and say which claims hold, changed or fell.

    Returns:
        What has become of the report, and the folder of its files, if it has one.

    Raises:
        BadInput: there is no such run, it is not finished, or it has no report.
        DocumentsError: a folder of its documents is gone.
    """
    from leadline.refresh import refreshed

    async with open_home(settings().leadline_home) as home:
        record, report = await _finished(home, run_id)
        allow_folders(record.context.documents)
        return await refreshed(report, record.context), record.folder


async def areport(
    run_id: str, formats: Sequence[OutputFormat] = ("html",), *, out: str | PathLike[str] | None = None
) -> Report:
    """Make files of a finished run's report: no model is asked, nothing is searched.

    Args:
        run_id: as `leadline runs` lists it.
        formats: `md`, `html`, `slides`, `pptx`, `docx`, `pdf`.
        out: folder below which the report is written with its evidence; by default the files join those in its folder.

    Returns:
        The report; `folder` and `files` say where the files are.

    Raises:
        BadInput: there is no such run, it is not finished, or it has no report.
        SettingsError: something that a format needs is not installed.
    """
    check_formats(formats)
    if out is not None:
        await asyncio.to_thread(check_writable, Path(out))
    async with open_home(settings().leadline_home) as home:
        record, report = await _finished(home, run_id)
        kept = out is None and record.folder is not None and await asyncio.to_thread(_is_there, record.folder)
        if kept and record.folder is not None:
            folder, files = Path(record.folder), await write_formats(report, Path(record.folder), formats)
        else:
            folder, files = await write_report(report, Path(out or record.out or "out"), home.evidence, formats)
            files = [name for name in files if name != "report.md" or "md" in formats]
        return report.model_copy(update={"folder": str(folder), "files": files})


def _is_there(folder: str) -> bool:
    return (Path(folder) / "evidence.json").is_file()


def _notebook(report: Report) -> str:
    from services.reports.html.notebook import notebook_html

    return notebook_html(report)


Report.as_html = _notebook


async def aruns() -> list[RunRecord]:
    """Return the records of all runs, the newest first."""
    async with open_home(settings().leadline_home) as home:
        return await home.records()


async def atimeline(run_id: str | None = None) -> tuple[RunRecord, Timeline]:
    """Return a run and the timeline of its calls; by default of the latest run.

    Raises:
        BadInput: there is no such run.
    """
    async with open_home(settings().leadline_home) as home:
        records = await home.records()
        if run_id is None and not records:
            raise BadInput("There is no run yet. Start one with: leadline research")
        record = records[0] if run_id is None else await home.record(run_id)
        state = await home.graph.aget_state(_config(record))
        if "turn" not in state.values:
            return record, Timeline([])
        recording = await Recording.load(home.store, run_key(record.id, state.values["turn"]), record.id)
        return record, Timeline.of(recording.entries.values())


def _config(record: RunRecord) -> RunnableConfig:
    return {"configurable": {"thread_id": record.id}}


async def _carry_out(
    home: Home, record: RunRecord, given: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    """Run to the end, keeping the record true whatever happens on the way.

    Raises:
        BadInput: another process works on this run.
    """
    with alone(settings().leadline_home, record.id):
        async with clients_open():
            return await _kept_true(home, record, given, on_event, on_review)


async def _kept_true(
    home: Home, record: RunRecord, given: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    record = record.model_copy(update={"status": "running", "error": ""})
    await home.save(record)
    try:
        report = await _stream(home, record, given, on_event, on_review)
    except asyncio.CancelledError:
        await home.save(record.model_copy(update={"status": "interrupted"}))
        raise
    except ReviewPending:
        await home.save(record.model_copy(update={"status": "waiting"}))
        raise
    except Exception as error:
        await home.save(record.model_copy(update={"status": "failed", "error": str(error)}))
        raise
    finally:
        await _close_tools(home, record)
    report = await _written(home, record, report)
    await home.save(record.model_copy(update={"status": "done", "folder": report.folder}))
    return report


async def _close_tools(home: Home, record: RunRecord) -> None:
    """Close what is still connected to servers of tools: a run that was cancelled did not come to it."""
    values = (await home.graph.aget_state(_config(record))).values
    if "turn" in values:
        await close(run_key(record.id, values["turn"]))


async def _open_search(record: RunRecord, on_event: OnEvent | None) -> None:
    """Open what the run searches before it is searched, and tell what is not searched."""
    providers = await providers_for(record.context)
    if on_event is not None:
        for notice in providers.notices("zh" if has_cjk(record.question) else "en"):
            on_event(Event(type="notice", node="", title=notice))
    for documents in providers.documents:
        await documents.warm_up()


async def _stream(
    home: Home, record: RunRecord, given: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    async with getting_ready(partial(_open_search, record, on_event)) as warm_up:
        config: RunnableConfig = {**_config(record), "callbacks": [warm_up]}
        while True:
            async for event in home.graph.astream(
                given, config, context=record.context, stream_mode="custom", durability="sync"
            ):
                if on_event is not None:
                    on_event(Event.model_validate(event))
            state = await home.graph.aget_state(config)
            if not state.interrupts:
                return _report_of(state.values)
            answer = None if on_review is None else await on_review(state.interrupts[0].value)
            if answer is None:
                raise ReviewPending(record.id)
            record.reviews.append(answer)
            await home.save(record)
            given = Command(resume=answer)


def _report_of(values: dict[str, Any]) -> Report:
    """Return the report, or the direct answer where no research was due."""
    report: Report | None = values.get("report")
    if report is not None:
        return report
    triage = values["triage"]
    return Report(title="", question=values["question"], markdown=triage.reply, usage=values["usage"], direct=True)


def _run(work: Awaitable[Report]) -> Report:
    async def main() -> Report:
        return await work

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    return _in_thread(main)


def _in_thread(main: Callable[[], Any]) -> Report:
    outcome: list[Report] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            outcome.append(asyncio.run(main()))
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits for it
            failure.append(error)

    thread = threading.Thread(target=target, name="leadline-research")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
