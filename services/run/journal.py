"""The journal: stores each answer from outside before the run uses it.

A model's answer, a search, a program's output, the clock: each is written under a hash of its request, and the number
of times that the same task has asked it before, into the store that the run already has. A task that runs again after a
crash finds its answers there and repeats no request. A replay takes every answer of the run from there and makes no
requests.

Requests are kept as hashes and answers as they came; keys and other secrets are in neither.
"""

import asyncio
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from langgraph.store.base import BaseStore
from pydantic import BaseModel

from schemas.scoped import scoped
from services.run import errors
from services.run.errors import JournalMiss, LeadlineError, LimitReached, StoreDamaged, StoreUnwritable
from services.run.log import INSTANT, WARNING, log, log_known_answer, watch_call
from services.run.ui_text import say, told

Answer = TypeVar("Answer", bound=BaseModel)
Result = TypeVar("Result")

_PAGE = 500
_HALVES = re.compile("[\ud800-\udfff]")
_replaying: ContextVar["Recording | None"] = ContextVar("replaying", default=None)


def run_key(thread_id: str, turn: int) -> str:
    """Return the name of the journal of one turn of a thread."""
    return hashlib.sha256(f"{thread_id}\n{turn}".encode()).hexdigest()[:32]


def namespace(key: str) -> tuple[str, str]:
    """Return the store namespace of a run's journal."""
    return ("journal", key)


def _branches(key: str) -> tuple[str, str]:
    return ("branches", key)


class Entry(BaseModel):
    """One answer from outside."""

    kind: str
    """`model`, `search`, `code`, …"""
    name: str
    """What was asked, in words: a role and its schema, or a query."""
    place: str
    """Where in the run: step of the graph, counted from the turn's first, node, and step of the plan."""
    request: str
    """Hash of the request."""
    occurrence: int
    """How many times the same task had asked the same before."""
    answer: dict[str, Any] | None = None
    error: tuple[str, str] | None = None
    """Type and message of the error that ended it. A resumed run asks again; a replay fails in the same way."""
    seconds: float = 0.0
    reused: int = 0
    """How often a run that was resumed took the answer from here."""
    at: str = ""

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> "Entry":
        """Parse the value that `stored` returned, or an entry that an earlier version wrote as an object.

        Raises:
            StoreDamaged: it is neither.
        """
        text = value.get("entry")
        try:
            return cls.model_validate(json.loads(text) if isinstance(text, str) else value)
        except ValueError:
            raise StoreDamaged(**told("store_answer_damaged")) from None

    def stored(self) -> dict[str, str]:
        """Return the value to store: one text, since stores alter objects in different ways.

        PostgreSQL takes neither NUL nor NaN nor half a surrogate pair in one, and reorders its keys: an answer would come
        back another, and lead to other requests.
        """
        data = self.model_dump(mode="json")
        text = json.dumps(data, ensure_ascii=False)
        return {"entry": json.dumps(data) if _HALVES.search(text) else text}


@dataclass(frozen=True, slots=True)
class Known(Generic[Answer]):
    """An answer, and whether it was obtained just now."""

    answer: Answer
    fresh: bool


@dataclass(slots=True)
class Recording:
    """Journal of a finished run, by place and request."""

    run_id: str
    entries: dict[tuple[str, str, int], Entry]

    @classmethod
    async def load(cls, store: BaseStore, key: str, run_id: str) -> "Recording":
        """Read a run's journal; for repeated requests at one place, the latest answer counts.

        Raises:
            JournalMiss: the run has no journal.
        """
        entries: list[Entry] = []
        while page := await store.asearch(namespace(key), limit=_PAGE, offset=len(entries)):
            entries.extend(Entry.read(item.value) for item in page)
        if not entries:
            raise JournalMiss(
                f"Run {run_id} has no complete journal, so it cannot be replayed. Only finished runs have one."
            )
        entries.sort(key=lambda entry: entry.at)
        return cls(run_id, {(entry.place, entry.request, entry.occurrence): entry for entry in entries})


