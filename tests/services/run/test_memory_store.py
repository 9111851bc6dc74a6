"""The memory of a user: each statement once with its newest proof, the oldest go first, and nobody's is another's."""

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.evidence import Excerpt, Source
from schemas.memory import MemoryEntry
from services.run import memory_store
from services.run.memory_store import entry_id, forget, forget_all, memory_of, memory_owner, remember
from services.run.settings import Settings

KEY = "0" * 64


def entry(claim: str, known_from: str, quote: str = "a quote") -> MemoryEntry:
    return MemoryEntry(
        id=entry_id(claim),
        claim=claim,
        status="quoted",
        known_from=known_from,
        question="?",
        run="run",
        excerpts=[Excerpt(content_hash=KEY, quote=quote, start=0, end=len(quote))],
        sources={KEY: Source(url="a.md", title="A", kind="document", content_hash=KEY)},
    )


async def test_the_same_statement_is_remembered_once_with_its_newest_proof() -> None:
    store = InMemoryStore()
    assert await remember(store, "ada", [entry("The wire is steel.", "2026-11-02", "old")]) == 1
    assert await remember(store, "ada", [entry("the wire is **steel**", "2026-11-20", "new")]) == 1
    assert await remember(store, "ada", [entry("The wire is steel!", "2026-11-10", "older")]) == 0
    [known] = await memory_of(store, "ada")
    assert (known.known_from, known.excerpts[0].quote) == ("2026-11-20", "new")
    assert entry_id("铅锤上涂有油脂。") == entry_id("铅锤上涂有油脂") != entry_id("铅锤上没有油脂。")


async def test_the_oldest_go_where_the_bounds_are_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    store = InMemoryStore()
    monkeypatch.setattr(memory_store, "MAX_ENTRIES", 3)
    await remember(store, "ada", [entry(f"Ship {day} sailed.", f"2026-11-0{day}") for day in (1, 2, 3)])
    await remember(store, "ada", [entry("Ship 4 sailed.", "2026-11-04")])
    assert [known.known_from for known in await memory_of(store, "ada")] == ["2026-11-04", "2026-11-03", "2026-11-02"]
    await remember(store, "ada", [entry("Ship 0 sailed.", "2026-10-01")])
    assert len(await memory_of(store, "ada")) == 3
    monkeypatch.setattr(memory_store, "MAX_BYTES", 2 * entry("Ship 5 sailed.", "2026-11-05").size)
    await remember(store, "ada", [entry("Ship 5 sailed.", "2026-11-05")])
    assert [known.known_from for known in await memory_of(store, "ada")] == ["2026-11-05", "2026-11-04"]
    await remember(store, "ada", [entry("Long.", "2026-11-06", "x" * 30_000)])
    assert len(await memory_of(store, "ada")) == 2, "a statement that is too large is not remembered"


async def test_a_name_that_begins_like_another_is_another() -> None:
    store = InMemoryStore()
    for name in ("ada", "ada2", "ad"):
        await remember(store, name, [entry(f"{name} knows this.", "2026-11-02")])
    assert [known.claim for known in await memory_of(store, "ada")] == ["ada knows this."]
    [own] = await memory_of(store, "ada")
    await forget(store, "ad", [own.id])
    assert await forget_all(store, "ad") == 1
    assert [len(await memory_of(store, name)) for name in ("ada", "ada2", "ad")] == [1, 1, 0]


async def test_what_cannot_be_read_any_more_is_passed_over_and_can_be_forgotten() -> None:
    store = InMemoryStore()
    await remember(store, "ada", [entry("The wire is steel.", "2026-11-02")])
    [place] = store.list_namespaces()
    store.put(place, "0" * 12, {"claim": "of another version"})
    assert len(await memory_of(store, "ada")) == 1
    assert await forget_all(store, "ada") == 2


def test_a_server_with_users_that_recognised_none_has_no_memory() -> None:
    assert memory_owner(Settings()) == "local"
    assert memory_owner(Settings(leadline_tokens="ada:0123456789abcdef")) is None
