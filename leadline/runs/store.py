"""The home folder of runs (`LEADLINE_HOME`): checkpoints, evidence, and a record of each run, in SQLite, and a lock for each run under way."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.sqlite.aio import AsyncSqliteStore
from pydantic import BaseModel, Field, ValidationError, model_validator

from graph import build_graph
from leadline.runs.databases import CHECKPOINTS, STORE, damaged
from leadline.runs.persistence import checkpointer, serializer, store
from leadline.runs.run_ids import LATEST, full_id
from schemas.clean_text import CleanText
from schemas.context import RunContext
from schemas.evidence import Passage, Source
from schemas.reporter import Report
from schemas.revision import Revision
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput, StoreUnwritable
from services.run.evidence_store import EvidenceStore
from services.run.journal import Recording, run_key
from services.run.private_files import FILE_MODE, make_private_folder
from services.run.ui_text import say, told
from services.text.tokens import message_language

_PATIENCE = 0.5
"""Seconds after which a lock counts as held: a sweeping process holds it only briefly."""


@contextmanager
def hold_run_lock(home: Path, run_id: str) -> Iterator[None]:
    """Hold a run's lock while the block runs.

    Raises:
        BadInput: another process or task holds it.
        StoreUnwritable: the lock file cannot be written.
    """
    folder = home / "locks"
    lock = FileLock(folder / f"{run_id}.lock", timeout=_PATIENCE, mode=FILE_MODE)
    try:
        make_private_folder(home, "locks")
        lock.acquire()
    except Timeout:
        raise BadInput(say("run_locked", run=run_id)) from None
    except OSError as error:
        raise StoreUnwritable(str(folder), error.strerror) from None
    try:
        yield
    finally:
        # Removed while locked: a process that has opened the file sees this, and does not lock a deleted file
        (folder / f"{run_id}.lock").unlink(missing_ok=True)
        lock.release()


def sweep(home: Path) -> None:
    """Remove free locks of processes that were killed before their run was recorded, or after its end. Blocking."""
    for file in (home / "locks").glob("*.lock"):
        with suppress(Timeout, OSError), FileLock(file, timeout=0, blocking=False):
            file.unlink(missing_ok=True)


RunStatus = Literal["running", "waiting", "interrupted", "failed", "done"]
_RUNS = ("runs",)


class RunRecord(BaseModel):
    """One run, as `leadline runs` lists it."""

    id: str
    question: CleanText
    status: RunStatus = "running"
    created: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    out: str | None = None
    """Folder below which its report is written."""
    folder: str | None = None
    """Folder of its report, named before that is written."""
    context: RunContext = Field(default_factory=RunContext)
    after: str | None = None
    """Id of the run whose conversation it goes on with."""
    reviews: list[Any] = Field(default_factory=list)
    """Answers that were given to plan reviews, in order."""
    revisions: list[Revision] = Field(default_factory=list)
    """Changes of its report, in order; each that was not refused makes a version, and the last one may be under way."""
    error: str = ""
    nothing_found: bool = False
    """Whether its report shows no evidence."""
    unusable: str = Field(default="", exclude=True)
    """Why the run cannot be gone on with or carried out anew: it chose what an earlier version took. Empty: it can."""

    @model_validator(mode="before")
    @classmethod
    def _of_an_earlier_version(cls, value: Any) -> Any:
        """Keep a record that can be listed and shown, though its choices would be refused today."""
        chosen = value.get("context") if isinstance(value, dict) else None
        if not isinstance(chosen, dict):
            return value
        try:
            return {**value, "context": checked_choices(chosen)}
        except BadInput as problem:
            return {**value, "context": RunContext(), "unusable": str(problem)}

    @property
    def has_answer(self) -> bool:
        """Whether it has been finished: it is, or a change of its report is under way or was interrupted."""
        return self.status == "done" or bool(self.revisions)

    def check_finished(self) -> None:
        """Make sure that the run has been finished.

        Raises:
            BadInput: it is under way, or has to be continued first.
        """
        if not self.has_answer:
            key = "run_running" if self.status == "running" else "run_unfinished"
            raise BadInput(say(key, message_language(self.question), run=self.id))

    def changes_of(self, report: Report | None) -> list[Revision]:
        """Return the changes that led to a report, those that were refused among them, and not one that was interrupted."""
        made = [change for change in self.revisions if not change.refused]
        begun = self.status != "done" and report is not None and len(made) >= report.version
        return self.revisions[:-1] if begun else self.revisions

    def check_usable(self) -> None:
        """Make sure that the run's choices are known.

        Raises:
            BadInput: they are of an earlier version, and are refused today.
        """
        if self.unusable:
            raise BadInput(say("run_unusable", message_language(self.question), run=self.id, problem=self.unusable))


def config_of(record: RunRecord) -> RunnableConfig:
    """Return the configuration with a run's thread."""
    return {"configurable": {"thread_id": record.id}}


