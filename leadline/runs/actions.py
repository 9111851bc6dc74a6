"""Actions on runs from Python: resume, replay, list, watch, and export reports. `leadline.api` starts runs."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from langgraph.types import Command

from leadline.runs.arguments import checked
from leadline.runs.execute import (
    ChangeAsked,
    OnEvent,
    OnReview,
    carry_out,
    change_input,
    first_input,
    folder_of,
    report_of,
    write_outputs,
)
from leadline.runs.output import check_writable, report_folder, write_formats, write_report
from leadline.runs.revise import arevise, version_of
from leadline.runs.run_ids import evidence_in, first_line, holds_run
from leadline.runs.store import Home, RunRecord, config_of, finished_report, open_home
from leadline.runs.timeline import Timeline, replayed_events
from leadline.runs.watch import WatchResult, watched
from schemas.options import OutputFormat
from schemas.reporter import Report
from schemas.steering import Steering, SteeringAction
from services.reports.bundle import write_bundle, write_files
from services.reports.bundle_files import own_files, read_report, recorded_exports
from services.reports.formats import FORMATS, check_formats
from services.run.errors import BadInput, RunElsewhere
from services.run.journal import Recording, replaying, run_key
from services.run.run_input import check_utf8
from services.run.settings import settings
from services.run.ui_text import say, speaking, told
from services.search.providers import allow_folders
from services.text.tokens import message_language
from services.turn.steering import Standing, steer_thread


@checked
async def aresume(
    run_id: str | None = None,
    *,
    out: str | PathLike[str] | None = None,
    on_event: OnEvent | None = None,
    on_review: OnReview | None = None,
) -> Report:
    """Resume an interrupted run; by default the latest unfinished one.

    Raises:
        BadInput: the run does not exist.
    """
    try:
        async with open_home(settings().leadline_home) as home:
            record = await home.record(run_id)
            if out is not None:
                await asyncio.to_thread(check_writable, Path(out))
                record = record.model_copy(update={"out": str(await asyncio.to_thread(Path(out).absolute))})
            allow_folders(record.context.documents)
            state = await home.graph.aget_state(config_of(record))
            started = await first_input(home, record) if state.created_at is None else None
            if on_event is not None:
                on_event(first_line(record.question, record.id))
                for event in replayed_events(state.values):
                    on_event(event)
            return await carry_out(home, record, started, on_event, on_review)
    except ChangeAsked as change:
        return await arevise(change.after, change.request, on_event=on_event)


@checked
async def areplay(run_id: str | None = None, *, out: str | PathLike[str] | None = None) -> Report:
    """Replay a finished run from its journal alone, without models, searches and programs.

    Args:
        run_id: id of the run, its beginning, or the folder of its report; by default the latest finished run.
        out: folder for the report; by default the folder of the original.

    Raises:
        BadInput: the run does not exist, or is not finished.
        JournalMiss: the journal does not hold a request; prompts or code have changed since.
    """
    async with open_home(settings().leadline_home) as home:
        record = await home.record(run_id, finished=True)
        record.check_finished()
        if out is not None:
            await asyncio.to_thread(check_writable, Path(out))
            record = record.model_copy(update={"out": str(out)})
        values = await home.values(record)
        record = record.model_copy(update={"status": "done", "revisions": record.changes_of(values.get("report"))})
        recording = await Recording.load(home.store, run_key(record.id, values["turn"]), record.id)
        with replaying(recording):
            report = await _replayed(home, record)
        return await write_outputs(home, record, report, await folder_of(record, report))


async def _replayed(home: Home, record: RunRecord) -> Report:
    """Execute a run again in memory, with the recorded answers to its reviews."""
    record.check_usable()
    graph = home.graph_in_memory()
    answers = iter(record.reviews)
    run_input = await first_input(home, record)
    while True:
        values = await graph.ainvoke(run_input, config_of(record), context=record.context)
        if "__interrupt__" not in values:
            break
        run_input = Command(resume=next(answers))
    for revision in record.revisions:
        asked = revision.model_copy(update={"refused": ""})
        values = await graph.ainvoke(change_input(asked), config_of(record), context=record.context)
    return report_of({**values, "revision": None})


@checked
async def awatch(run_id: str | None = None) -> tuple[WatchResult, str | None]:
    """Check a finished run's report again, and search for news on its question since the last check.

    Returns:
        The findings, and the folder of the report's files, if they are in one. The next check starts from this one.

    Raises:
        BadInput: the run does not exist, is not finished, or has no report, or its search is no longer set up.
        DocumentsError: a folder of its documents is gone.
    """
    async with open_home(settings().leadline_home) as home:
        record, report = await finished_report(home, run_id)
        record.check_usable()
        allow_folders(record.context.documents)
        values = await home.values(record)
        holds = record.folder is not None and await asyncio.to_thread(holds_run, Path(record.folder), record.id)
        with speaking(message_language(record.question)):
            return await watched(home, record, report, values), record.folder if holds else None


@checked
async def areport(
    run_id: str | None = None,
    formats: Sequence[OutputFormat] = ("html",),
    *,
    out: str | PathLike[str] | None = None,
    version: int | None = None,
) -> Report:
    """Export a finished run's report to files, without models and searches.

    Args:
        run_id: id of the run, its beginning, or the folder of its report; by default the latest finished run. A folder whose run
            is on another machine is enough without `version`.
        formats: `md`, `html`, `slides`, `pptx`, `docx`, `pdf`, `csl`.
        out: folder below which the report is written with its evidence; by default the files join those in its folder.
        version: version of the report; by default the latest. An earlier one is written to a folder of its own, named
            after its number.

    Returns:
        The report; `folder` and `files` say where the files are.

    Raises:
        BadInput: the run does not exist, is not finished, or has no report.
        SettingsError: a package or program that a format needs is not installed.
    """
    await asyncio.to_thread(check_formats, formats)
    if out is not None:
        await asyncio.to_thread(check_writable, Path(out))
    async with open_home(settings().leadline_home) as home:
        try:
            record, report = await finished_report(home, run_id)
        except RunElsewhere:
            if version is not None:
                raise
            return await _exported_from(Path(str(run_id)), formats, out)
        chosen = await version_of(home, record, report, version)
        is_earlier = chosen.number < report.version
        if is_earlier:
            report = chosen.report
        own = Path(record.folder) if out is None and record.folder is not None and not is_earlier else None
        if own is not None and await asyncio.to_thread(holds_run, own, record.id):
            folder, files = own, await write_formats(report, own, formats)
            if "md" in formats:  # the evidence holds the hash of the report's text
                made_of_it = recorded_exports(await asyncio.to_thread(evidence_in, own))
                await write_bundle(report, own, home.evidence, made_of_it)
        else:
            below, suffix = Path(out or record.out or "out"), f"-version-{chosen.number}" if is_earlier else ""
            folder = await asyncio.to_thread(report_folder, report.question, below, suffix=suffix, only_of=record.id)
            files = await write_report(report, folder, home.evidence, formats)
            asked = {FORMATS[name].file for name in formats}
            files = [name for name in files if name in asked]
        return report.model_copy(update={"folder": str(folder), "files": files})


async def _exported_from(folder: Path, formats: Sequence[OutputFormat], out: str | PathLike[str] | None) -> Report:
    """Write further files of a report into its folder, or into a copy of it below `out`, from what the folder holds; its Markdown stays as it is."""
    report = await asyncio.to_thread(read_report, folder)
    if out is not None:
        held = await asyncio.to_thread(own_files, folder)
        folder = await asyncio.to_thread(report_folder, report.question, Path(out), only_of=report.run_id)
        await write_files(folder, held, report.run_id)
    made = await write_formats(report, folder, [format_ for format_ in formats if format_ != "md"])
    files = [*(["report.md"] if "md" in formats else []), *made]
    return report.model_copy(update={"folder": str(folder), "files": files})


async def aruns() -> list[RunRecord]:
    """Return the records of all runs, newest first."""
    async with open_home(settings().leadline_home) as home:
        return await home.records()


@checked
async def arun(run_id: str | None = None) -> tuple[RunRecord, dict[str, Any]]:
    """Return a run and the values of its state; by default of the latest run.

    Raises:
        BadInput: the run does not exist.
    """
    async with open_home(settings().leadline_home) as home:
        return await _run_of(home, run_id)


async def _run_of(home: Home, run_id: str | None) -> tuple[RunRecord, dict[str, Any]]:
    records = await home.records()
    if run_id is None and not records:
        raise BadInput(say("run_none"))
    record = records[0] if run_id is None else await home.record(run_id)
    return record, await home.values(record)


@checked
async def atimeline(run_id: str | None = None) -> tuple[RunRecord, Timeline]:
    """Return a run and the timeline of its calls; by default of the latest run.

    Raises:
        BadInput: the run does not exist.
    """
    async with open_home(settings().leadline_home) as home:
        record, values = await _run_of(home, run_id)
        if "turn" not in values:
            return record, Timeline([])
        recording = await Recording.load(home.store, run_key(record.id, values["turn"]), record.id)
        return record, Timeline.of(recording.entries.values(), values.get("locale") or "en-US")


@dataclass(frozen=True, slots=True)
class Steered:
    """A message left for a run."""

    run_id: str
    status: str
    """Status of the run; a run that is not `running` follows the message when it is resumed."""
    message: Steering


@checked
async def asteer(
    text: str = "", run_id: str | None = None, *, skip: Sequence[int | str] = (), write: bool = False
) -> Steered:
    """Leave a message for a run, which follows it at its next boundary, even after a crash.

    Args:
        text: the message, such as "only the costs" or "also: who paid for it?".
        run_id: id of the run, its beginning, or the folder of its report; by default the latest unfinished run.
        skip: numbers of steps to leave out, in place of a message.
        write: whether the report is to be written from what there is, in place of a message.

    Raises:
        BadInput: the run does not exist, its report is written or being written, or the message cannot be used; the
            error says what to do.
    """
    check_utf8(text)
    async with open_home(settings().leadline_home) as home:
        record = await _steered_record(home, run_id)
        state = await home.graph.aget_state(config_of(record))
        values = state.values if isinstance(state.values, dict) else {}
        standing = Standing(record.id, state.next, values, state.metadata or {})
        action: SteeringAction = "write" if write else "skip" if skip else "message"
        message = await steer_thread(home.store, standing, text, action, [str(step) for step in skip])
        return Steered(record.id, record.status, message)


async def _steered_record(home: Home, run_id: str | None) -> RunRecord:
    if run_id is not None:
        return await home.record(run_id)
    unfinished = [record for record in await home.records() if record.status != "done"]
    running = [record for record in unfinished if record.status == "running"]
    if not unfinished:
        raise BadInput(**told("steer_none"))
    return (running or unfinished)[0]
