"""Revises a finished run's report, and stores every version."""

import asyncio
from collections.abc import Awaitable
from os import PathLike
from pathlib import Path

from leadline.runs.arguments import checked
from leadline.runs.execute import OnEvent, carry_out, change_input
from leadline.runs.output import check_writable
from leadline.runs.run_ids import is_report_folder
from leadline.runs.store import Home, RunRecord, finished_report, open_home
from schemas.events import Event
from schemas.reporter import Report
from schemas.revision import MAX_REQUEST, Revision, Version
from services.reports.bundle import BundleCheck, verify_bundle, write_bundle
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput, RevisionRefused
from services.run.roles import OFFLINE, role_model
from services.run.run_input import check_utf8
from services.run.settings import settings
from services.run.ui_text import say
from services.sandbox.workfolder import hold
from services.search.providers import allow_folders
from services.text.tokens import message_language
from services.turn.revision import change_title, changed_by_code, worded
from services.turn.thread_data import all_versions, numbered_version


async def versions_of(home: Home, record: RunRecord, report: Report) -> list[Version]:
    """Return all versions, the original first."""
    values = await home.values(record)
    versions = await all_versions(home.store, record.id, values["turn"], report)
    versions[0] = versions[0].model_copy(update={"created": record.created})
    of_run = {"run_id": record.id}
    return [version.model_copy(update={"report": version.report.model_copy(update=of_run)}) for version in versions]


async def version_of(home: Home, record: RunRecord, report: Report, number: int | None) -> Version:
    """Return a version by number, by default the latest.

    Raises:
        BadInput: the version does not exist; the message lists the existing ones.
    """
    return numbered_version(await versions_of(home, record, report), number, record.id)


@checked
async def arevise(
    run_id: str | None,
    request: str = "",
    *,
    without: str = "",
    shorter: bool = False,
    locale: str = "",
    research: bool = True,
    out: str | PathLike[str] | None = None,
    on_event: OnEvent | None = None,
) -> Report:
    """Change a finished run's report on request; requested content without evidence is searched for once.

    Blocks that the request does not concern stay as they are, with their citations and what the check said of them.

    Args:
        run_id: id of the run, its beginning, or the folder of its report; by default the latest finished run.
        request: the requested change, in words; may be empty for the two changes below.
        without: heading of a section to leave out, which needs no model.
        shorter: shorten the report; without a model, the first statement of each section stays.
        locale: language of the new version, such as `zh-CN`; by default as the request says, or as before.
        research: whether the change may search.
        out: folder for the new version; by default the report's folder.
        on_event: called with each progress event.

    Returns:
        The new version. Requested content that was not found is named in its limits.

    Raises:
        BadInput: the run does not exist, is not finished or has no report, the change is refused, or needs a model and
            none is connected.
        ModelError: the model failed; the report stays unchanged.
    """
    instruction = request.strip() or without
    check_utf8(instruction)
    spoken = message_language(instruction) if instruction else ""
    request = worded(request, spoken, without=without, shorten=shorter)
    if not request or len(request) > MAX_REQUEST:
        raise BadInput(say("revision_length", spoken, most=MAX_REQUEST))
    if without and (shorter or instruction != without):
        raise BadInput(say("revision_one_change", spoken))
    language = "" if locale in {"", "auto"} else checked_choices({"locale": locale}).locale
    revision = Revision(request=request, locale=language, research=research, without=without, shorten=shorter)
    async with open_home(settings().leadline_home) as home:
        record, report = await _changeable(home, run_id, spoken)
        record.check_usable()
        await asyncio.to_thread(_check_change, record, report, revision)
        if out is not None:
            await asyncio.to_thread(check_writable, Path(out))
        changing = record.model_copy(update={"revisions": [*record.revisions, revision]})
        if out is not None:
            changing = changing.model_copy(update={"out": str(await asyncio.to_thread(Path(out).absolute))})
        allow_folders(record.context.documents)
        watcher = None if on_event is None else _begun(revision, record.id, on_event)
        return await _restoring_on_failure(
            home, record, carry_out(home, changing, change_input(revision), watcher, None)
        )