@dataclass(frozen=True, slots=True)
class Home:
    """The open stores, and the graph compiled with them."""

    graph: CompiledStateGraph[Any, RunContext, Any, Any]
    store: AsyncSqliteStore
    folder: Path

    @property
    def evidence(self) -> EvidenceStore:
        """Texts and files of all runs."""
        return EvidenceStore(self.store)

    def graph_in_memory(self) -> CompiledStateGraph[Any, RunContext, Any, Any]:
        """Return the graph with the same store and temporary checkpoints."""
        return build_graph().compile(
            checkpointer=InMemorySaver(serde=serializer()), store=self.store, name="deep_research"
        )

    async def save(self, record: RunRecord) -> None:
        """Write a run's record."""
        await self.store.aput(_RUNS, record.id, record.model_dump(mode="json"), index=False)

    async def check_new(self, record: RunRecord) -> None:
        """Check that no run has this record's id.

        Raises:
            BadInput: there is such a run.
        """
        if await self.store.aget(_RUNS, record.id) is not None:
            raise BadInput(**told("run_exists", run=record.id))

    async def forget(self, record: RunRecord) -> None:
        """Remove a run from the list."""
        await self.store.adelete(_RUNS, record.id)

    async def records(self) -> list[RunRecord]:
        """Return all runs, newest first; one whose process was killed is interrupted."""
        locked = await asyncio.to_thread(lambda: {file.stem for file in (self.folder / "locks").glob("*.lock")})
        items = await self.store.asearch(_RUNS, limit=sys.maxsize)
        try:
            records = [RunRecord.model_validate(item.value) for item in items]
        except ValidationError:
            raise damaged(self.folder / STORE, "the record of a run has another form") from None
        for record in records:
            if record.status == "running" and record.id not in locked:
                record.status = "interrupted"
        return sorted(records, key=lambda record: (record.created, record.id), reverse=True)

    async def values(self, record: RunRecord) -> dict[str, Any]:
        """Return the state of a run's thread.

        Raises:
            StoreDamaged: the run is finished, and there is no checkpoint of it.
        """
        values: dict[str, Any] = (await self.graph.aget_state(config_of(record))).values
        if record.status == "done" and not values:
            raise damaged(self.folder / CHECKPOINTS, f"it holds nothing of the finished run {record.id}")
        return values

    async def record(self, run_id: str | None, *, finished: bool = False) -> RunRecord:
        """Return a run by its id, the id's beginning or its report's folder, or the latest unfinished (or finished) run.

        Raises:
            BadInput: the run does not exist, or there is nothing to resume.
        """
        records = await self.records()
        if run_id is None or (finished and run_id == LATEST):
            latest = next((run for run in records if (run.has_answer if finished else run.status != "done")), None)
            if latest is None and finished:
                raise BadInput(say("run_none_finished"))
            if latest is None:
                raise BadInput(say("run_none_unfinished"))
            return latest
        full = await asyncio.to_thread(full_id, run_id, [record.id for record in records])
        return next(record for record in records if record.id == full)


@asynccontextmanager
async def open_home(folder: Path) -> AsyncIterator[Home]:
    """Open the stores below a folder, which is created if needed.

    Raises:
        StoreError: the folder cannot be written, or a file in it is broken; the message says which and what to do.
    """
    async with checkpointer(folder) as saver, store(folder) as opened:
        await asyncio.to_thread(sweep, folder)
        yield Home(build_graph().compile(checkpointer=saver, store=opened, name="deep_research"), opened, folder)


async def finished_report(home: Home, run_id: str | None) -> tuple[RunRecord, Report]:
    """Return a finished run and its report.

    Raises:
        BadInput: the run does not exist, is not finished, or has no report.
    """
    record = await home.record(run_id, finished=True)
    report: Report | None = (await home.values(record)).get("report")
    record.check_finished()
    if report is None:
        raise BadInput(say("run_direct", message_language(record.question), run=record.id))
    return record, report.model_copy(update={"run_id": record.id})


@dataclass(frozen=True, slots=True)
class Gatherings:
    """The passages that a run's searches found."""

    passages: list[Passage] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    """Sources of the passages and their copies, by content hash."""


async def gatherings_of(home: Home, run_id: str) -> Gatherings:
    """Return the passages that a run's searches found.

    Raises:
        BadInput: the run does not exist.
        JournalMiss: the run has no journal.
    """
    record = await home.record(run_id)
    values = await home.values(record)
    recording = await Recording.load(home.store, run_key(record.id, values["turn"]), record.id)
    answers = [entry.answer for entry in recording.entries.values() if entry.kind == "gather" and entry.answer]
    return Gatherings(
        [Passage.model_validate(passage) for answer in answers for passage in answer["passages"]],
        {key: Source.model_validate(source) for answer in answers for key, source in answer["sources"].items()},
    )