def replaying(recording: Recording) -> AbstractContextManager[object]:
    """Replay every answer from a recording while the block runs; a missing answer is an error."""
    return scoped(_replaying, recording)


@dataclass(slots=True)
class Journal:
    """The journal as seen by one task of the graph. Without a store, nothing is recorded and every request is made."""

    store: BaseStore | None = None
    key: str = ""
    task: str = ""
    """Id of the task: unchanged when it runs again after a crash, new on a fork of the thread."""
    place: str = ""
    failure: StoreUnwritable | StoreDamaged | None = None
    """Error of a failed write or of a damaged store. The caller may treat it as a failed search or tool; the task must not succeed."""
    branch_key: str = ""
    """Node, step and attempt, by which the same request of another branch of the thread is recognised."""
    _occurrences: Counter[str] = field(default_factory=Counter)

    async def once(
        self,
        kind: str,
        name: str,
        request: Mapping[str, Any],
        answer: type[Answer],
        work: Callable[[], Awaitable[Answer]],
    ) -> Known[Answer]:
        """Return the result of `work`, or its recorded result if this task made the same request before.

        The name says in words, for people, what is asked; the request is all that decides the answer, as plain data without secrets.

        Raises:
            JournalMiss: this is a replay, and the recording does not hold the request.
            StoreUnwritable: the answer cannot be stored, so it must not be used.
        """
        digest = _digest(kind, request)
        occurrence = self._occurrences[digest]
        self._occurrences[digest] += 1
        entry = Entry(kind=kind, name=name, place=self.place, request=digest, occurrence=occurrence)
        recording = _replaying.get()
        if recording is not None:
            return Known(_recorded(recording, entry, answer), fresh=False)
        if self.store is None:
            return Known(await watch_call(kind, name, work), fresh=True)
        item = f"{self.task}-{digest}-{occurrence}"
        branch_item = f"{self.branch_key}-{digest}-{occurrence}" if self.branch_key else ""
        earlier, branch = await asyncio.gather(self._entry(item), self._get(_branches(self.key), branch_item))
        known = await self._entry(branch["item"]) if earlier is None and branch is not None else earlier
        if known is not None and known.answer is not None:
            log_known_answer(kind, name)
            if known is not earlier:
                entry.answer = known.answer
                await self._write(item, entry, time.monotonic())
            elif kind not in INSTANT:
                known.reused += 1
                await self._put(namespace(self.key), item, known.stored())
            return Known(answer.model_validate(known.answer), fresh=False)
        started = time.monotonic()
        try:
            fresh = await watch_call(kind, name, work)
        except LeadlineError as error:
            entry.error = _described(error)
            await self._write(item, entry, started)
            raise
        entry.answer = fresh.model_dump(mode="json")
        await asyncio.gather(  # a single transaction for both
            self._write(item, entry, started), self._put(_branches(self.key), branch_item, {"item": item})
        )
        return Known(fresh, fresh=True)

    @property
    def keeps(self) -> bool:
        """Tell whether results are stored for the run: it has a store, and is not a replay."""
        return self.store is not None and bool(self.key) and not self.replays

    async def stored(self, kind: str, item: str) -> dict[str, Any] | None:
        """Return the value that `keep` stored for the whole run, or None."""
        return await self._get((kind, self.key), item) if self.keeps else None

    async def keep(self, kind: str, item: str, value: dict[str, Any]) -> None:
        """Store a value for all tasks of this run, and for no other run.

        Raises:
            StoreUnwritable: the store cannot be written.
        """
        if self.keeps:
            await self._put((kind, self.key), item, value)

    def check_stored(self) -> None:
        """Check that all entries could be stored.

        Raises:
            StoreUnwritable: an entry could not be stored.
        """
        if self.failure is not None:
            raise self.failure

    @property
    def replays(self) -> bool:
        """Tell whether this is a replay, which makes no requests."""
        return _replaying.get() is not None

    async def mark(self, kind: str, what: str = "") -> None:
        """Record an event that a replay cannot observe itself, such as a reached time limit.

        `what` distinguishes events of one kind at this place.
        """
        if not self.replays:
            request = _mark_of(kind, what)
            await self._write(
                f"{self.task}-{request}",
                Entry(kind=kind, name="", place=self.place, request=request, occurrence=0, answer={}),
                time.monotonic(),
            )

    def marked(self, kind: str, what: str = "") -> bool:
        """Tell whether this is a replay in which the event was recorded."""
        recording = _replaying.get()
        return recording is not None and (self.place, _mark_of(kind, what), 0) in recording.entries

    async def decided(self, kind: str, decide: Callable[[], bool], what: str = "") -> bool:
        """Decide once and record the decision: a replay, which may know neither endpoint nor models, decides as the run did.

        A run that is resumed after it was killed also repeats its positive decisions.
        `what` distinguishes decisions of one kind at this place.
        """
        if self.replays:
            return self.marked(kind, what)
        if await self._entry(f"{self.task}-{_mark_of(kind, what)}") is not None:
            return True
        decision = decide()
        if decision:
            await self.mark(kind, what)
        return decision

    async def _write(self, item: str, entry: Entry, started: float) -> None:
        entry.seconds = round(time.monotonic() - started, 3)
        entry.at = datetime.now(UTC).isoformat(timespec="microseconds")
        await self._put(namespace(self.key), item, entry.stored())

    async def _entry(self, item: str) -> Entry | None:
        value = await self._get(namespace(self.key), item)
        try:
            return None if value is None else Entry.read(value)
        except StoreDamaged:
            log("journal_unreadable", WARNING)  # the request is made again, and its answer replaces the entry
            return None

    async def _get(self, place: tuple[str, str], item: str) -> dict[str, Any] | None:
        if self.store is None or not item:
            return None
        stored = await self._reached(self.store.aget(place, item))
        return None if stored is None else stored.value

    async def _put(self, place: tuple[str, str], item: str, value: dict[str, Any]) -> None:
        if self.store is not None and item:
            await self._reached(self.store.aput(place, item, value, index=False))

    async def _reached(self, work: Awaitable[Result]) -> Result:
        try:
            return await work
        except StoreDamaged as error:
            self.failure = error
            raise
        except Exception as error:
            self.failure = StoreUnwritable(say("store_learned"), error)
            raise self.failure from error


