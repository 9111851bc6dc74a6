"""Research from Python: `research(question)` and, inside an event loop, `await aresearch(question)`."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langgraph.types import Command

from leadline.carrying_out import OnEvent, OnReview, carry_out, config_of, first_input, report_of, written
from leadline.home import Home, RunRecord, open_home
from leadline.output import check_writable, report_folder, write_formats, write_report
from leadline.retold import retold
from leadline.run_ids import new_run_id
from leadline.starting import starting
from schemas.context import OutputFormat
from schemas.reporter import Report
from services.conversation import carried, chosen_question
from services.errors import BadInput
from services.journal import Recording, replaying, run_key
from services.runs import checked_choices, prompts_of
from services.search.providers import allow_folders, check_search
from services.settings import settings

if TYPE_CHECKING:
    from leadline.refresh import Refreshed
    from leadline.timeline import Timeline

__all__ = [
    "OnEvent",
    "OnReview",
    "arefresh",
    "areplay",
    "areport",
    "aresearch",
    "aresume",
    "aruns",
    "atimeline",
    "research",
]


async def aresearch(
    question: str,
    *,
    docs: Iterable[str | PathLike[str]] = (),
    out: str | PathLike[str] | None = None,
    on_event: OnEvent | None = None,
    on_review: OnReview | None = None,
    run_id: str | None = None,
    after: "str | Report | None" = None,
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
        after: a finished run, its report, or `"latest"`, that this question follows up. Its conversation is gone on with, its
            evidence is looked through before anything is searched, and what it chose holds unless chosen anew. The number
            of a question that it recommended stands for that question.
        choices: fields of `schemas.context.RunContext`, such as `max_step_num=5` or `locale="zh-CN"`; `profile` may name a
            file.

    Raises:
        LeadlineError: with a message that says what to do. The run stays resumable with `resume`.
    """
    folders = [str(folder) for folder in docs]
    given = {**choices, **({"documents": folders} if folders else {})}
    if isinstance(given.get("profile"), str | PathLike):
        from leadline.profiles import load_profile

        given["profile"], _ = await asyncio.to_thread(load_profile, Path(given["profile"]))
    before = after.run_id if isinstance(after, Report) else after
    if before is not None:
        before, question, given = await _following(before, question, given)
    context = checked_choices(given)
    if not question.strip():
        raise BadInput("The question is empty. Ask something, for example: Who invented the sounding machine?")
    if out is not None:
        _check_formats(context.output_formats)
        await asyncio.to_thread(check_writable, Path(out))
    with prompts_of(context):
        allow_folders(context.documents)
    await asyncio.to_thread(check_search, context)
    record = RunRecord(
        id=run_id or new_run_id(),
        question=question,
        out=None if out is None else str(out),
        context=context,
        after=before,
    )
    async with open_home(settings().leadline_home) as home:
        return await carry_out(home, record, await first_input(home, record), on_event, on_review)


