"""Pages of a run: one fetch an address, whoever asks, as long as its fault is none that passes; no other run has a part in it."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from services.run.errors import PageError
from services.run.evidence_store import EvidenceStore
from services.run.journal import Journal
from services.run.scope import Run
from services.search.pages.reader import Page
from services.search.run_pages import MAX_TRIES, RunPages

URL = "https://tides.example/machine"


@dataclass(slots=True)
class Web:
    """The far end: counts what is fetched, and fails as it is told."""

    asked: Counter[str] = field(default_factory=Counter)
    fault: PageError | None = None

    async def read(self, url: str) -> Page:
        self.asked[url] += 1
        await asyncio.sleep(0)
        if self.fault is not None:
            raise self.fault
        return Page(
            url=url,
            final_url=url,
            title="Tides",
            text="Pulleys.",
            fetched_at="2026-01-01T00:00:00",
        )


def task(store: BaseStore, place: str = "3:researcher:s1", key: str = "run", call: str = "") -> RunPages:
    """Return the pages as a task sees them; each call is a process of its own, as after a crash."""
    return RunPages(Run(journal=Journal(store, key, place, place)), EvidenceStore(store), call)


async def test_an_address_is_fetched_once_in_a_run_and_known_after_a_crash() -> None:
    store, web = InMemoryStore(), Web()
    first = await task(store).read(URL, web.read)
    again = await task(store).read(URL, web.read)
    later = await task(store, "6:researcher:s4").read(URL, web.read)
    assert first == again == later
    assert first.page is not None
    assert await EvidenceStore(store).get_text(first.hash) == "Pulleys."
    assert web.asked == {URL: 1}


async def test_tasks_side_by_side_share_one_fetch() -> None:
    store, web = InMemoryStore(), Web()
    tasks = [task(store, f"3:researcher:s{number}") for number in range(5)]
    stored = await asyncio.gather(*(one.read(URL, web.read) for one in tasks))
    assert all(one == stored[0] for one in stored)
    assert web.asked == {URL: 1}


async def test_a_lasting_fault_is_not_tried_again_and_a_passing_one_a_few_times() -> None:
    store, web = InMemoryStore(), Web(fault=PageError("there is no such page"))
    for _ in range(3):
        assert (await task(store).read(URL, web.read)).problem == "there is no such page"
    assert web.asked == {URL: 1}
    assert await task(store).known([URL]) == {URL}
    other = "https://tides.example/busy"
    web.fault = PageError("it did not answer", passing=True)
    for _ in range(MAX_TRIES + 2):
        assert (await task(store).read(other, web.read)).problem == "it did not answer"
    assert web.asked[other] == MAX_TRIES
    passed = "https://tides.example/back"
    await task(store).read(passed, web.read)
    assert await task(store).known([passed]) == set()
    web.fault = None
    assert (await task(store).read(passed, web.read)).page is not None
    assert await task(store).known([passed]) == {passed}


async def test_what_a_task_at_the_side_has_read_counts_for_both_whoever_was_first() -> None:
    store, web = InMemoryStore(), Web()
    await task(store, "3:researcher:s1").read(URL, web.read)
    assert await task(store, "3:researcher:s1").known([URL]) == {URL}
    assert await task(store, "3:researcher:s2").known([URL]) == set()
    assert await task(store, "6:researcher:s3").known([URL]) == {URL}
    await task(store, "3:researcher:s2").read(URL, web.read)
    assert await task(store, "3:researcher:s2").known([URL]) == {URL}


async def test_a_call_that_a_crash_ended_pays_for_its_pages_again_and_later_calls_do_not() -> None:
    store, web = InMemoryStore(), Web()
    await task(store, call="tides").read(URL, web.read)
    assert await task(store, call="tides").known([URL]) == set()
    assert await task(store, call="pulleys").known([URL]) == await task(store).known([URL]) == {URL}
    await task(store, call="tides").read(URL, web.read)
    assert web.asked == {URL: 1}
