"""Pages that a run has read: each address is fetched once per run, for all of its steps, rounds and tools.

The result is stored beside the run's journal, so that only a resumed run knows it: the next turn of a thread fetches
the page again. Each task's journal has its own account of what it was given. As many are kept as a run's limits let it
read; their texts lie in the evidence store, as those of all sources do.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from weakref import WeakValueDictionary

from pydantic import BaseModel

from services.run.errors import PageError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.pages.reader import Page

MAX_TRIES = 3
"""Maximum requests of an address in a run while its fault may pass."""
MAX_TASKS = 200
"""Maximum recorded tasks and calls that requested a page; later ones pay for it again."""
_NAMESPACE = "pages"
_CALL = "\n"
"""Stands between the place of a task and that of its call."""
_reading: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
"""Locks by run and address: one task reads, other tasks wait and use the result."""

Read = Callable[[str], Awaitable[Page]]
"""Fetches the page of an address; a PageError gives the reason of a failure."""


class StoredPage(BaseModel):
    """A page as the journal keeps it, or why it could not be read."""

    page: dict[str, Any] | None = None
    hash: str = ""
    problem: str = ""


class _ReadPage(BaseModel):
    """What a run knows of an address."""

    stored: StoredPage
    tries: int = 1
    passing: bool = False
    """Whether the fault may have passed when it is asked for again."""
    places: list[str] = []
    """Places of the tasks and calls that asked for it, as the journal names them."""

    @property
    def settled(self) -> bool:
        return not self.passing or self.tries >= MAX_TRIES


class RunPages:
    """The pages that a task's run has read."""

    def __init__(self, run: Run, evidence: EvidenceStore, call: str = "") -> None:
        """Show the pages to a call.

        Args:
            run: the run of the task.
            evidence: the store for their texts.
            call: queries for which the task reads pages: after a crash amid them it pays for those again. Empty for a single page.
        """
        self._run = run
        self._evidence = evidence
        self._place = f"{run.journal.place}{_CALL}{_item(call)}" if call else run.journal.place

    async def known(self, urls: Iterable[str]) -> set[str]:
        """Return the addresses that are free for this call: requested by an earlier one of its task, or by a task that ended before.

        A page requested by a parallel task counts again, without being fetched again: otherwise a task's remaining
        pages would depend on the other task's speed.
        """
        wanted = list(dict.fromkeys(urls))
        found = await asyncio.gather(*map(self._known, wanted))
        return {
            url for url, known in zip(wanted, found, strict=True) if known and known.settled and self._is_earlier(known)
        }

    async def read(self, url: str, fetch: Read) -> StoredPage:
        """Return the result of an address, fetched by the first task of the run that requests it."""
        if not self._run.journal.keeps:
            return (await self._fetched(url, fetch))[0]
        lock = _reading.setdefault((self._run.journal.key, url), asyncio.Lock())
        async with lock:
            known = await self._known(url)
            if known is None or not known.settled:
                stored, passing = await self._fetched(url, fetch)
                known = _ReadPage(
                    stored=stored,
                    tries=1 + (known.tries if known else 0),
                    passing=passing,
                    places=known.places if known else [],
                )
            if self._place not in known.places and len(known.places) < MAX_TASKS:
                known.places.append(self._place)
            await self._run.journal.keep(_NAMESPACE, _item(url), known.model_dump(mode="json"))
        return known.stored

    async def _known(self, url: str) -> _ReadPage | None:
        value = await self._run.journal.kept(_NAMESPACE, _item(url))
        return None if value is None else _ReadPage.model_validate(value)

    def _is_earlier(self, known: _ReadPage) -> bool:
        task = self._run.journal.place
        others = [place for place in known.places if place != self._place or place == task]
        return any(place.partition(_CALL)[0] == task or _step_of(place) < _step_of(task) for place in others)

    async def _fetched(self, url: str, fetch: Read) -> tuple[StoredPage, bool]:
        try:
            page = await fetch(url)
        except PageError as error:
            return StoredPage(problem=str(error)), error.passing
        key = await self._evidence.put_text(page.text)
        return StoredPage(page=page.model_dump(exclude={"text"}, mode="json"), hash=key), False


def _item(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _step_of(place: str) -> int:
    """Return the graph step of a task, counted from the turn's first step."""
    return int(place.partition(":")[0] or 0)