async def _following(before: str, question: str, given: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Return the run that a follow-up follows, its question, and what it chooses on top of what that run chose."""
    async with open_home(settings().leadline_home) as home:
        record = await home.latest_finished() if before == "latest" else await home.record(before)
        values: Any = (await home.graph.aget_state(config_of(record))).values
        former = carried(values)
    chosen = chosen_question(question, former)
    if chosen == question and question.strip().isdecimal():
        offered = len(former.follow_up_questions) if former else 0
        raise BadInput(
            f"Run {record.id} recommends {offered} questions, and none has the number {question.strip()}. "
            "Ask in your own words, or name one of them."
        )
    return record.id, chosen, {**record.context.model_dump(exclude_unset=True), **given}


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
        state = await home.graph.aget_state(config_of(record))
        started = await first_input(home, record) if state.created_at is None else None
        if on_event is not None:
            on_event(starting(record.question, record.id))
            for event in retold(state.values):
                on_event(event)
        return await carry_out(home, record, started, on_event, on_review)


async def areplay(run_id: str | None = None, *, out: str | PathLike[str] | None = None) -> Report:
    """Run a finished run again from its journal alone: no model, no search, no program is asked.

    Args:
        run_id: as `leadline runs` lists it, or its beginning; by default the latest finished run.
        out: folder below which the report is written; by default the one it was written to.

    Raises:
        BadInput: there is no such run, or it is not finished.
        JournalMiss: the journal does not hold something that was asked; prompts or code have changed since.
    """
    async with open_home(settings().leadline_home) as home:
        record = await home.record(run_id, finished=True)
        if record.status != "done":
            raise BadInput(
                f"Run {record.id} is not finished, so it cannot be replayed. Go on with: leadline resume {record.id}"
            )
        if out is not None:
            await asyncio.to_thread(check_writable, Path(out))
            record = record.model_copy(update={"out": str(out)})
        finished = await home.graph.aget_state(config_of(record))
        recording = await Recording.load(home.store, run_key(record.id, finished.values["turn"]), record.id)
        with replaying(recording):
            report = await _replayed(home, record)
        return await written(home, record, report)


async def _replayed(home: Home, record: RunRecord) -> Report:
    """Carry a run out anew in memory, with the answers that were given to its reviews."""
    graph = home.graph_in_memory()
    answers = iter(record.reviews)
    given = await first_input(home, record)
    while True:
        values = await graph.ainvoke(given, config_of(record), context=record.context)
        if "__interrupt__" not in values:
            return report_of(values)
        given = Command(resume=next(answers))


async def _finished(home: Home, run_id: str | None) -> tuple[RunRecord, Report]:
    """Return a finished run and its report.

    Raises:
        BadInput: there is no such run, it is not finished, or it has no report.
    """
    record = await home.record(run_id, finished=True)
    report: Report | None = (await home.graph.aget_state(config_of(record))).values.get("report")
    if record.status != "done":
        raise BadInput(f"Run {record.id} is not finished. Go on with: leadline resume {record.id}")
    if report is None:
        raise BadInput(f"Run {record.id} was answered without research, so it has no report.")
    return record, report.model_copy(update={"run_id": record.id})


async def arefresh(run_id: str | None = None) -> "tuple[Refreshed, str | None]":
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
    run_id: str | None = None, formats: Sequence[OutputFormat] = ("html",), *, out: str | PathLike[str] | None = None
) -> Report:
    """Make files of a finished run's report: no model is asked, nothing is searched.

    Args:
        run_id: as `leadline runs` lists it, or its beginning; by default the latest finished run.
        formats: `md`, `html`, `slides`, `pptx`, `docx`, `pdf`.
        out: folder below which the report is written with its evidence; by default the files join those in its folder.

    Returns:
        The report; `folder` and `files` say where the files are.

    Raises:
        BadInput: there is no such run, it is not finished, or it has no report.
        SettingsError: something that a format needs is not installed.
    """
    _check_formats(formats)
    if out is not None:
        await asyncio.to_thread(check_writable, Path(out))
    async with open_home(settings().leadline_home) as home:
        record, report = await _finished(home, run_id)
        kept = out is None and record.folder is not None and await asyncio.to_thread(_is_there, record.folder)
        if kept and record.folder is not None:
            folder, files = Path(record.folder), await write_formats(report, Path(record.folder), formats)
        else:
            folder = await asyncio.to_thread(report_folder, report.question, Path(out or record.out or "out"))
            files = await write_report(report, folder, home.evidence, formats)
            files = [name for name in files if name != "report.md" or "md" in formats]
        return report.model_copy(update={"folder": str(folder), "files": files})


def _check_formats(formats: Sequence[OutputFormat]) -> None:
    """Make sure that the formats can be made; Markdown alone needs nothing, and no start waits for the others."""
    if any(one != "md" for one in formats):
        from services.reports.formats import check_formats

        check_formats(formats)


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


async def atimeline(run_id: str | None = None) -> "tuple[RunRecord, Timeline]":
    """Return a run and the timeline of its calls; by default of the latest run.

    Raises:
        BadInput: there is no such run.
    """
    from leadline.timeline import Timeline

    async with open_home(settings().leadline_home) as home:
        records = await home.records()
        if run_id is None and not records:
            raise BadInput("There is no run yet. Start one with: leadline research")
        record = records[0] if run_id is None else await home.record(run_id)
        state = await home.graph.aget_state(config_of(record))
        if "turn" not in state.values:
            return record, Timeline([])
        recording = await Recording.load(home.store, run_key(record.id, state.values["turn"]), record.id)
        return record, Timeline.of(recording.entries.values(), state.values.get("locale") or "en-US")


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