def _begun(revision: Revision, run_id: str, on_event: OnEvent) -> OnEvent:
    """Report that a change begins and of which run, and return the watcher of its further events."""
    first = Event(type="notice", node="", title=change_title(revision), data={"run_id": run_id})
    on_event(first)
    return lambda event: on_event(event) if event.title != first.title else None


async def _changeable(home: Home, run_id: str | None, spoken: str) -> tuple[RunRecord, Report]:
    """Return a run with a changeable report, without a change of it that was interrupted, and the report.

    Raises:
        BadInput: there is no such run; the message is in the language of the request, or of the run's question without one.
    """
    records = await home.records()
    known = run_id is None or any(record.id.startswith(run_id) for record in records)
    if run_id is not None and not known and not await asyncio.to_thread(is_report_folder, run_id):
        raise BadInput(say("revising_no_run", spoken, run=run_id))
    if run_id is None and not any(record.has_answer for record in records):
        raise BadInput(say("revising_no_report", spoken))
    record = await home.record(run_id, finished=True)
    spoken = spoken or message_language(record.question)
    if record.status == "running" or not record.has_answer:
        key = "revising_running" if record.status == "running" else "revising_unfinished"
        raise BadInput(say(key, spoken, run=record.id))
    if (await home.values(record)).get("report") is None:
        raise BadInput(say("revising_direct", spoken, run=record.id))
    record, report = await finished_report(home, record.id)
    return record.model_copy(update={"status": "done", "revisions": record.changes_of(report)}), report


def _check_change(record: RunRecord, report: Report, revision: Revision) -> None:
    """Check that the report can be changed so, before the run goes on."""
    by_rules = role_model("reporter", record.context).model == OFFLINE
    try:
        changed_by_code(report, revision, by_rules=by_rules)
    except BadInput as problem:
        if revision.without or not by_rules:
            raise BadInput(str(problem)) from None
        raise BadInput(say("revising_connect", message_language(revision.request), problem=problem)) from None


async def _restoring_on_failure(home: Home, record: RunRecord, work: Awaitable[Report]) -> Report:
    """Wait for the new version; if it fails, restore the record, so that the run stays finished with its former version."""
    try:
        return await work
    except RevisionRefused:  # recorded as a change that was refused
        raise
    except Exception:
        await home.save(record)
        raise


@checked
async def aversion(run_id: str | None = None, number: int | None = None) -> Version:
    """Return a version of a finished run's report, by default the latest.

    Raises:
        BadInput: the run or version does not exist, or the run has no report.
    """
    async with open_home(settings().leadline_home) as home:
        return await version_of(home, *await finished_report(home, run_id), number)


@checked
async def aversions(run_id: str | None = None) -> list[Version]:
    """Return all versions of a finished run's report.

    Raises:
        BadInput: the run does not exist, or has no report.
    """
    async with open_home(settings().leadline_home) as home:
        return await versions_of(home, *await finished_report(home, run_id))


@checked
async def averify(run_id: str | None, number: int | None = None) -> tuple[Version, BundleCheck]:
    """Check a version of a finished run's report, by default the latest, as `leadline verify` checks a folder: write it, and read it again.

    Raises:
        BadInput: the run or version does not exist, or the run has no report.
        StoreError: a text of the version is not in the store.
    """
    async with open_home(settings().leadline_home) as home:
        version = await version_of(home, *await finished_report(home, run_id), number)
        held = await asyncio.to_thread(hold)
        try:
            await write_bundle(version.report, held.folder, home.evidence)
            return version, await asyncio.to_thread(verify_bundle, held.folder)
        finally:
            await asyncio.to_thread(held.release)