def _mark_of(kind: str, what: str) -> str:
    return f"{kind}-{what}" if what else kind


def _digest(kind: str, request: Mapping[str, Any]) -> str:
    text = json.dumps({"kind": kind, **request}, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _recorded(recording: Recording, entry: Entry, answer: type[Answer]) -> Answer:
    recorded = recording.entries.get((entry.place, entry.request, entry.occurrence))
    if recorded is None:
        call = (entry.place, entry.kind, entry.name)
        why = (
            "Its request was different then: prompts or code have changed since"
            if any((other.place, other.kind, other.name) == call for other in recording.entries.values())
            else "The run never made it: it was not finished, or code has changed since"
        )
        raise JournalMiss(
            f"The journal of run {recording.run_id} holds no {entry.kind} call {entry.name!r} at {entry.place}. {why}."
        )
    if recorded.error is not None:
        raise _revived(*recorded.error)
    return answer.model_validate(recorded.answer)


def _described(error: LeadlineError) -> tuple[str, str]:
    if isinstance(error, LimitReached):
        return "LimitReached", f"{error.key}:{error.limit:g}"
    return type(error).__name__, str(error)


def _revived(kind: str, message: str) -> LeadlineError:
    if kind == "LimitReached":
        key, _, limit = message.partition(":")
        return LimitReached(key, float(limit))
    error_type = getattr(errors, kind, None)
    if isinstance(error_type, type) and issubclass(error_type, LeadlineError):
        return error_type(message)
    return LeadlineError(message)
